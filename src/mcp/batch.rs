//! Several messages in one POST, as revision 2025-03-26 alone has it (JSON-RPC 2.0, batch).

use std::{cell::RefCell, rc::Rc};

use futures_util::{StreamExt, stream::LocalBoxStream};
use http::{Response, StatusCode};

use super::{
    Failure, Host, Live, Version, audit,
    context::Asked,
    envelope, handle, handshake, headers,
    live::EventId,
    message::{Incoming, Message},
    reply::{self, Body},
    seen,
};
use crate::json::Raw;

/// Most messages of one batch.
pub const MAX_BATCH: usize = 100;

/// The revision that has batches.
const REVISION: Version = Version::V2025_03_26;

/// Where the answers of a batch go that take their time: one stream, opened by the first of them.
#[derive(Debug)]
pub(super) struct Batch {
    /// The ids of its requests, as a JSON array.
    ids: String,
    wire: RefCell<Option<Rc<Wire>>>,
}

/// A stream of a session that ends when nobody holds it any more.
#[derive(Debug)]
pub(super) struct Wire {
    live: Rc<Live>,
    stream: u64,
}

impl Batch {
    fn new<'a>(ids: impl Iterator<Item = Raw<'a>>) -> Self {
        let ids: Vec<&str> = ids.map(Raw::get).collect();
        Self { ids: format!("[{}]", ids.join(",")), wire: RefCell::default() }
    }

    /// The stream of the batch.
    pub fn wire(&self, live: &Rc<Live>) -> Result<Rc<Wire>, Failure> {
        let mut wire = self.wire.borrow_mut();
        if let Some(wire) = &*wire {
            return Ok(Rc::clone(wire));
        }
        let opened = Rc::new(Wire { live: Rc::clone(live), stream: live.open(&self.ids)? });
        Ok(Rc::clone(wire.insert(opened)))
    }
}

impl Wire {
    /// Sends messages until they end, or the session does.
    pub async fn carry(self: Rc<Self>, mut messages: LocalBoxStream<'static, Vec<u8>>) {
        while let Some(message) = messages.next().await {
            if self.live.send(self.stream, &message, false).is_err() {
                return;
            }
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        // If that cannot be kept, the session is lost anyway.
        let _ = self.live.send(self.stream, b"", true);
    }
}

/// Answers the elements of an array: an array of responses, a stream of them once one takes its time, or
/// nothing where nothing is asked.
pub(super) async fn answer<H: Host>(
    asked: &Asked<'_, H>,
    elements: &[Raw<'_>],
) -> Result<Response<Body>, Failure> {
    let messages = admitted(asked, elements)?;
    let (name, session) = handshake::session(asked).await?;
    if session.version != REVISION.date() {
        return Err(other_revision());
    }
    let (mut requests, live) = (Vec::new(), asked.host.live(&name));
    for message in messages {
        match message {
            Incoming::Message(message) => match message.id {
                Some(id) => requests.push((id, message)),
                None => handle::noticed(asked, &name, &message).await,
            },
            Incoming::Response { id, answer } => {
                live.iter().for_each(|live| live.answered(&id, answer.clone()));
            }
        }
    }
    if requests.is_empty() {
        return Ok(reply::accepted());
    }
    let batch = Batch::new(requests.iter().map(|(id, _)| *id));
    let asked = Asked { batch: Some(&batch), ..*asked };
    let mut answers = Vec::new();
    for (id, message) in &requests {
        let since = asked.host.now();
        let answered = respond(&asked, message, *id).await;
        seen::told(&asked, message, since, &answered);
        match answered.map(Response::into_body) {
            Ok(Body::Json(answer)) => answers.push(answer),
            // It goes out on the stream.
            Ok(_) => {}
            Err(failure) => {
                audit::note(asked.host, asked.claims, &message.method, &failure);
                answers.push(reply::error(&failure, Some(id.get())));
            }
        }
    }
    let Some(wire) = batch.wire.take() else {
        let answers = answers.join(&b","[..]);
        return Ok(reply::json([b"[", answers.as_slice(), b"]"].concat()));
    };
    for answer in answers {
        wire.live.send(wire.stream, &answer, false)?;
    }
    let from = EventId { stream: wire.stream, event: wire.stream };
    Ok(reply::events(reply::keep_alive(asked.host, wire.live.follow(from, false))))
}

/// Answers one request. Those before it may have changed the session.
async fn respond<H: Host>(
    asked: &Asked<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
) -> Result<Response<Body>, Failure> {
    handle::in_session(asked, message, id, handshake::session(asked).await?).await
}

/// The messages of a batch, if each of them may be in one.
fn admitted<'a, H>(asked: &Asked<'_, H>, elements: &[Raw<'a>]) -> Result<Vec<Incoming<'a>>, Failure> {
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
        Ok(Incoming::Message(message)) if message.method == "initialize" => {
            Err(refused("batch", "`initialize` opens a session and is in no batch"))
        }
        Ok(message) => Ok(message),
        Err(failure) => Err(Failure { message: format!("[{at}]: {}", failure.message), ..failure }),
    };
    elements.iter().enumerate().map(read).collect()
}

fn other_revision() -> Failure {
    refused("batch", format!("batches are of revision {REVISION} alone, send one message a request"))
}

fn refused(reason: &str, message: impl Into<String>) -> Failure {
    Failure::request(StatusCode::BAD_REQUEST, reason, message)
}
