//! The turns of an answer: notifications and requests of the server, then the response.

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};
use mcp_sieve::json::{self, Members};

use crate::{
    call::client_requests,
    host::{Answer, Event, Passthrough, StreamItem},
    protocol::{error::RpcError, headers},
    upstream::{
        Fetch,
        fetch::within,
        message::{Message, Response},
        replies::{
            reader::{BodyFormat, Replies},
            server_requests::{instead, obstacle},
        },
    },
};

impl<F: Fetch> Replies<F> {
    /// Returns the response when it is complete. Earlier messages are dropped.
    ///
    /// # Errors
    /// Fails if the answer does not arrive or cannot be parsed. An error that the server returns is a response.
    pub async fn response(mut self) -> Result<Result<Vec<u8>, RpcError>, RpcError> {
        let fetch = self.fetch.clone();
        // Pieces may keep arriving without an end, such as the comments that keep a stream open.
        let ms = self.endpoint.call_timeout_ms.max(self.patience_ms);
        let whole = async {
            loop {
                match self.event().await? {
                    Event::Notification(_) | Event::Paused(_) => {}
                    Event::Result(result) => return Ok(Ok(result)),
                    Event::Error(failure) => return Ok(Err(failure)),
                    // Only calls pass through.
                    Event::Passthrough(_) => return Err(self.endpoint.no_response(&self.method)),
                }
            }
        };
        let response = within(&fetch, ms, whole).await;
        response.unwrap_or_else(|| Err(self.endpoint.unfinished(&self.method, ms)))
    }

    /// Returns the response alone if it is the first message and arrives soon. Otherwise returns a stream that ends
    /// with it.
    ///
    /// # Errors
    /// As for [`Replies::response`], until the first item is returned.
    pub async fn answer(mut self) -> Result<Answer, RpcError> {
        if self.is_passed {
            self.cancellation.disarm();
            return Ok(Answer::Passthrough(Passthrough::of_platform()));
        }
        let (fetch, soon_ms) = (self.fetch.clone(), self.endpoint.timeout_ms);
        self.clock.count_messages();
        let first = match self.form {
            BodyFormat::Json(_) => Some(self.turn().await),
            BodyFormat::Events(_) => within(&fetch, soon_ms, self.turn()).await,
        };
        let first = match first {
            Some(Ok(StreamItem::Event(Event::Result(result)))) => return Ok(Answer::Result(result)),
            Some(Ok(StreamItem::Event(Event::Error(failure)))) => return Ok(Answer::Error(failure)),
            Some(Ok(StreamItem::Event(Event::Passthrough(response)))) => {
                return Ok(Answer::Passthrough(response));
            }
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
                let outcome = instead(request, self.client.as_ref());
                self.back_to(request).respond(outcome).await;
                self.owed.pop_front();
            }
            let Some(message) = self.next().await? else {
                return Ok(StreamItem::Event(Event::Paused(self.retry_ms())));
            };
            match message {
                Message::Notification(message) => return Ok(StreamItem::Event(Event::Notification(message))),
                Message::Request(_) if self.back.is_none() => {
                    return Err(self.endpoint.request_in_answer(&self.method));
                }
                // Such a server handles each request on its own, so it would wait for the response until its time
                // limit.
                Message::Request(request)
                    if self.is_sessionless_handler()
                        && client_requests::capability(&request.method).is_some() =>
                {
                    return Err(self.endpoint.no_session(&request.method));
                }
                Message::Request(request)
                    if !self.endpoint.questions && client_requests::capability(&request.method).is_some() =>
                {
                    self.unasked.get_or_insert_with(|| self.endpoint.refused_question());
                    self.owed.push_back(request);
                }
                Message::Request(request) => {
                    match obstacle(&request, self.client.as_ref(), self.client_tasks()) {
                        Some(Ok(())) => {
                            return Ok(StreamItem::Request(
                                self.back_to(&request).server_request(&request.params),
                            ));
                        }
                        obstacle => {
                            self.unasked = self.unasked.take().or(obstacle.and_then(Result::err));
                            self.owed.push_back(request);
                        }
                    }
                }
                Message::Response(Response { is_unread: true, outcome: Ok(first), .. }) => {
                    return Ok(StreamItem::Event(self.passed_on(first)));
                }
                Message::Response(response) if self.is_elsewhere(&response) => {
                    self.skip(self.endpoint.other_id(&self.method));
                    self.elsewhere.get_or_insert(response);
                }
                Message::Response(response) => return self.ended(response).map(StreamItem::Event),
            }
        }
    }

    /// Returns whether the server is a handler without sessions.
    fn is_sessionless_handler(&self) -> bool {
        self.endpoint.in_process
            && self.back.as_ref().is_some_and(|headers| !headers.contains_key(headers::SESSION_ID))
    }

    /// Returns whether a response in a stream answers another request.
    fn is_elsewhere(&self, response: &Response) -> bool {
        let is_stream = matches!(self.form, BodyFormat::Events(_));
        is_stream && !response.answers(&self.id) && (response.is_addressed() || response.outcome.is_ok())
    }

    fn ended(&mut self, response: Response) -> Result<Event, RpcError> {
        let (ours, is_addressed) = (response.answers(&self.id), response.is_addressed());
        if ours {
            self.cancellation.disarm();
            // Results for the gateway itself are processed before anything else is sent.
            let memory = self.memory.take().filter(|_| self.client.is_some());
            memory.into_iter().for_each(|memory| memory.outlast(&self.fetch));
        }
        match (response.outcome, self.unasked.take()) {
            // The server failed because its request could not be sent, so that is the error to report.
            (Ok(result), Some(unasked)) if ours && is_error(&result) => Ok(Event::Error(unasked)),
            (Err(_), Some(unasked)) if ours => Ok(Event::Error(unasked)),
            (Ok(result), _) if ours && !self.endpoint.questions && asks(&result) => {
                Ok(Event::Error(self.endpoint.refused_question()))
            }
            (Ok(result), _) if ours => Ok(Event::Result(self.endpoint.sign_result(result))),
            // A server that could not parse the request does not know its id.
            (Err(failure), _) if ours || !is_addressed => Ok(Event::Error(failure)),
            _ => Err(self.endpoint.other_id(&self.method)),
        }
    }
}

/// Returns whether a result asks the client for input: that of a call, or the state of a task.
fn asks(result: &[u8]) -> bool {
    let members = std::str::from_utf8(result).ok().and_then(Members::parse).unwrap_or_default();
    let kind = members.get("resultType").and_then(json::Raw::text);
    let requests = members.get("inputRequests").and_then(Members::read).unwrap_or_default();
    kind.is_some_and(|kind| kind == "input_required") || !requests.0.is_empty()
}

/// Returns whether a result reports that a tool failed.
fn is_error(result: &[u8]) -> bool {
    let members = std::str::from_utf8(result).ok().and_then(Members::parse);
    members.and_then(|members| members.get("isError")).is_some_and(|flag| flag.get() == "true")
}
