//! The interpretation of the status and content type of an answer: a reply to parse, or a refusal.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use http::StatusCode;
use mcp_sieve::{json::Object, revision::Era};

use crate::{
    protocol::{error::RpcError, headers},
    upstream::{
        Chunks, Endpoint, Fetch,
        cancellation::Cancellation,
        errors,
        fetch::{Sent, within},
        message::{self as messages, Message},
        outer_members::{Form, OuterMembers},
        post::{HttpRejection, OutgoingRequest, post_through},
        replies::Replies,
        retry_after,
    },
};

/// Maximum size, in bytes, of the body of a refusal.
const MAX_REFUSAL: usize = 1024 * 1024;

/// The server's first reaction to a request.
pub(crate) enum Accepted<F: Fetch> {
    /// The server accepted the request, and its answer follows.
    Replies(Box<Replies<F>>),
    /// The server rejected the request.
    Refused(HttpRejection),
}

/// Sends a request.
///
/// # Errors
/// Fails if the server cannot be reached, does not answer in time, rejects the gateway's credentials, or does not
/// support MCP.
pub(crate) async fn open<F: Fetch>(
    endpoint: &Arc<Endpoint>,
    fetch: &F,
    mut ask: OutgoingRequest<'_>,
) -> Result<Accepted<F>, RpcError> {
    let method = ask.method;
    let body = message(&ask.id, method, ask.params.take());
    let mut cancellation = Cancellation::new(endpoint, fetch, &ask);
    let era = if ask.back.is_some() { Era::Session } else { Era::Stateless };
    let members =
        ask.passthrough.as_ref().map(|terms| Box::new(OuterMembers::new(&terms.id, Form::of(terms, era))));
    let sent = post_through(endpoint, fetch, method, (&ask.headers, body), ask.patience_ms, members).await;
    let is_late = sent.as_ref().is_err_and(|failure| failure.reason() == Some("upstream_timeout"));
    let is_accepted = sent.as_ref().is_ok_and(|sent| match sent {
        Sent::Response(response, _) => response.status().is_success(),
        Sent::Passed => true,
    });
    if !is_late && !is_accepted {
        cancellation.disarm();
    }
    let (response, members) = match sent? {
        Sent::Response(response, members) => (response, members),
        Sent::Passed => {
            let nothing = stream::empty().boxed_local();
            let replies = Replies::new(endpoint, fetch, &ask, cancellation, nothing, false, None);
            return Ok(Accepted::Replies(Box::new(replies.passed())));
        }
    };
    let (head, chunks) = response.into_parts();
    let form = errors::media_type(&head.headers).unwrap_or_default().to_ascii_lowercase();
    // Official clients look for the beginning of the type.
    let (json, events) = (form.starts_with("application/json"), form == "text/event-stream");
    let status = head.status;
    match status.as_u16() {
        200..=299 if json || events => {
            let session = head.headers.get(headers::SESSION_ID).cloned();
            let replies = Replies::new(endpoint, fetch, &ask, cancellation, chunks, events, session);
            // Only a plain answer passes.
            let (terms, members) = match members.filter(|_| status == StatusCode::OK) {
                Some(members) => (ask.passthrough.take(), Some(members).filter(|_| json)),
                None => (None, None),
            };
            Ok(Accepted::Replies(Box::new(replies.passing(terms, members))))
        }
        401 | 403 => {
            let passes = endpoint.passes_credentials(&ask.headers);
            Err(endpoint.unauthorized(method, &http::Response::from_parts(head, ()), passes))
        }
        400..=599 => {
            let error = if json { refusal(endpoint, fetch, &ask, chunks).await? } else { None };
            let (addressed, error) = match error {
                Some((addressed, error)) => (addressed, Some(error)),
                None => (false, None),
            };
            let busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            let retry_after = retry_after::read(status, &head.headers, fetch.now());
            let failure = match &error {
                // An error with the id of the request is the server's answer, whatever the status.
                Some(error) if addressed || !busy => error.clone(),
                _ if busy => return Err(endpoint.status(method, status, retry_after)),
                _ => endpoint.foreign(method, status, &head.headers),
            };
            Ok(Accepted::Refused(HttpRejection { status, error, addressed, retry_after, failure }))
        }
        _ => Err(endpoint.foreign(method, status, &head.headers)),
    }
}

/// Returns the message of a request. The rest is inserted around the parameters, which can be long.
fn message(id: &str, method: &str, params: Option<Vec<u8>>) -> Vec<u8> {
    let mut head = Vec::with_capacity(128);
    let mut object = Object::open(&mut head);
    object.text("jsonrpc", "2.0");
    object.raw("id", id.as_bytes());
    object.text("method", method);
    let Some(mut body) = params else {
        object.close();
        return head;
    };
    object.value("params");
    body.splice(..0, head);
    body.push(b'}');
    body
}

/// Returns the JSON-RPC error in the body of a refusal, and whether it has the id of the request.
async fn refusal<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    ask: &OutgoingRequest<'_>,
    mut chunks: Chunks,
) -> Result<Option<(bool, RpcError)>, RpcError> {
    let whole = async {
        let (mut body, memory) = (Vec::new(), endpoint.replies.lease());
        while let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk.map_err(|_| endpoint.cut(ask.method))?);
            if body.len() > MAX_REFUSAL {
                return Err(endpoint.too_large(ask.method, MAX_REFUSAL));
            }
            memory.resize(body.len(), fetch.now())?;
        }
        Ok(body)
    };
    let body = within(fetch, ask.patience_ms, whole).await;
    let body = body.ok_or_else(|| endpoint.unfinished(ask.method, ask.patience_ms))??;
    let messages = messages::read(body).unwrap_or_default();
    Ok(messages.into_iter().find_map(|message| match message {
        Message::Response(response) => {
            let ours = response.answers(&ask.id);
            let error = response.outcome.err().filter(|_| ours || response.id.is_none())?;
            Some((ours, error))
        }
        _ => None,
    }))
}
