//! A request whose body is parsed once: its messages, its weight for rate limits, and the location of a suspended call
//! that it resumes.

use std::ops::Range;

use http::{Method as Verb, Request};
use mcp_sieve::{json::Raw, seal::Key};

use crate::{
    call::call_home::{self, CallHome},
    host::rate_limit::{Weight, is_busy},
    http::intake::check_length,
    protocol::{
        error::RpcError,
        message::{Incoming, Post},
    },
};

/// A request whose body has been read and parsed. Everything that answers the request shares this result.
#[derive(Debug)]
pub struct Inbound<'a> {
    request: &'a Request<Vec<u8>>,
    /// The parsed body of a POST, or the reason why it cannot be parsed; `None` for other HTTP methods, whose body is
    /// ignored.
    post: Option<Result<Post<'a>, RpcError>>,
}

impl<'a> Inbound<'a> {
    /// Parses a request. If the body is not a message, [`handle`](crate::server::handle) later refuses it.
    pub fn read(request: &'a Request<Vec<u8>>) -> Self {
        let read = || check_length(request.body().len()).and_then(|()| Post::read(request.body()));
        Self { request, post: (request.method() == Verb::POST).then(read) }
    }

    /// Returns the request.
    pub fn request(&self) -> &'a Request<Vec<u8>> {
        self.request
    }

    /// Returns the parsed body of a POST; `None` for other HTTP methods.
    ///
    /// # Errors
    /// Fails if the body is too long, not JSON or not JSON-RPC.
    pub(crate) fn post(&self) -> Option<Result<&Post<'a>, RpcError>> {
        self.post.as_ref().map(|post| post.as_ref().map_err(Clone::clone))
    }

    /// Returns the byte range of the id in the body, if the body is a single message with an id.
    pub fn id_range(&self) -> Option<Range<usize>> {
        let Some(Ok(Post::One(Incoming::Message(message)))) = &self.post else { return None };
        let id = message.id?.get();
        let start = id.as_ptr().addr().checked_sub(self.request.body().as_ptr().addr())?;
        Some(start..start + id.len())
    }

    /// Returns the weight of the request for rate limits. A request that cannot be parsed counts as one message.
    pub fn weight(&self) -> Weight {
        let (messages, busy) = match &self.post {
            Some(Ok(Post::Batch(messages))) => (messages.len(), self.busy_ids().len()),
            Some(Ok(Post::One(message))) => (1, usize::from(busy_id(message).is_some())),
            _ => (1, 0),
        };
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Weight { messages: number(messages).max(1), busy: number(busy) }
    }

    /// Returns the ids, as JSON, of the requests that count towards `limits.concurrent`.
    pub fn busy_ids(&self) -> Vec<&'a str> {
        match &self.post {
            Some(Ok(Post::One(message))) => busy_id(message).into_iter().collect(),
            Some(Ok(Post::Batch(messages))) => {
                messages.iter().filter_map(|message| busy_id(&Incoming::read(*message).ok()?)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns where the request must be answered; `None` if any place will do. The request resumes a call that waits
    /// there, by a token that `key` has sealed, or it may start a call that waits.
    pub fn suspended_call(&self, key: &Key) -> Option<CallHome> {
        match &self.post {
            Some(Ok(Post::One(Incoming::Message(message)))) => call_home::home(key, message),
            _ => None,
        }
    }
}

/// Returns the id of a request that counts towards `limits.concurrent`.
fn busy_id<'a>(message: &Incoming<'a>) -> Option<&'a str> {
    let Incoming::Message(message) = message else { return None };
    message.id.filter(|_| is_busy(&message.method)).map(Raw::get)
}
