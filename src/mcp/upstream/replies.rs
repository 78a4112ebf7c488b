//! The messages that answer one request, read one at a time from JSON or from a stream of events.

use std::{collections::VecDeque, sync::Arc};

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};
use http::{HeaderMap, HeaderValue};

use super::{
    Chunks, Fetch, MAX_ANSWER, Site,
    exchange::{Ask, tell, within},
    message::{self, Message, Request, Unread},
    sse::Parser,
};
use crate::{
    json::Object,
    mcp::{Answer, Event, Failure},
};

/// An answer under way.
pub(super) struct Replies<F> {
    site: Arc<Site>,
    fetch: F,
    method: String,
    id: i64,
    back: Option<HeaderMap>,
    patience_ms: u64,
    /// How much of it the first piece has cost already; `None` once that has come.
    waited_ms: Option<u64>,
    /// The session that the response opens.
    pub session: Option<HeaderValue>,
    chunks: Chunks,
    form: Form,
    /// Read, and not yet handed out.
    ready: VecDeque<Message>,
    /// Requests of the server's that still need their answer.
    owed: VecDeque<Request>,
}

enum Form {
    Json(Vec<u8>),
    Events(Parser),
}

impl<F: Fetch> Replies<F> {
    /// Reads `chunks`, a stream of events or JSON.
    pub fn new(
        site: &Arc<Site>,
        fetch: &F,
        ask: &Ask<'_>,
        chunks: Chunks,
        events: bool,
        session: Option<HeaderValue>,
    ) -> Self {
        let form = if events { Form::Events(Parser::new(MAX_ANSWER)) } else { Form::Json(Vec::new()) };
        Self {
            site: Arc::clone(site),
            fetch: fetch.clone(),
            method: ask.method.to_owned(),
            id: ask.id,
            back: ask.back.clone(),
            patience_ms: ask.patience_ms,
            waited_ms: Some(0),
            session,
            chunks,
            form,
            ready: VecDeque::new(),
            owed: VecDeque::new(),
        }
    }

    /// The response, once it is whole; what precedes it is dropped.
    ///
    /// # Errors
    /// An answer that cannot be had or read; an error that the server answers with is a response.
    pub async fn response(mut self) -> Result<Result<Vec<u8>, Failure>, Failure> {
        let fetch = self.fetch.clone();
        // Pieces may come in time and yet for ever, such as the comments that keep a stream open.
        let ms = self.site.call_timeout_ms.max(self.patience_ms);
        let whole = async {
            loop {
                match self.event().await? {
                    Event::Notification(_) => {}
                    Event::Result(result) => return Ok(Ok(result)),
                    Event::Error(failure) => return Ok(Err(failure)),
                }
            }
        };
        let response = within(&fetch, ms, whole).await;
        response.unwrap_or_else(|| Err(self.site.unfinished(&self.method, ms)))
    }

    /// The response alone where it comes first and soon, else a stream that ends with it.
    ///
    /// # Errors
    /// As [`Replies::response`], for as long as nothing has been handed out.
    pub async fn answer(mut self) -> Result<Answer, Failure> {
        let (fetch, soon_ms) = (self.fetch.clone(), self.site.timeout_ms);
        let first = match self.form {
            Form::Json(_) => Some(self.event().await),
            Form::Events(_) => within(&fetch, soon_ms, self.event()).await,
        };
        match first {
            Some(Ok(Event::Result(result))) => Ok(Answer::Result(result)),
            Some(Ok(Event::Error(failure))) => Ok(Answer::Error(failure)),
            Some(Ok(first)) => Ok(self.stream(Some(first))),
            Some(Err(failure)) => Err(failure),
            None => {
                self.waited_ms = self.waited_ms.map(|_| soon_ms);
                Ok(self.stream(None))
            }
        }
    }

    fn stream(self, first: Option<Event>) -> Answer {
        let events = stream::unfold(Some((self, first)), |state| async {
            let (mut replies, first) = state?;
            let event = match first {
                Some(event) => event,
                None => replies.event().await.unwrap_or_else(Event::Error),
            };
            let more = matches!(event, Event::Notification(_));
            Some((event, more.then_some((replies, None))))
        });
        Answer::Events(events.boxed_local())
    }

