//! The messages that answer one request, read one at a time from JSON or from an event stream.

pub(crate) mod clock;
mod resume;
pub(crate) mod server_requests;

use std::{collections::VecDeque, pin::pin, rc::Rc, sync::Arc};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, Either, select},
    stream::{self, LocalBoxStream},
};
use http::{HeaderMap, HeaderValue};

use crate::{
    json::Members,
    mcp::{
        call::client_requests,
        host::{Answer, Event, StreamItem},
        http::headers,
        protocol::error::RpcError,
        upstream::{
            AskableClient, Chunks, Endpoint, Fetch, FetchError, MAX_ANSWER,
            cancellation::Cancellation,
            fetch::within,
            lease::Lease,
            message::{self, Message, MessageError, Request, Response},
            post::OutgoingRequest,
            replies::{
                clock::{Clock, Timeout},
                server_requests::{Back, instead, obstacle},
            },
            sse::Parser,
            standalone::Standalone,
        },
    },
};

/// An answer in progress.
pub(crate) struct Replies<F: Fetch> {
    site: Arc<Endpoint>,
    fetch: F,
    method: String,
    id: i64,
    back: Option<HeaderMap>,
    asked: Option<AskableClient>,
    /// The reason why a request of the server could not be sent to the client.
    unasked: Option<RpcError>,
    cancellation: Cancellation<F>,
    patience_ms: u64,
    clock: Rc<Clock>,
    /// The id of the session that the response opens.
    pub session: Option<HeaderValue>,
    chunks: Chunks,
    form: BodyFormat,
    /// Messages that were parsed and not yet returned.
    ready: VecDeque<Message>,
    /// Requests of the server that still need a response from the gateway.
    owed: VecDeque<Request>,
    /// The error for a stream that closed before the response; returned unless the stream can be resumed.
    closed: Option<RpcError>,
    /// The connection that carries the answer.
    lease: Option<Lease<F>>,
    /// The standalone stream, on which the server may also send requests.
    standalone: Option<Standalone>,
}

/// The next item from the server.
enum Arrival {
    /// A piece of the body; `None` at its end.
    Piece(Option<Result<Vec<u8>, FetchError>>),
    /// A request of the server on the standalone stream.
    Request(Request),
}

enum BodyFormat {
    Json(Vec<u8>),
    Events(Parser),
}

