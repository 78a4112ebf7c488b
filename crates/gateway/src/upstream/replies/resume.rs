//! The resumption of streams that closed before their response, if the server supports it (SEP-1699).

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, StatusCode};

use crate::{
    protocol::{error::RpcError, headers},
    upstream::{
        Fetch, errors,
        fetch::within,
        post::{may_open_later, open_stream},
        replies::reader::{BodyFormat, Replies},
    },
};

/// Delay, in milliseconds, before a stream is resumed, if the server does not specify one.
const RETRY_MS: u64 = 1_000;
/// Minimum delay, in milliseconds, so that a server cannot cause requests in a tight loop.
const MIN_RETRY_MS: u64 = 50;
/// Number of times that a stream is requested again from a server that cannot be reached or is busy.
const ATTEMPTS: usize = 4;
/// Maximum length, in bytes, of an event id with which a stream is resumed.
const MAX_EVENT_ID: usize = 1_024;

impl<F: Fetch> Replies<F> {
    /// Returns the headers of the request for the rest of the stream, if it can be resumed.
    pub(super) fn resumption(&self) -> Option<HeaderMap> {
        let BodyFormat::Events(parser) = &self.form else { return None };
        let id = parser.last_event_id();
        let id = HeaderValue::from_bytes(id).ok().filter(|_| !id.is_empty() && id.len() <= MAX_EVENT_ID)?;
        let mut headers = self.back.clone()?;
        headers.insert(headers::LAST_EVENT_ID, id);
        Some(headers)
    }

    /// Returns the delay before the stream is resumed, in milliseconds.
    pub(super) fn retry_ms(&self) -> u64 {
        let requested = match &self.form {
            BodyFormat::Events(parser) => parser.retry_ms(),
            BodyFormat::Json(_) => None,
        };
        requested.unwrap_or(RETRY_MS).max(MIN_RETRY_MS)
    }

    /// Resumes the stream where it was closed. It asks [`ATTEMPTS`] times if the server cannot be reached or is busy,
    /// as it is while it has not noticed that the connection was lost. The time limit of the answer holds for all of
    /// it.
    ///
    /// # Errors
    /// Returns `failure` if the stream cannot be resumed, or the error of a failed connection or a late answer.
    pub(super) async fn resume(&mut self, failure: RpcError) -> Result<(), RpcError> {
        let Some(headers) = self.resumption() else { return Err(failure) };
        let retry_ms = self.retry_ms();
        let mut last = failure.clone();
        for _ in 0..ATTEMPTS {
            let left_ms = self.clock.left_ms(self.fetch.now(), self.patience_ms);
            if left_ms <= retry_ms {
                return Err(last);
            }
            let (endpoint, fetch) = (Arc::clone(&self.endpoint), self.fetch.clone());
            let again = async {
                fetch.sleep(retry_ms).await;
                open_stream(&endpoint, &fetch, &headers).await
            };
            let Some(response) = within(&self.fetch, left_ms, again).await else {
                return Err(self.late().unwrap_or(failure));
            };
            let Ok(response) = response else {
                last = self.endpoint.unreachable();
                continue;
            };
            let (head, chunks) = response.into_parts();
            let form = errors::media_type(&head.headers).unwrap_or_default();
            if head.status == StatusCode::OK && form.eq_ignore_ascii_case("text/event-stream") {
                if let BodyFormat::Events(parser) = &mut self.form {
                    *parser = parser.resumed();
                }
                self.chunks = chunks;
                return Ok(());
            }
            if !may_open_later(head.status) {
                return Err(failure);
            }
            last = failure.clone();
        }
        Err(last)
    }
}
