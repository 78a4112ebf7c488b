//! Cancels a request at a server with sessions when it is dropped unanswered.

use std::sync::Arc;

use futures_util::FutureExt;
use http::HeaderMap;
use serde_json::json;

use crate::upstream::{
    Endpoint, Fetch,
    post::{OutgoingRequest, send_message},
};

/// Cancels a request at a server with sessions when it is dropped, unless the request was answered. Such a server does
/// not take a closed connection for a cancellation.
pub(crate) struct Cancellation<F: Fetch> {
    endpoint: Arc<Endpoint>,
    fetch: F,
    id: i64,
    /// The headers of the session; `None` if there is nothing to cancel.
    headers: Option<HeaderMap>,
}

impl<F: Fetch> Cancellation<F> {
    pub fn new(endpoint: &Arc<Endpoint>, fetch: &F, ask: &OutgoingRequest<'_>) -> Self {
        // A handshake cannot be cancelled.
        let headers = ask.back.clone().filter(|_| ask.method != "initialize");
        Self { endpoint: Arc::clone(endpoint), fetch: fetch.clone(), id: ask.id, headers }
    }

    /// Records that the request was answered, or cannot be cancelled.
    pub fn disarm(&mut self) {
        self.headers = None;
    }
}

impl<F: Fetch> Drop for Cancellation<F> {
    fn drop(&mut self) {
        let Some(headers) = self.headers.take() else { return };
        let (endpoint, fetch, id) = (Arc::clone(&self.endpoint), self.fetch.clone(), self.id);
        self.fetch.spawn(
            async move {
                let method = "notifications/cancelled";
                let body = json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": id}});
                let _ =
                    send_message(&endpoint, &fetch, method, &headers, body.to_string().into_bytes()).await;
            }
            .boxed_local(),
        );
    }
}
