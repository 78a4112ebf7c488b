//! Several messages in one POST: JSON-RPC batches, which only revision 2025-03-26 has.

use std::{cell::RefCell, rc::Rc};

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream::LocalBoxStream};
use http::{Response, StatusCode};

use crate::{
    json::Raw,
    mcp::{
        host::{Host, audit},
        http::{
            handler, headers,
            response::{self, Body},
            sse,
        },
        methods::initialize,
        protocol::{
            envelope,
            error::RpcError,
            message::{Incoming, Message},
            method::Method,
        },
        request::{
            context::{Exchange, ResponsePlace},
            discovery::{self, DiscoveredCell},
            log_line,
        },
        streams::{event_log::EventId, session_streams::SessionStreams},
    },
    revision::Revision,
};

/// Maximum number of messages of one batch.
pub const MAX_BATCH: usize = 100;

/// The revision that has batches.
const REVISION: Revision = Revision::V2025_03_26;

/// The place of one request's response among those of its batch.
#[derive(Debug)]
pub(crate) struct BatchPlace {
    responses: Rc<Responses>,
    at: usize,
}

/// The responses of a batch on their way to the client, in the order of the requests: what a client may not see must
/// not show by the order in which responses come.
#[derive(Debug)]
struct Responses {
    wire: Option<BatchStream>,
    slots: RefCell<Vec<ResponseSlot>>,
}

/// What is known of one response.
#[derive(Debug, Default)]
enum ResponseSlot {
    /// The request is under way.
    #[default]
    Open,
    /// The response waits for those before it; `None` for a request that ended without one.
    Ended(Option<Vec<u8>>),
    /// The response was sent.
    Sent,
}

/// The stream of a batch: to the client that sent it and, should that lose its connection, to the session's journal.
#[derive(Debug)]
struct BatchStream {
    live: Rc<SessionStreams>,
    stream: u64,
    out: UnboundedSender<Vec<u8>>,
}

impl ResponsePlace for BatchPlace {
    fn streams(&self) -> bool {
        self.responses.wire.is_some()
    }

    fn carry(
        self: Rc<Self>,
        mut messages: LocalBoxStream<'static, (Vec<u8>, bool)>,
    ) -> LocalBoxFuture<'static, ()> {
        async move {
            while let Some((message, last)) = messages.next().await {
                match &self.responses.wire {
                    _ if last => return self.end(Some(message)),
                    Some(wire) => wire.send(&message),
                    None => {}
                }
            }
        }
        .boxed_local()
    }
}

impl BatchPlace {
    /// The request has ended with this response, or without one.
    fn end(&self, response: Option<Vec<u8>>) {
        let mut slots = self.responses.slots.borrow_mut();
        if let Some(slot @ ResponseSlot::Open) = slots.get_mut(self.at) {
            *slot = ResponseSlot::Ended(response);
        }
        let Some(wire) = &self.responses.wire else { return };
        for slot in slots.iter_mut() {
            match std::mem::replace(slot, ResponseSlot::Sent) {
                ResponseSlot::Open => {
                    *slot = ResponseSlot::Open;
                    return;
                }
                ResponseSlot::Ended(Some(response)) => wire.send(&response),
                ResponseSlot::Ended(None) | ResponseSlot::Sent => {}
            }
        }
    }
}

impl Drop for BatchPlace {
    /// A request that was cancelled has no response, and holds up no other.
    fn drop(&mut self) {
        self.end(None);
    }
}

impl Responses {
    fn new(wire: Option<BatchStream>, requests: usize) -> Rc<Self> {
        let slots = RefCell::new((0..requests).map(|_| ResponseSlot::default()).collect());
        Rc::new(Self { wire, slots })
    }

    /// The responses that have come, as a JSON array.
    fn to_array(&self) -> Vec<u8> {
        let slots = self.slots.take();
        let responses = slots.into_iter().filter_map(|slot| match slot {
            ResponseSlot::Ended(response) => response,
            _ => None,
        });
        let responses: Vec<Vec<u8>> = responses.collect();
        [b"[", responses.join(&b","[..]).as_slice(), b"]"].concat()
    }
}

impl BatchStream {
    /// Opens a stream for the requests of these ids.
    fn open<'a>(
        live: &Rc<SessionStreams>,
        ids: impl Iterator<Item = Raw<'a>>,
    ) -> Result<(Self, UnboundedReceiver<Vec<u8>>), RpcError> {
        let ids: Vec<&str> = ids.map(Raw::get).collect();
        let stream = live.open(&format!("[{}]", ids.join(",")))?;
        let (out, frames) = unbounded();
        Ok((Self { live: Rc::clone(live), stream, out }, frames))
    }

    fn send(&self, message: &[u8]) {
        // What cannot be kept can be read once. A client that has gone reads it from the journal.
        let event = self.live.send(self.stream, message, false).ok();
        let id = event.map(|event| EventId { stream: self.stream, event });
        _ = self.out.unbounded_send(sse::frame(id, message));
    }
}

