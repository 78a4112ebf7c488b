//! The Durable Objects that notify every listener of changes.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod followers;
mod hub;
mod places;

use std::{collections::BTreeSet, rc::Rc};

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
use worker::{DurableObject, Env, Method, Request, Response, ResponseBody, Result, State, durable_object};

use super::{failure_from_json, lost, ndjson, send};

pub(crate) use hub::ListenerHub;

const LISTEN: &str = "/listen";
const ANNOUNCE: &str = "/announce";
const FOLLOW: &str = "/follow";
const WANT: &str = "/want";

/// Listeners of a deployment. `POST` at `LISTEN` returns a stream of `News`, one on each line; `POST` at `ANNOUNCE`
/// takes one. Further objects follow the first: `POST` at `FOLLOW` returns a stream of all `News`, and `WANT` replaces
/// the resources that it includes.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct ChangesObject {
    env: Env,
    hub: Rc<ListenerHub>,
}

/// Changes, and the current catalog.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    /// The number of the object.
    #[serde(default)]
    place: usize,
}

/// What an object wants to know from the first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Follow {
    /// The number of the object.
    place: usize,
    /// The resources whose changes it wants to know.
    resources: BTreeSet<String>,
}

impl DurableObject for ChangesObject {
    fn new(_: State, env: Env) -> Self {
        Self { env, hub: Rc::default() }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let lost = |error| lost("the changes", &error);
        let stream = |lines: LocalBoxStream<'static, Vec<u8>>| {
            Response::from_stream(lines.map(Ok::<_, worker::Error>)).map_err(lost)
        };
        let answered = match request.path().as_str() {
            LISTEN => self.hub.listen(&self.env, request.json().await?).await.and_then(stream),
            FOLLOW => self.hub.followed(&self.env, request.json().await?).await.and_then(stream),
            WANT => match self.hub.wants(&self.env, request.json().await?).await {
                Ok(false) => return Response::error("no such follower", 404),
                Ok(true) => Response::empty().map_err(lost),
                Err(failure) => Err(failure),
            },
            ANNOUNCE => {
                let announced = self.hub.announced(&self.env, &request.json::<News>().await?).await;
                announced.and_then(|()| Response::empty().map_err(lost))
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

/// Sends changes to the first object, from which the others have them.
pub(crate) async fn send_news(env: &Env, news: &News) -> Result<()> {
    send(&places::object(env, 0)?, Method::Post, ANNOUNCE, Some(serde_json::to_string(news)?))
        .await
        .map(|_| ())
}

/// Returns the changes that are visible to a listener from now on, each with the hash of the current catalog. The
/// listener is in the first object with a free place, beginning with that of the last listener of this isolate.
///
/// # Errors
/// `listener_limit` where the caller listens on too many streams, and `too_many_listeners` where all objects are full.
pub(crate) async fn listen(
    env: &Env,
    caller: &Caller<'static>,
    wanted: &SubscriptionFilter,
) -> std::result::Result<LocalBoxStream<'static, (Change, Option<u128>)>, RpcError> {
    let mut listener = Listener { caller: caller.clone(), wanted: wanted.clone(), place: 0 };
    let mut full = None;
    for place in places::in_turn() {
        listener.place = place;
        match stream_of(env, place, LISTEN, &listener).await {
            Err(failure) if failure.reason() == Some("too_many_listeners") => full = Some(failure),
            Err(failure) => return Err(failure),
            Ok(news) => {
                places::accepted(place);
                let changes = news.flat_map(|news| {
                    let catalog = news.catalog();
                    stream::iter(news.changes).map(move |change| (change, catalog))
                });
                return Ok(changes.boxed_local());
            }
        }
    }
    Err(full.unwrap_or_else(|| lost("the changes", &"there is no object for them".into())))
}

/// Sends a request to an object, and returns the stream of its response.
///
/// # Errors
/// The failure that the object returns; `storage_unavailable` if it does not answer.
async fn stream_of(
    env: &Env,
    place: usize,
    path: &str,
    body: &impl Serialize,
) -> std::result::Result<LocalBoxStream<'static, News>, RpcError> {
    let lost = |error| lost("the changes", &error);
    let opened = async {
        send(&places::object(env, place)?, Method::Post, path, Some(serde_json::to_string(body)?)).await
    };
    let mut response = opened.await.map_err(lost)?;
    if response.status_code() != 200 {
        let error: Value = response.json().await.map_err(lost)?;
        return Err(failure_from_json(&error));
    }
    if let ResponseBody::Empty = response.body() {
        return Ok(stream::empty().boxed_local());
    }
    Ok(ndjson::read(response.stream().map_err(lost)?))
}
