//! The Durable Object that notifies every listener of changes.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod hub;

use std::rc::Rc;

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};
use mcp_sieve_gateway::{
    error::RpcError,
    host::Caller,
    streams::{Change, SubscriptionFilter},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use worker::{
    DurableObject, Env, Method, Request, Response, ResponseBody, Result, State, Stub, durable_object,
};

use super::{failure_from_json, lost, ndjson, send};

pub(crate) use hub::ListenerHub;

const LISTEN: &str = "/listen";
const ANNOUNCE: &str = "/announce";

/// The listeners of the whole deployment. `POST` at `LISTEN` returns a stream of `News`, one on each line; `POST` at
/// `ANNOUNCE` takes one.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct ChangesObject {
    env: Env,
    hub: Rc<ListenerHub>,
}

/// Changes, and the current catalog.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct News {
    changes: Vec<Change>,
    /// The hash of the current catalog, if it replaced another one.
    catalog: Option<String>,
    /// The holder and the server, if the server's lists to this holder may have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own: Option<(String, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Listener {
    caller: Caller<'static>,
    wanted: SubscriptionFilter,
}

impl DurableObject for ChangesObject {
    fn new(_: State, env: Env) -> Self {
        Self { env, hub: Rc::default() }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let answered = match request.path().as_str() {
            LISTEN => self.hub.listen(&self.env, request.json().await?).await.and_then(|lines| {
                Response::from_stream(lines.map(Ok::<_, worker::Error>))
                    .map_err(|error| lost("the changes", &error))
            }),
            ANNOUNCE => {
                let announced = self.hub.announced(&self.env, &request.json::<News>().await?).await;
                announced.and_then(|()| Response::empty().map_err(|error| lost("the changes", &error)))
            }
            _ => return Response::error("no such path", 404),
        };
        answered.or_else(|failure| Response::error(failure.to_json().to_string(), 503))
    }
}

impl News {
    pub fn new(changes: &[Change], catalog: Option<u128>) -> Self {
        let catalog = catalog.map(|hash| format!("{hash:032x}"));
        Self { changes: changes.to_vec(), catalog, own: None }
    }

    /// Returns the news that the lists of a server to one holder may have changed.
    pub fn of_holder(holder: &str, server: &str) -> Self {
        let changes = Change::LISTS.map(|(_, change)| change).to_vec();
        Self { changes, catalog: None, own: Some((holder.to_owned(), server.to_owned())) }
    }

    /// Returns the hash of the current catalog, if it is known.
    pub fn catalog(&self) -> Option<u128> {
        u128::from_str_radix(self.catalog.as_deref()?, 16).ok()
    }
}

/// Notifies every listener of this deployment that subscribed to these changes. Lists of the Worker's own server are
/// read again before a listener is told that they changed; other isolates keep them for their lifetime.
///
/// # Errors
/// When the Durable Object cannot be reached.
pub async fn announce(env: &Env, changes: &[Change]) -> Result<()> {
    send_news(env, &News::new(changes, None)).await
}

/// Sends changes to the object.
pub(crate) async fn send_news(env: &Env, news: &News) -> Result<()> {
    send(&object(env)?, Method::Post, ANNOUNCE, Some(serde_json::to_string(news)?)).await.map(|_| ())
}

/// Returns the changes that are visible to a listener from now on, each with the hash of the current catalog.
pub(crate) async fn listen(
    env: &Env,
    caller: &Caller<'static>,
    wanted: &SubscriptionFilter,
) -> std::result::Result<LocalBoxStream<'static, (Change, Option<u128>)>, RpcError> {
    let opened = async {
        let listener = Listener { caller: caller.clone(), wanted: wanted.clone() };
        send(&object(env)?, Method::Post, LISTEN, Some(serde_json::to_string(&listener)?)).await
    };
    let mut response = opened.await.map_err(|error| lost("the changes", &error))?;
    if response.status_code() != 200 {
        let error: Value = response.json().await.map_err(|error| lost("the changes", &error))?;
        return Err(failure_from_json(&error));
    }
    if let ResponseBody::Empty = response.body() {
        return Ok(stream::empty().boxed_local());
    }
    let pieces = response.stream().map_err(|error| lost("the changes", &error))?;
    let changes = ndjson::read(pieces).flat_map(|news: News| {
        let catalog = news.catalog();
        stream::iter(news.changes).map(move |change| (change, catalog))
    });
    Ok(changes.boxed_local())
}

fn object(env: &Env) -> Result<Stub> {
    env.durable_object("CHANGES")?.get_by_name("changes")
}