impl Drop for BatchStream {
    fn drop(&mut self) {
        // If that cannot be kept, the session is lost anyway.
        _ = self.live.send(self.stream, b"", true);
    }
}

/// Answers the elements of an array: by a stream for a client with a running session that takes one, else by an array
/// of responses, and by nothing where no element is a request. What the requests are about makes no difference.
pub(crate) async fn answer<H: Host>(
    asked: &Exchange<'_, H>,
    elements: &[Raw<'_>],
) -> Result<Response<Body>, RpcError> {
    let messages = admitted(asked, elements)?;
    let (name, session) = initialize::session(asked).await?;
    if session.version != REVISION.date() {
        return Err(other_revision());
    }
    let (mut requests, live) = (Vec::new(), asked.host.live(&name));
    for message in messages {
        match message {
            Incoming::Message(message) => match message.id {
                Some(id) => requests.push((id, message)),
                None => handler::noticed(asked, &name, &message).await,
            },
            Incoming::Response { id, answer } => {
                live.iter().for_each(|live| live.answered(&id, answer.clone()));
            }
        }
    }
    if requests.is_empty() {
        return Ok(response::accepted());
    }
    let opened = live
        .filter(|_| asked.streams())
        .map(|live| BatchStream::open(&live, requests.iter().map(|(id, _)| *id)));
    let (wire, frames) = opened.transpose()?.unzip();
    let responses = Responses::new(wire, requests.len());
    for (at, (id, message)) in requests.iter().enumerate() {
        let place = Rc::new(BatchPlace { responses: Rc::clone(&responses), at });
        let dynamic: Rc<dyn ResponsePlace> = Rc::clone(&place) as _;
        let discovered = DiscoveredCell::default();
        let asked = Exchange { batch: Some(&dynamic), discovered: &discovered, ..*asked };
        let since = asked.host.now();
        let answered = respond(&asked, message, *id).await;
        log_line::write(&asked, message, since, &answered);
        match answered.map(Response::into_body) {
            Ok(Body::Json(answer)) => place.end(Some(answer)),
            // It follows on the stream, or the request was cancelled.
            Ok(_) => {}
            Err(failure) => {
                let message = (message, discovery::called(asked.discovered));
                audit::refused(asked.config, asked.host, asked.claims, message, &failure);
                place.end(Some(response::error(&failure, Some(id.get()))));
            }
        }
    }
    Ok(match frames {
        Some(frames) => response::events(sse::keep_alive(asked.host, frames.boxed_local())),
        None => response::json(responses.to_array()),
    })
}

/// Answers one request. Those before it may have changed the session.
async fn respond<H: Host>(
    asked: &Exchange<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
) -> Result<Response<Body>, RpcError> {
    handler::in_session(asked, message, id, initialize::session(asked).await?).await
}

/// The messages of a batch, if each of them may be in one.
fn admitted<'a, H>(asked: &Exchange<'_, H>, elements: &[Raw<'a>]) -> Result<Vec<Incoming<'a>>, RpcError> {
    let header = headers::value(asked.request.headers(), headers::PROTOCOL_VERSION)?;
    if header.is_some_and(|header| header != REVISION.date()) {
        return Err(other_revision());
    }
    if elements.is_empty() {
        return Err(refused("batch", "a batch holds at least one message"));
    }
    if elements.len() > MAX_BATCH {
        return Err(refused("batch_limit", format!("a batch holds no more than {MAX_BATCH} messages")));
    }
    let read = |(at, element): (usize, &Raw<'a>)| match Incoming::read(*element) {
        Ok(Incoming::Message(message)) if envelope::claims(&message) => Err(other_revision()),
        Ok(Incoming::Message(message)) if message.known == Some(Method::Initialize) => {
            Err(refused("batch", "`initialize` opens a session and is in no batch"))
        }
        Ok(message) => Ok(message),
        Err(failure) => Err(RpcError { message: format!("[{at}]: {}", failure.message), ..failure }),
    };
    elements.iter().enumerate().map(read).collect()
}

fn other_revision() -> RpcError {
    refused("batch", format!("batches are of revision {REVISION} alone, send one message a request"))
}

fn refused(reason: &str, message: impl Into<String>) -> RpcError {
    RpcError::request(StatusCode::BAD_REQUEST, reason, message)
}
