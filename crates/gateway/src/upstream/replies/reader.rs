//! The reader of the messages of an answer.

use std::{collections::VecDeque, pin::pin, rc::Rc, sync::Arc};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, Either, select},
};
use http::{HeaderMap, HeaderValue};
use mcp_sieve::revision::Era;

use crate::{
    host::PassthroughTerms,
    protocol::error::RpcError,
    upstream::{
        AskableClient, Chunks, Endpoint, Fetch, FetchError, MAX_ANSWER,
        cancellation::Cancellation,
        client_tasks::ClientTasks,
        fetch::within,
        lease::Lease,
        message::{self, Message, MessageError, Request, Response},
        outer_members::OuterMembers,
        post::OutgoingRequest,
        replies::{
            clock::{Clock, Timeout},
            server_requests::Back,
        },
        reply_memory::ReplyLease,
        sse::{Frame, Parser},
        standalone::Standalone,
    },
};

/// An answer in progress.
pub(crate) struct Replies<F: Fetch> {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) fetch: F,
    pub(super) method: String,
    /// The id of the request, as JSON.
    pub(super) id: Rc<str>,
    pub(super) back: Option<HeaderMap>,
    pub(super) client: Option<AskableClient>,
    /// The reason why a request of the server could not be sent to the client.
    pub(super) unasked: Option<RpcError>,
    pub(super) cancellation: Cancellation<F>,
    pub(super) patience_ms: u64,
    pub(super) clock: Rc<Clock>,
    /// The id of the session that the response opens.
    pub session: Option<HeaderValue>,
    pub(super) chunks: Chunks,
    pub(super) form: BodyFormat,
    /// Messages that were parsed and not yet returned.
    pub(super) ready: VecDeque<Message>,
    /// Requests of the server that still need a response from the gateway.
    pub(super) owed: VecDeque<Request>,
    /// The failure that the first skipped message of a stream would have been.
    pub(super) skipped: Option<RpcError>,
    /// The first response in a stream under the id of another request.
    pub(super) elsewhere: Option<Response>,
    /// The error for a stream that closed before the response; returned unless the stream can be resumed.
    pub(super) closed: Option<RpcError>,
    /// The memory that the answer holds, until its result is returned.
    pub(super) memory: Option<ReplyLease>,
    /// The connection that carries the answer.
    pub(super) lease: Option<Lease<F>>,
    /// The messages that the server sends outside the answer.
    pub(super) standalone: Option<Standalone>,
    /// The terms on which a response passes through unread.
    pub(super) terms: Option<Rc<PassthroughTerms>>,
    /// The outer members so far of a response that may pass through.
    pub(super) members: Option<Box<OuterMembers>>,
    /// Whether the platform passes the response on by itself.
    pub(super) is_passed: bool,
}

/// The next item from the server.
enum Arrival {
    /// A piece of the body; `None` at its end.
    Piece(Option<Result<Vec<u8>, FetchError>>),
    /// A message outside the answer.
    Outside(Message),
}

pub(super) enum BodyFormat {
    Json(Vec<u8>),
    Events(Parser),
}

impl<F: Fetch> Replies<F> {
    /// Creates the reader of `chunks`, the body of an event stream or of JSON.
    pub fn new(
        endpoint: &Arc<Endpoint>,
        fetch: &F,
        ask: &OutgoingRequest<'_>,
        cancellation: Cancellation<F>,
        chunks: Chunks,
        events: bool,
        session: Option<HeaderValue>,
    ) -> Self {
        let form =
            if events { BodyFormat::Events(Parser::new(MAX_ANSWER)) } else { BodyFormat::Json(Vec::new()) };
        Self {
            endpoint: Arc::clone(endpoint),
            fetch: fetch.clone(),
            method: ask.method.to_owned(),
            id: Rc::clone(&ask.id),
            back: ask.back.clone(),
            client: ask.client.clone(),
            unasked: None,
            cancellation,
            patience_ms: ask.patience_ms,
            clock: Rc::new(Clock::new(fetch.now())),
            session,
            chunks,
            form,
            ready: VecDeque::new(),
            owed: VecDeque::new(),
            skipped: None,
            elsewhere: None,
            closed: None,
            memory: Some(endpoint.replies.lease()),
            lease: None,
            standalone: None,
            terms: None,
            members: None,
            is_passed: false,
        }
    }

    /// Keeps the connection in use until the answer ends.
    pub fn hold(mut self, lease: Lease<F>) -> Self {
        self.lease = Some(lease);
        self
    }