    /// Every message, the response last.
    pub fn events(self) -> LocalBoxStream<'static, Event> {
        match self.stream(None) {
            Answer::Events(events) => events,
            Answer::Result(_) | Answer::Error(_) => stream::empty().boxed_local(),
        }
    }

    /// The next notification, or the response. Requests of the server's are answered on the way.
    ///
    /// Whoever drops this future loses nothing: all that has been read stays here. (Handing it from one
    /// task to another instead would need timers that follow it, which not every platform has.)
    async fn event(&mut self) -> Result<Event, Failure> {
        loop {
            while let Some(request) = self.owed.front() {
                self.decline(request).await;
                self.owed.pop_front();
            }
            match self.next().await? {
                Message::Notification(message) => return Ok(Event::Notification(message)),
                Message::Request(_) if self.back.is_none() => return Err(self.site.asks(&self.method)),
                Message::Request(request) => self.owed.push_back(request),
                Message::Response(response) => {
                    let ours = response.id == Some(self.id);
                    return match response.outcome {
                        Ok(result) if ours => Ok(Event::Result(result)),
                        // Whoever could not read a request cannot know its id.
                        Err(failure) if ours || !response.addressed => Ok(Event::Error(failure)),
                        _ => Err(self.site.other_id(&self.method)),
                    };
                }
            }
        }
    }

    /// Says that the gateway has no such method, but for `ping`. Whether the server hears it is its own
    /// affair: it knows best whether it can go on without.
    async fn decline(&self, request: &Request) {
        let mut body = Vec::new();
        let mut response = Object::open(&mut body);
        response.text("jsonrpc", "2.0");
        response.raw("id", &request.id);
        match request.method.as_str() {
            "ping" => response.raw("result", b"{}"),
            method => {
                let mut error = Object::open(response.value("error"));
                error.raw("code", b"-32601");
                error.text("message", &format!("method `{method}` not found"));
                error.close();
            }
        }
        response.close();
        let headers = self.back.clone().unwrap_or_default();
        let _ = tell(&self.site, &self.fetch, &request.method, &headers, body).await;
    }

    async fn next(&mut self) -> Result<Message, Failure> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(message);
            }
            let left_ms = self.patience_ms.saturating_sub(self.waited_ms.unwrap_or_default());
            let chunk = within(&self.fetch, left_ms, self.chunks.next()).await;
            self.waited_ms = None;
            match chunk.ok_or_else(|| self.site.silent(&self.method, self.patience_ms))? {
                Some(Ok(chunk)) => self.take(&chunk)?,
                Some(Err(_)) => return Err(self.site.cut(&self.method)),
                None => self.end()?,
            }
        }
    }

    fn take(&mut self, chunk: &[u8]) -> Result<(), Failure> {
        let too_large = || self.site.too_large(&self.method, MAX_ANSWER);
        let mut frames = Vec::new();
        match &mut self.form {
            Form::Json(body) if body.len() + chunk.len() > MAX_ANSWER => return Err(too_large()),
            Form::Json(body) => body.extend_from_slice(chunk),
            Form::Events(parser) => parser.push(chunk, &mut frames).map_err(|_| too_large())?,
        }
        for frame in frames {
            let message = matches!(frame.event.as_slice(), b"" | b"message");
            // An event without data opens a stream, for those who could resume it.
            if message && !frame.data.is_empty() {
                let messages = self.read(&frame.data)?;
                self.ready.extend(messages);
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Failure> {
        let Form::Json(body) = &mut self.form else { return Err(self.site.ended(&self.method)) };
        let body = std::mem::take(body);
        let mut messages = self.read(&body)?;
        messages.retain(|message| matches!(message, Message::Response(_)));
        self.ready.extend(messages);
        if self.ready.is_empty() { Err(self.site.no_response(&self.method)) } else { Ok(()) }
    }

    fn read(&self, source: &[u8]) -> Result<Vec<Message>, Failure> {
        message::read(source).map_err(|unread| match unread {
            Unread::Json(error) => self.site.unreadable(&self.method, &error),
            Unread::Rpc => self.site.not_rpc(&self.method),
        })
    }
}
