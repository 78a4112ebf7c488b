//! JSON-RPC batches: several messages in one POST. Only the revisions up to 2025-03-26 have them.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures_util::{
    FutureExt, StreamExt,
    future::{AbortHandle, LocalBoxFuture},
    stream::LocalBoxStream,
};
use http::{Response, StatusCode};
use mcp_sieve::{json::Raw, revision::Revision};

use crate::{
    host::{
        Host, audit,
        rate_limit::{CROWDED_S, is_busy},
    },
    methods::initialize,
    protocol::{
        envelope,
        error::RpcError,
        event_id::EventId,
        headers,
        message::{Incoming, Message},
        method::Method,
        response::{self, Body},
        sse,
    },
    request::{
        context::{Exchange, ResponsePlace},
        discovery::{self, DiscoveredCell},
        log_line,
    },
    server::handler,
    session::session_streams::SessionStreams,
};

/// Maximum number of messages of one batch.
pub const MAX_BATCH: usize = 100;

/// Length of the responses of a batch, in bytes, from which on its further messages are refused instead of answered.
/// They are in memory together, and a batch of four kilobytes could hold a hundred lists of a megabyte.
pub const MAX_BATCH_RESPONSES: usize = 4 * 1024 * 1024;

/// The position of one response among those of its batch.
#[derive(Debug)]
pub(crate) struct BatchPlace {
    responses: Rc<Responses>,
    at: usize,
}

/// The responses of a batch, sent in the order of the requests. The order in which they finish could reveal something
/// about hidden primitives.
#[derive(Debug)]
struct Responses {
    wire: Option<BatchStream>,
    slots: RefCell<Vec<ResponseSlot>>,
    /// The length of all responses so far, in bytes.
    length: Cell<usize>,
}

/// The state of one response.
#[derive(Debug, Default)]
enum ResponseSlot {
    /// The request is under way.
    #[default]
    Open,
    /// The response waits for those before it. `None` is a request that ended without a response.
    Ended(Option<Vec<u8>>),
    /// The response was sent.
    Sent,
}

/// The event stream of a batch.
#[derive(Debug)]
struct BatchStream {
    live: Rc<SessionStreams>,
    stream: u64,
}

impl ResponsePlace for BatchPlace {
    fn streams(&self) -> bool {
        self.responses.wire.is_some()
    }

    fn carry(
        self: Rc<Self>,
        mut messages: LocalBoxStream<'static, (Vec<u8>, bool)>,
        request: AbortHandle,
    ) -> LocalBoxFuture<'static, ()> {
        async move {
            while let Some((message, last)) = messages.next().await {
                if let Some(wire) = &self.responses.wire {
                    wire.live.room(wire.stream, &request).await;
                }
                match &self.responses.wire {
                    _ if last => return self.end(Some(message)),
                    Some(wire) => wire.send(message),
                    None => {}
                }
            }
        }
        .boxed_local()
    }
}

impl BatchPlace {
    /// Ends the request with this response, or without one, and sends the responses whose turn has come.
    fn end(&self, response: Option<Vec<u8>>) {
        let length = &self.responses.length;
        length.set(length.get() + response.as_ref().map_or(0, Vec::len));
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
                ResponseSlot::Ended(Some(response)) => wire.send(response),
                ResponseSlot::Ended(None) | ResponseSlot::Sent => {}
            }
        }
    }
}

impl Drop for BatchPlace {
    /// Ends a request that was cancelled. It has no response and must not block later ones.
    fn drop(&mut self) {
        self.end(None);
    }
}

impl Responses {
    fn new(wire: Option<BatchStream>, requests: usize) -> Rc<Self> {
        let slots = RefCell::new((0..requests).map(|_| ResponseSlot::default()).collect());
        Rc::new(Self { wire, slots, length: Cell::default() })
    }

    /// Returns the number of requests before this place that are under way.
    fn open_before(&self, at: usize) -> usize {
        let slots = self.slots.borrow();
        slots.iter().take(at).filter(|slot| matches!(slot, ResponseSlot::Open)).count()
    }

    /// Returns the finished responses as a JSON array, and empties the slots.
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
    /// Opens a stream for the requests with these ids.
    fn open<'a>(
        live: &Rc<SessionStreams>,
        ids: impl Iterator<Item = Raw<'a>>,
    ) -> Result<(Self, LocalBoxStream<'static, Vec<u8>>), RpcError> {
        let ids: Vec<&str> = ids.map(Raw::get).collect();
        let stream = live.open(&format!("[{}]", ids.join(",")))?;
        let frames = live.follow(EventId { stream, event: stream }, false);
        Ok((Self { live: Rc::clone(live), stream }, frames))
    }

    fn send(&self, message: Vec<u8>) {
        // Sending fails only after the end of the session.
        _ = self.live.send(self.stream, message, false);
    }
}