    /// Lets a response pass through unread, on these terms. `members` reads it.
    pub fn passing(
        mut self,
        terms: Option<Rc<PassthroughTerms>>,
        members: Option<Box<OuterMembers>>,
    ) -> Self {
        (self.terms, self.members) = (terms, members);
        self
    }

    /// Marks the response as one that the platform passes on by itself.
    pub fn passed(mut self) -> Self {
        self.is_passed = true;
        self
    }

    /// Returns the era of the server.
    pub(super) fn era(&self) -> Era {
        if self.back.is_some() { Era::Session } else { Era::Stateless }
    }

    /// Sets another time limit for each further piece of the answer, in milliseconds.
    pub fn with_patience(mut self, ms: u64) -> Self {
        self.patience_ms = ms;
        self
    }

    /// Also takes the messages that the server sends outside the answer.
    pub fn with_standalone(mut self, standalone: Option<Standalone>) -> Self {
        self.standalone = standalone;
        self
    }

    pub(super) fn back_to(&self, request: &Request) -> Back<F> {
        Back {
            endpoint: Arc::clone(&self.endpoint),
            fetch: self.fetch.clone(),
            headers: self.back.clone().unwrap_or_default(),
            method: request.method.clone(),
            id: request.id.clone(),
            clock: Rc::clone(&self.clock),
            tasks: self.client_tasks().cloned(),
        }
    }

    /// Returns the tasks of the client that the server may ask about.
    pub(super) fn client_tasks(&self) -> Option<&ClientTasks> {
        self.lease.as_ref().map(|lease| &lease.client_tasks)
    }

