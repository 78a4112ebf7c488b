//! Cancels a request at a server with sessions when it is dropped unanswered.

use std::{rc::Rc, sync::Arc};

use futures_util::FutureExt;
use http::HeaderMap;
use mcp_sieve::json::Object;

use crate::upstream::{
    Endpoint, Fetch,
    post::{OutgoingRequest, send_message},
};

/// Cancels a request at a server with sessions when it is dropped, unless the request was answered. Such a server does
/// not take a closed connection for a cancellation.
pub(crate) struct Cancellation<F: Fetch> {
    endpoint: Arc<Endpoint>,
    fetch: F,
    /// The id of the request, as JSON.
    id: Rc<str>,
    /// The headers of the session; `None` if there is nothing to cancel.
    headers: Option<HeaderMap>,
}

impl<F: Fetch> Cancellation<F> {
    pub fn new(endpoint: &Arc<Endpoint>, fetch: &F, ask: &OutgoingRequest<'_>) -> Self {
        // A handshake cannot be cancelled.
        let headers = ask.back.clone().filter(|_| ask.method != "initialize");
        Self { endpoint: Arc::clone(endpoint), fetch: fetch.clone(), id: Rc::clone(&ask.id), headers }
    }

    /// Records that the request was answered, or cannot be cancelled.
    pub fn disarm(&mut self) {
        self.headers = None;
    }

    /// Hands the cancellation over.
    pub fn take(&mut self) -> Self {
        let (endpoint, fetch, id) = (Arc::clone(&self.endpoint), self.fetch.clone(), Rc::clone(&self.id));
        Self { endpoint, fetch, id, headers: self.headers.take() }
    }
}

impl<F: Fetch> Drop for Cancellation<F> {
    fn drop(&mut self) {
        let Some(headers) = self.headers.take() else { return };
        let (endpoint, fetch, id) = (Arc::clone(&self.endpoint), self.fetch.clone(), Rc::clone(&self.id));
        self.fetch.spawn(
            async move {
                let method = "notifications/cancelled";
                let mut body = Vec::new();
                let mut message = Object::open(&mut body);
                message.text("jsonrpc", "2.0");
                message.text("method", method);
                let mut params = Object::open(message.value("params"));
                params.raw("requestId", id.as_bytes());
                params.close();
                message.close();
                let _ = send_message(&endpoint, &fetch, method, &headers, body).await;
            }
            .boxed_local(),
        );
    }
}
