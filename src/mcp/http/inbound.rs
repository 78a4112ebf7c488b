//! A request whose body is read once: what it holds, what it counts for, and where the call waits that it goes on with.

use std::ops::Range;

use http::{Method as Verb, Request};

use crate::{
    mcp::{
        call::suspended_calls::{self, CallHome},
        host::rate_limit::Weight,
        http::intake::check_length,
        protocol::{
            error::RpcError,
            message::{Incoming, Post},
            method::Method,
        },
    },
    seal::Key,
};

/// A request with its body read. All that answers it shares this reading.
#[derive(Debug)]
pub struct Inbound<'a> {
    request: &'a Request<Vec<u8>>,
    /// What the body of a POST is, or why it cannot be read; none for another verb, whose body has no meaning.
    post: Option<Result<Post<'a>, RpcError>>,
}

impl<'a> Inbound<'a> {
    /// Reads a request. A body that is no message is found here, and refused by [`handle`](crate::mcp::handle) in its
    /// turn.
    pub fn read(request: &'a Request<Vec<u8>>) -> Self {
        let read = || check_length(request.body().len()).and_then(|()| Post::read(request.body()));
        Self { request, post: (request.method() == Verb::POST).then(read) }
    }

    /// Returns the request.
    pub fn request(&self) -> &'a Request<Vec<u8>> {
        self.request
    }

    /// Returns what the body of a POST is; nothing for another verb.
    ///
    /// # Errors
    /// A body that is too long, no JSON, or no JSON-RPC.
    pub(crate) fn post(&self) -> Option<Result<&Post<'a>, RpcError>> {
        self.post.as_ref().map(|post| post.as_ref().map_err(Clone::clone))
    }

    /// Returns where the body holds the id, of a single request.
    pub fn id_range(&self) -> Option<Range<usize>> {
        let Some(Ok(Post::One(Incoming::Message(message)))) = &self.post else { return None };
        let id = message.id?.get();
        let start = id.as_ptr().addr().checked_sub(self.request.body().as_ptr().addr())?;
        Some(start..start + id.len())
    }

    /// Returns what the request counts for; one that cannot be read counts as any other.
    pub fn weight(&self) -> Weight {
        let (messages, listens) = match &self.post {
            Some(Ok(Post::Batch(messages))) => (u32::try_from(messages.len()).unwrap_or(u32::MAX), false),
            Some(Ok(Post::One(Incoming::Message(message)))) => (1, message.known == Some(Method::Listen)),
            _ => (1, false),
        };
        Weight { messages: messages.max(1), busy: self.post.is_some() && !listens }
    }

    /// Returns where the request is to be answered; `None` where any place will do. Its call waits somewhere, by a token
    /// that `key` has sealed, or may come to wait.
    pub fn suspended_call(&self, key: &Key) -> Option<CallHome> {
        match &self.post {
            Some(Ok(Post::One(Incoming::Message(message)))) => suspended_calls::home(key, message),
            _ => None,
        }
    }
}