impl Drop for BatchStream {
    fn drop(&mut self) {
        // If the end cannot be stored, the session is lost anyway.
        _ = self.live.send(self.stream, Vec::new(), true);
    }
}

/// Answers the messages of a batch. A client with a running session that accepts an event stream gets one. Other
/// clients get an array of responses. A batch without requests gets 202. The subjects of the requests do not affect
/// this choice.
pub(crate) async fn answer_batch<H: Host>(
    exchange: &Exchange<'_, H>,
    elements: &[Raw<'_>],
) -> Result<Response<Body>, RpcError> {
    let messages = admitted(exchange, elements)?;
    let (name, session) = initialize::session(exchange).await?;
    if !has_batches(&session.version) {
        return Err(other_revision());
    }
    let (mut requests, live) = (Vec::new(), exchange.host.live(&name));
    for message in messages {
        match message {
            Incoming::Message(message) => match message.id {
                Some(id) => requests.push((id, message)),
                None => handler::process_notification(exchange, &name, &message).await,
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
        .filter(|_| exchange.streams())
        .map(|live| BatchStream::open(&live, requests.iter().map(|(id, _)| *id)));
    let (wire, frames) = opened.transpose()?.unzip();
    let responses = Responses::new(wire, requests.len());
    for (at, (id, message)) in requests.iter().enumerate() {
        if at > 0 {
            // Each message may take as long as a request of its own.
            exchange.host.sleep(0).await;
        }
        let place = Rc::new(BatchPlace { responses: Rc::clone(&responses), at });
        answer_request(exchange, message, *id, place).await;
    }
    Ok(match frames {
        Some(frames) => response::events(sse::keep_alive(exchange.host, frames)),
        None => response::json(responses.to_array()),
    })
}

/// Answers one request of a batch at its place.
async fn answer_request<H: Host>(
    exchange: &Exchange<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
    place: Rc<BatchPlace>,
) {
    let dynamic: Rc<dyn ResponsePlace> = Rc::clone(&place) as _;
    let discovered = DiscoveredCell::default();
    let exchange = Exchange { batch: Some(&dynamic), discovered: &discovered, ..*exchange };
    let since = exchange.host.now();
    let responses = &place.responses;
    let answered = match exchange.config.limits.concurrent {
        _ if responses.length.get() >= MAX_BATCH_RESPONSES => Err(overlong()),
        Some(most) if responses.open_before(place.at) >= most as usize && is_busy(&message.method) => {
            Err(RpcError::too_many_requests(CROWDED_S))
        }
        _ => respond(&exchange, message, id).await,
    };
    log_line::write(&exchange, message, since, &answered);
    match answered.map(Response::into_body) {
        Ok(Body::Json(answer)) => place.end(Some(answer)),
        // The response follows on the stream, or the request was cancelled.
        Ok(_) => {}
        Err(failure) => {
            let message = (message, discovery::called(exchange.discovered));
            audit::refused(exchange.config, exchange.host, exchange.claims, message, &failure);
            place.end(Some(response::error(&failure, Some(id.get()))));
        }
    }
}

/// Answers one request. The session is loaded again, since earlier requests of the batch may have changed it.
async fn respond<H: Host>(
    exchange: &Exchange<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
) -> Result<Response<Body>, RpcError> {
    handler::in_session(exchange, message, id, initialize::session(exchange).await?).await
}

/// Returns the messages of a batch, or an error if one of them cannot be part of a batch.
fn admitted<'a, H>(exchange: &Exchange<'_, H>, elements: &[Raw<'a>]) -> Result<Vec<Incoming<'a>>, RpcError> {
    let header = headers::value(exchange.request.headers(), headers::PROTOCOL_VERSION)?;
    if header.is_some_and(|header| !has_batches(&header)) {
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

fn overlong() -> RpcError {
    let message = format!(
        "the responses to the messages before take {MAX_BATCH_RESPONSES} bytes or more: send this message on its own"
    );
    refused("batch_limit", message)
}

/// Returns whether the revision that a date names has batches.
fn has_batches(date: &str) -> bool {
    Revision::from_date(date).is_some_and(Revision::has_batches)
}

fn other_revision() -> RpcError {
    let dates: Vec<_> =
        Revision::ALL.into_iter().filter(|revision| revision.has_batches()).map(Revision::date).collect();
    let dates = dates.join(" and ");
    refused("batch", format!("batches exist only in the revisions {dates}: send one message per request"))
}

fn refused(reason: &str, message: impl Into<String>) -> RpcError {
    RpcError::request(StatusCode::BAD_REQUEST, reason, message)
}