impl<F: Fetch> Replies<F> {
    /// Creates the reader of `chunks`, the body of an event stream or of JSON.
    pub fn new(
        site: &Arc<Endpoint>,
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
            site: Arc::clone(site),
            fetch: fetch.clone(),
            method: ask.method.to_owned(),
            id: ask.id,
            back: ask.back.clone(),
            asked: ask.asked.clone(),
            unasked: None,
            cancellation,
            patience_ms: ask.patience_ms,
            clock: Rc::new(Clock::new(fetch.now())),
            session,
            chunks,
            form,
            ready: VecDeque::new(),
            owed: VecDeque::new(),
            closed: None,
            lease: None,
            standalone: None,
        }
    }

    /// Keeps the connection in use until the answer ends.
    pub fn hold(mut self, lease: Lease<F>) -> Self {
        self.lease = Some(lease);
        self
    }

    /// Sets another time limit for each further piece of the answer, in milliseconds.
    pub fn with_patience(mut self, ms: u64) -> Self {
        self.patience_ms = ms;
        self
    }

    /// Also reads requests of the server from the standalone stream of its session.
    pub fn with_standalone(mut self, standalone: Option<Standalone>) -> Self {
        self.standalone = standalone;
        self
    }

    /// Returns the response when it is complete. Earlier messages are dropped.
    ///
    /// # Errors
    /// Fails if the answer does not arrive or cannot be parsed. An error that the server returns is a response.
    pub async fn response(mut self) -> Result<Result<Vec<u8>, RpcError>, RpcError> {
        let fetch = self.fetch.clone();
        // Pieces may keep arriving without an end, such as the comments that keep a stream open.
        let ms = self.site.call_timeout_ms.max(self.patience_ms);
        let whole = async {
            loop {
                match self.event().await? {
                    Event::Notification(_) | Event::Paused(_) => {}
                    Event::Result(result) => return Ok(Ok(result)),
                    Event::Error(failure) => return Ok(Err(failure)),
                }
            }
        };
        let response = within(&fetch, ms, whole).await;
        response.unwrap_or_else(|| Err(self.site.unfinished(&self.method, ms)))
    }

    /// Returns the response alone if it is the first message and arrives soon. Otherwise returns a stream that ends
    /// with it.
    ///
    /// # Errors
    /// As for [`Replies::response`], until the first item is returned.
    pub async fn answer(mut self) -> Result<Answer, RpcError> {
        let (fetch, soon_ms) = (self.fetch.clone(), self.site.timeout_ms);
        self.clock.count_messages();
        let first = match self.form {
            BodyFormat::Json(_) => Some(self.turn().await),
            BodyFormat::Events(_) => within(&fetch, soon_ms, self.turn()).await,
        };
        let first = match first {
            Some(Ok(StreamItem::Event(Event::Result(result)))) => return Ok(Answer::Result(result)),
            Some(Ok(StreamItem::Event(Event::Error(failure)))) => return Ok(Answer::Error(failure)),
            Some(first) => Some(first?),
            None => None,
        };
        let turns = stream::unfold(Some((self, first)), async |state| {
            let (mut replies, first) = state?;
            let turn = match first {
                Some(turn) => turn,
                None => {
                    replies.turn().await.unwrap_or_else(|failure| StreamItem::Event(Event::Error(failure)))
                }
            };
            let more = match &turn {
                StreamItem::Event(event) => !event.is_last(),
                StreamItem::Request(_) => true,
                StreamItem::Task(_) => false,
            };
            Some((turn, more.then_some((replies, None))))
        });
        Ok(Answer::Dialog(turns.boxed_local()))
    }

    /// Returns a stream of all messages, with the response last.
    pub fn events(self) -> LocalBoxStream<'static, Event> {
        let events = stream::unfold(Some(self), async |replies| {
            let mut replies = replies?;
            let event = replies.event().await.unwrap_or_else(Event::Error);
            let more = !event.is_last();
            Some((event, more.then_some(replies)))
        });
        events.boxed_local()
    }

    /// Returns the next notification or the response, if no client can answer requests.
    async fn event(&mut self) -> Result<Event, RpcError> {
        loop {
            if let StreamItem::Event(event) = self.turn().await? {
                return Ok(event);
            }
        }
    }

    /// Returns the next notification, request to the client, or the response. Requests that are not for the client are
    /// answered here.
    ///
    /// The future is cancel-safe: everything that was read is stored in `self`. Moving the future between tasks instead
    /// would need timers that can move too, which not every platform has.
    async fn turn(&mut self) -> Result<StreamItem, RpcError> {
        loop {
            while let Some(request) = self.owed.front() {
                let outcome = instead(request, self.asked.as_ref());
                self.back_to(request).answer(outcome).await;
                self.owed.pop_front();
            }
            let Some(message) = self.next().await? else {
                return Ok(StreamItem::Event(Event::Paused(self.retry_ms())));
            };
            match message {
                Message::Notification(message) => return Ok(StreamItem::Event(Event::Notification(message))),
                Message::Request(_) if self.back.is_none() => {
                    return Err(self.site.request_in_answer(&self.method));
                }
                // Such a server handles each request on its own, so it would wait for the response until its time
                // limit.
                Message::Request(request)
                    if self.is_sessionless_handler()
                        && client_requests::capability(&request.method).is_some() =>
                {
                    return Err(self.site.no_session(&request.method));
                }
                Message::Request(request) => match obstacle(&request, self.asked.as_ref()) {
                    Some(Ok(())) => {
                        return Ok(StreamItem::Request(
                            self.back_to(&request).server_request(request.params),
                        ));
                    }
                    obstacle => {
                        self.unasked = self.unasked.take().or(obstacle.and_then(Result::err));
                        self.owed.push_back(request);
                    }
                },
                Message::Response(response) => return self.ended(response).map(StreamItem::Event),
            }
        }
    }

    /// Returns whether the server is a handler without sessions.
    fn is_sessionless_handler(&self) -> bool {
        self.site.in_process
            && self.back.as_ref().is_some_and(|headers| !headers.contains_key(headers::SESSION_ID))
    }

    fn ended(&mut self, response: Response) -> Result<Event, RpcError> {
        let ours = response.id == Some(self.id);
        if ours {
            self.cancellation.disarm();
        }
        match (response.outcome, self.unasked.take()) {
            // The server failed because its request could not be sent, so that is the error to report.
            (Ok(result), Some(unasked)) if ours && is_error(&result) => Ok(Event::Error(unasked)),
            (Err(_), Some(unasked)) if ours => Ok(Event::Error(unasked)),
            (Ok(result), _) if ours => Ok(Event::Result(result)),
            // A server that could not parse the request does not know its id.
            (Err(failure), _) if ours || !response.addressed => Ok(Event::Error(failure)),
            _ => Err(self.site.other_id(&self.method)),
        }
    }

    fn back_to(&self, request: &Request) -> Back<F> {
        Back {
            site: Arc::clone(&self.site),
            fetch: self.fetch.clone(),
            headers: self.back.clone().unwrap_or_default(),
            method: request.method.clone(),
            id: request.id.clone(),
            clock: Rc::clone(&self.clock),
        }
    }

    /// Returns the next message; `None` if the server closed the stream and offers the rest to a client that
    /// reconnects.
    async fn next(&mut self) -> Result<Option<Message>, RpcError> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(Some(message));
            }
            // `closed` is cleared only after the stream is open again, since this future may be dropped while it waits.
            if let Some(failure) = self.closed.clone() {
                self.resume(failure).boxed_local().await?;
                self.closed = None;
            }
            match self.arrival().await? {
                // The server is told at once, because it would wait for an answer until its time limit.
                Arrival::Request(request) if self.standalone.as_ref().is_some_and(|open| open.is_shared) => {
                    let outcome = instead(&request, self.asked.as_ref());
                    self.fetch.spawn(self.back_to(&request).answer(outcome).boxed_local());
                }
                Arrival::Request(request) => {
                    self.clock.message(self.fetch.now());
                    self.ready.push_back(Message::Request(request));
                }
                Arrival::Piece(Some(Ok(chunk))) => self.take(chunk)?,
                Arrival::Piece(Some(Err(_))) => self.closed = Some(self.site.cut(&self.method)),
                Arrival::Piece(None) if matches!(self.form, BodyFormat::Events(_)) => {
                    self.closed = Some(self.site.ended(&self.method));
                    if self.resumption().is_some() {
                        return Ok(None);
                    }
                }
                Arrival::Piece(None) => self.end()?,
            }
        }
    }

    /// Returns the next piece of the body, or the next request on the standalone stream. Data that has arrived counts
    /// as in time, even if it is read late.
    async fn arrival(&mut self) -> Result<Arrival, RpcError> {
        loop {
            let left_ms = self.clock.left_ms(self.fetch.now(), self.patience_ms);
            let (chunks, standalone) = (&mut self.chunks, &mut self.standalone);
            let request = async {
                match standalone {
                    Some(standalone) => standalone.next_request().await,
                    None => future::pending().await,
                }
            };
            // The body is polled first, because a request is useless after the response.
            let either = async {
                match select(chunks.next(), pin!(request)).await {
                    Either::Left((piece, _)) => Arrival::Piece(piece),
                    Either::Right((request, _)) => Arrival::Request(request),
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
    fn late(&self) -> Option<RpcError> {
        Some(match self.clock.late(self.fetch.now(), self.patience_ms)? {
            Timeout::Silent => self.site.silent(&self.method, self.patience_ms),
            Timeout::Incomplete => self.site.incomplete(&self.method, self.patience_ms),
            Timeout::Endless(ms) => self.site.unfinished(&self.method, ms),
        })
    }

    fn take(&mut self, chunk: Vec<u8>) -> Result<(), RpcError> {
        let too_large = || self.site.too_large(&self.method, MAX_ANSWER);
        let mut frames = Vec::new();
        match &mut self.form {
            BodyFormat::Json(body) if body.len() + chunk.len() > MAX_ANSWER => return Err(too_large()),
            // Most bodies arrive complete.
            BodyFormat::Json(body) if body.is_empty() => *body = chunk,
            BodyFormat::Json(body) => body.extend_from_slice(&chunk),
            BodyFormat::Events(parser) => parser.push(&chunk, &mut frames).map_err(|_| too_large())?,
        }
        for frame in frames {
            let message = matches!(frame.event.as_slice(), b"" | b"message");
            // An event without data starts a stream that can be resumed.
            if message && !frame.data.is_empty() {
                let messages = match self.read(frame.data) {
                    // What follows the response is never read.
                    Err(_) if self.has_response() => return Ok(()),
                    messages => messages?,
                };
                self.clock.message(self.fetch.now());
                self.ready.extend(messages);
            }
        }
        Ok(())
    }

    fn has_response(&self) -> bool {
        self.ready.iter().any(|message| matches!(message, Message::Response(_)))
    }

    fn end(&mut self) -> Result<(), RpcError> {
        let BodyFormat::Json(body) = &mut self.form else { return Ok(()) };
        let body = std::mem::take(body);
        let mut messages = self.read(body)?;
        messages.retain(|message| matches!(message, Message::Response(_)));
        self.ready.extend(messages);
        if self.ready.is_empty() { Err(self.site.no_response(&self.method)) } else { Ok(()) }
    }

    fn read(&self, source: Vec<u8>) -> Result<Vec<Message>, RpcError> {
        message::read(source).map_err(|unread| match unread {
            MessageError::Json(error) => self.site.unreadable(&self.method, &error),
            MessageError::Rpc => self.site.not_rpc(&self.method),
        })
    }
}

/// Returns whether a result reports that a tool failed.
fn is_error(result: &[u8]) -> bool {
    let members = std::str::from_utf8(result).ok().and_then(Members::parse);
    members.and_then(|members| members.get("isError")).is_some_and(|flag| flag.get() == "true")
}