    /// Returns the next message; `None` if the server closed the stream and offers the rest to a client that
    /// reconnects.
    pub(super) async fn next(&mut self) -> Result<Option<Message>, RpcError> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(Some(message));
            }
            // `closed` is cleared only after the stream is open again, since this future may be dropped while it waits.
            if let Some(failure) = self.closed.clone() {
                self.resume(failure).boxed_local().await?;
                self.closed = None;
            }
            self.count(0)?;
            match self.arrival().await? {
                Arrival::Outside(message) => {
                    self.clock.message(self.fetch.now());
                    self.ready.push_back(message);
                }
                Arrival::Piece(Some(Ok(chunk))) => self.take(chunk)?,
                Arrival::Piece(Some(Err(_))) => self.closed = Some(self.endpoint.cut(&self.method)),
                Arrival::Piece(None) if self.elsewhere.is_some() && self.resumption().is_none() => {
                    // The stream is the answer to one request, whatever the id of its only response is.
                    let id = Some(self.id.as_ref().into());
                    let response = self.elsewhere.take().map(|response| Response { id, ..response });
                    self.ready.extend(response.map(Message::Response));
                }
                Arrival::Piece(None) if matches!(self.form, BodyFormat::Events(_)) => {
                    let skipped = self.skipped.take();
                    self.closed = Some(skipped.unwrap_or_else(|| self.endpoint.ended(&self.method)));
                    if self.resumption().is_some() {
                        return Ok(None);
                    }
                }
                Arrival::Piece(None) => self.end()?,
            }
        }
    }

    /// Returns the next piece of the body, or the next message outside the answer. Data that has arrived counts
    /// as in time, even if it is read late.
    async fn arrival(&mut self) -> Result<Arrival, RpcError> {
        loop {
            let left_ms = self.clock.left_ms(self.fetch.now(), self.patience_ms);
            let (chunks, standalone) = (&mut self.chunks, &mut self.standalone);
            let outside = async {
                match standalone {
                    Some(standalone) => standalone.next().await,
                    None => future::pending().await,
                }
            };
            // The body is polled first, because a message is useless after the response.
            let either = async {
                match select(chunks.next(), pin!(outside)).await {
                    Either::Left((piece, _)) => Arrival::Piece(piece),
                    Either::Right((message, _)) => Arrival::Outside(message),
                }
            };
            if let Some(arrival) = within(&self.fetch, left_ms, either).await {
                if matches!(arrival, Arrival::Piece(_)) {
                    self.clock.piece(self.fetch.now());
                }
                return Ok(arrival);
            }
            if let Some(late) = self.late() {
                return Err(late);
            }
        }
    }

    /// Returns the error for a late answer, if it is late.
    pub(super) fn late(&self) -> Option<RpcError> {
        Some(match self.clock.late(self.fetch.now(), self.patience_ms)? {
            Timeout::Silent => self.endpoint.silent(&self.method, self.patience_ms),
            Timeout::Incomplete => self.endpoint.incomplete(&self.method, self.patience_ms),
            Timeout::Endless(ms) => self.endpoint.unfinished(&self.method, ms),
        })
    }

    /// Returns the number of bytes that the answer holds.
    fn held(&self) -> usize {
        let unread = match &self.form {
            BodyFormat::Json(body) => body.capacity(),
            BodyFormat::Events(parser) => parser.held(),
        };
        unread + self.ready.iter().map(Message::len).sum::<usize>()
    }

    /// Counts the bytes that the answer holds, with `more` that are about to be added.
    fn count(&self, more: usize) -> Result<(), RpcError> {
        let held = self.held() + more;
        self.memory.iter().try_for_each(|memory| memory.resize(held, self.fetch.now()))
    }

    /// Adds a piece to the body, and returns the events that it completes.
    fn append(&mut self, chunk: Vec<u8>) -> Result<Vec<Frame>, RpcError> {
        let too_large = || self.endpoint.too_large(&self.method, MAX_ANSWER);
        let more = match &self.form {
            BodyFormat::Json(body) if body.len() + chunk.len() > MAX_ANSWER => return Err(too_large()),
            BodyFormat::Json(body) => growth(body, chunk.len()),
            BodyFormat::Events(_) => chunk.len(),
        };
        self.count(more)?;
        let mut frames = Vec::new();
        match &mut self.form {
            // Most bodies arrive complete.
            BodyFormat::Json(body) if body.is_empty() => *body = chunk,
            BodyFormat::Json(body) => {
                body.reserve_exact((body.capacity() + more).saturating_sub(body.len()));
                body.extend_from_slice(&chunk);
            }
            BodyFormat::Events(parser) => parser.push(&chunk, &mut frames).map_err(|_| too_large())?,
        }
        Ok(frames)
    }

    fn take(&mut self, chunk: Vec<u8>) -> Result<(), RpcError> {
        self.note(&chunk);
        for frame in self.append(chunk)? {
            let message = matches!(frame.event.as_slice(), b"" | b"message");
            // An event without data starts a stream that can be resumed. Servers on the official SDK store it as `{}`,
            // and may send that when the stream is resumed.
            let begins = frame.data.is_empty() || frame.data == b"{}" && self.resumption().is_some();
            if message && !begins {
                let mut data = frame.data;
                if let Some(response) = self.whole(&mut data) {
                    self.ready.push_back(response);
                    continue;
                }
                match self.read(data) {
                    Ok(messages) => {
                        self.clock.message(self.fetch.now());
                        self.ready.extend(messages);
                    }
                    Err(failure) => self.skip(failure),
                }
            }
        }
        let beginning = self.begin_passing();
        self.ready.extend(beginning);
        Ok(())
    }

    /// Skips a message of a stream. It fails the answer only if the stream ends without a response.
    pub(super) fn skip(&mut self, failure: RpcError) {
        self.endpoint.oddities.skipped(&failure);
        self.skipped.get_or_insert(failure);
    }

    fn end(&mut self) -> Result<(), RpcError> {
        let BodyFormat::Json(body) = &mut self.form else { return Ok(()) };
        let mut body = std::mem::take(body);
        if let Some(response) = self.whole(&mut body) {
            self.ready.push_back(response);
            return Ok(());
        }
        let mut messages = self.read(body)?;
        messages.retain(|message| matches!(message, Message::Response(_)));
        self.ready.extend(messages);
        if self.ready.is_empty() { Err(self.endpoint.no_response(&self.method)) } else { Ok(()) }
    }

    fn read(&self, source: Vec<u8>) -> Result<Vec<Message>, RpcError> {
        message::read(source).map_err(|unread| match unread {
            MessageError::Json(error) => self.endpoint.unreadable(&self.method, &error),
            MessageError::Rpc => self.endpoint.not_rpc(&self.method),
        })
    }
}

/// Returns by how many bytes the capacity of a body grows for a piece: to twice its size, up to [`MAX_ANSWER`].
fn growth(body: &Vec<u8>, piece: usize) -> usize {
    let (room, needed) = (body.capacity(), body.len() + piece);
    if needed <= room { 0 } else { room.saturating_mul(2).min(MAX_ANSWER).max(needed) - room }
}
