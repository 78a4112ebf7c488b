//! The Durable Object that tells every listener what has changed.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

use std::cell::{Cell, RefCell};

use futures_channel::mpsc::{UnboundedSender, unbounded};
use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};
use mcp_sieve::mcp::Change;
use serde::{Deserialize, Serialize};
use worker::{
    DurableObject, Env, Method, Request, Response, ResponseBody, Result, State, Stub, durable_object,
};

use crate::objects::send;

/// Most listeners at once; who comes later is told to come back.
const MAX_LISTENERS: usize = 10_000;

/// One for the whole deployment: `GET` listens, a line for each change; `POST` announces.
#[durable_object]
#[derive(Debug)]
pub struct ChangesObject {
    listeners: RefCell<Vec<UnboundedSender<Vec<u8>>>>,
    /// The catalog that was announced last: many isolates see the same change.
    catalog: Cell<Option<u128>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct News {
    changes: Vec<Change>,
    /// The catalog that came with them, if one did.
    catalog: Option<String>,
}

impl DurableObject for ChangesObject {
    fn new(_: State, _: Env) -> Self {
        Self { listeners: RefCell::default(), catalog: Cell::default() }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        match request.method() {
            Method::Get => self.listen(),
            Method::Post => {
                self.tell(&request.json::<News>().await?)?;
                Response::empty()
            }
            _ => Response::error("expected GET or POST", 405),
        }
    }
}

impl ChangesObject {
    fn listen(&self) -> Result<Response> {
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(|listener| !listener.is_closed());
        if listeners.len() >= MAX_LISTENERS {
            return Response::error("too many listeners", 503);
        }
        let (sender, lines) = unbounded();
        // The runtime hands out the response with its first bytes.
        let _ = sender.unbounded_send(b"\n".to_vec());
        listeners.push(sender);
        Response::from_stream(lines.map(Ok::<_, worker::Error>))
    }

    fn tell(&self, news: &News) -> Result<()> {
        if let Some(catalog) = news.catalog.as_deref().and_then(|hash| u128::from_str_radix(hash, 16).ok())
            && self.catalog.replace(Some(catalog)) == Some(catalog)
        {
            return Ok(());
        }
        for change in &news.changes {
            let line = format!("{}\n", serde_json::to_string(change)?).into_bytes();
            self.listeners.borrow_mut().retain(|listener| listener.unbounded_send(line.clone()).is_ok());
        }
        Ok(())
    }
}

/// Tells every listener of this deployment.
///
/// # Errors
/// When the Durable Object cannot be reached.
pub async fn announce(env: &Env, changes: &[Change], catalog: Option<u128>) -> Result<()> {
    let news = News { changes: changes.to_vec(), catalog: catalog.map(|hash| format!("{hash:032x}")) };
    send(&hub(env)?, Method::Post, "/", Some(serde_json::to_string(&news)?)).await.map(|_| ())
}

/// Every change from now on.
pub(crate) async fn listen(env: &Env) -> Result<LocalBoxStream<'static, Change>> {
    let mut response = send(&hub(env)?, Method::Get, "/", None).await?;
    if response.status_code() != 200 {
        return Err(worker::Error::RustError(response.text().await?));
    }
    if let ResponseBody::Empty = response.body() {
        return Ok(stream::empty().boxed_local());
    }
    let mut rest = Vec::new();
    let changes = response.stream()?.take_while(|piece| futures_util::future::ready(piece.is_ok())).flat_map(
        move |piece| {
            rest.extend(piece.unwrap_or_default());
            let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let lines: Vec<u8> = rest.drain(..whole).collect();
            let changes: Vec<Change> = lines
                .split(|byte| *byte == b'\n')
                .filter_map(|line| serde_json::from_slice(line).ok())
                .collect();
            stream::iter(changes)
        },
    );
    Ok(changes.boxed_local())
}

fn hub(env: &Env) -> Result<Stub> {
    env.durable_object("CHANGES")?.get_by_name("changes")
}
