//! Responses that pass through unread. Their outer members are read in passing; what is wrong before a piece has passed is
//! left to the ordinary reader.

use std::sync::Arc;

use futures_util::{StreamExt, stream};

use crate::{
    host::{Event, Passthrough, Pieces},
    protocol::error::RpcError,
    upstream::{
        Chunks, Endpoint, Fetch, MAX_ANSWER_MS, SMALL_REPLY,
        cancellation::Cancellation,
        fetch::within,
        lease::Lease,
        message::{Message, Response},
        outer_members::{Form, Obstacle, OuterMembers},
        replies::reader::{BodyFormat, Replies},
        sse::Parser,
    },
};

/// A response of which a part has passed.
struct Passing<F: Fetch> {
    first: Option<Vec<u8>>,
    chunks: Chunks,
    /// The parser of an event stream.
    parser: Option<Parser>,
    members: Box<OuterMembers>,
    endpoint: Arc<Endpoint>,
    fetch: F,
    method: String,
    patience_ms: u64,
    /// The time at which the response is given up, in milliseconds since 1970.
    until: u64,
    cancellation: Cancellation<F>,
    /// Keeps the connection in use.
    _lease: Option<Lease<F>>,
}

impl<F: Fetch> Replies<F> {
    /// Reads the outer members of a piece of a JSON body.
    pub(super) fn note(&mut self, piece: &[u8]) {
        if let BodyFormat::Json(_) = self.form {
            self.members = self
                .members
                .take()
                .filter(|_| self.unasked.is_none())
                .and_then(|mut members| members.push(piece).is_ok().then_some(members));
        }
    }

    /// Returns the beginning of a response that is too long to be held, and right so far.
    pub(super) fn begin_passing(&mut self) -> Option<Message> {
        let first = match &mut self.form {
            BodyFormat::Json(body) if body.len() > SMALL_REPLY => {
                let members = self.members.as_ref()?;
                if !members.has_result() || members.is_closed() {
                    return None;
                }
                std::mem::take(body)
            }
            BodyFormat::Events(parser) if parser.held() > SMALL_REPLY => {
                let mut members = self.terms_members().filter(|_| self.unasked.is_none())?;
                let BodyFormat::Events(parser) = &mut self.form else { return None };
                let data = parser.unfinished_message()?;
                members.push(&data).ok()?;
                if !members.has_result() {
                    return None;
                }
                parser.begin_passing();
                self.members = Some(members);
                data
            }
            _ => return None,
        };
        Some(self.unread(first))
    }

    /// Returns a complete response, if it can pass unread.
    pub(super) fn whole(&mut self, data: &mut Vec<u8>) -> Option<Message> {
        let members = match &self.form {
            BodyFormat::Json(_) => self.members.take()?,
            BodyFormat::Events(_) => {
                let mut members = self.terms_members()?;
                members.push(data).ok()?;
                members
            }
        };
        let passes = self.unasked.is_none() && members.finish().is_ok() && members.is_complete();
        passes.then(|| self.unread(std::mem::take(data)))
    }

    fn terms_members(&self) -> Option<Box<OuterMembers>> {
        let terms = self.terms.as_ref()?;
        Some(Box::new(OuterMembers::new(&terms.id, Form::of(terms, self.era()))))
    }

    fn unread(&self, response: Vec<u8>) -> Message {
        Message::Response(Response {
            id: Some(self.id.as_ref().into()),
            outcome: Ok(response),
            is_unread: true,
        })
    }

    /// Returns the event of a response that nothing has read, with the pieces that are still to come.
    pub(super) fn passed_on(&mut self, first: Vec<u8>) -> Event {
        let Some(members) = self.members.take() else {
            self.cancellation.disarm();
            return Event::Passthrough(Passthrough::whole(first));
        };
        self.memory = None;
        let form = std::mem::replace(&mut self.form, BodyFormat::Json(Vec::new()));
        let parser = if let BodyFormat::Events(parser) = form { Some(parser) } else { None };
        let passing = Passing {
            first: Some(first),
            chunks: std::mem::replace(&mut self.chunks, stream::empty().boxed_local()),
            parser,
            members,
            endpoint: Arc::clone(&self.endpoint),
            fetch: self.fetch.clone(),
            method: self.method.clone(),
            patience_ms: self.patience_ms,
            until: self.fetch.now().saturating_add(MAX_ANSWER_MS.max(self.patience_ms)),
            cancellation: self.cancellation.take(),
            _lease: self.lease.take(),
        };
        Event::Passthrough(Passthrough::new(passing.pieces()))
    }
}

impl<F: Fetch> Passing<F> {
    fn pieces(self) -> Pieces {
        let pieces = stream::unfold(Some(self), async |passing| {
            let mut passing = passing?;
            match passing.next().await {
                Ok(Some(piece)) => Some((Ok(piece), Some(passing))),
                Ok(None) => None,
                Err(failure) => {
                    passing.endpoint.oddities.report(failure.message.clone(), "its response was cut off");
                    Some((Err(failure), None))
                }
            }
        });
        pieces.boxed_local()
    }

    /// Returns the next piece; `None` at the end of a response that was right.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, RpcError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        while !self.parser.as_ref().is_some_and(Parser::has_passed) {
            let left_ms = self.until.saturating_sub(self.fetch.now()).min(self.patience_ms);
            let late = || self.endpoint.incomplete(&self.method, self.patience_ms);
            let chunk = within(&self.fetch, left_ms, self.chunks.next()).await.ok_or_else(late)?;
            let Some(chunk) = chunk else { break };
            let chunk = chunk.map_err(|_| self.endpoint.cut(&self.method))?;
            let piece = match &mut self.parser {
                None => chunk,
                Some(parser) => parser.pass(&chunk),
            };
            self.members.push(&piece).map_err(|obstacle| self.refuse(obstacle))?;
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
        }
        if self.parser.as_ref().is_some_and(|parser| !parser.has_passed()) {
            return Err(self.endpoint.cut(&self.method));
        }
        self.members.finish().map_err(|obstacle| self.refuse(obstacle))?;
        self.cancellation.disarm();
        Ok(None)
    }

    /// Returns the error for a response that turned out to be wrong. All further ones of the server are read.
    fn refuse(&self, obstacle: Obstacle) -> RpcError {
        self.endpoint.oddities.distrust();
        self.endpoint.misshapen(&self.method, obstacle)
    }
}
