//! Outgoing HTTP requests to a server, and their refusals.

use std::rc::Rc;

use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::{
    host::PassthroughTerms,
    protocol::error::RpcError,
    upstream::{
        AskableClient, Chunks, Endpoint, Fetch, FetchError,
        authorized::{send, send_through},
        fetch::{Sent, within},
        outer_members::OuterMembers,
        retry_after,
    },
};

/// A request to the server.
#[derive(Debug)]
pub(crate) struct OutgoingRequest<'a> {
    pub method: &'a str,
    /// The id, as JSON.
    pub id: Rc<str>,
    /// The headers beyond those that every request has.
    pub headers: HeaderMap,
    /// The parameters, as JSON.
    pub params: Option<Vec<u8>>,
    /// The headers for responses to the server's own requests; `None` if it may send none.
    pub back: Option<HeaderMap>,
    /// The client to which the server may send requests; `None` for the gateway's own requests.
    pub client: Option<AskableClient>,
    /// Time limit, in milliseconds, for the answer to begin and for each further piece of it. In the answer to a call,
    /// it applies to each further message.
    pub patience_ms: u64,
    /// What the answer to a call has to be like to pass through unread; `None` if it has to be read.
    pub passthrough: Option<Rc<PassthroughTerms>>,
}

/// A response with an HTTP error status.
#[derive(Debug)]
pub(crate) struct HttpRejection {
    pub status: StatusCode,
    /// The JSON-RPC error in the body, if there is one.
    pub error: Option<RpcError>,
    /// Whether this error has the id of the request, so that a method of the server has seen the request.
    pub addressed: bool,
    /// The delay in seconds before a retry, if the server requested one.
    pub retry_after: Option<u64>,
    /// The error to return for the rejection.
    pub failure: RpcError,
}

/// Sends a message that has no response: a notification, or the response to a request.
///
/// # Errors
/// Fails if the server cannot be reached, does not answer in time, or answers with a status other than 2xx.
pub(crate) async fn send_message<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    method: &str,
    sent: &HeaderMap,
    body: Vec<u8>,
) -> Result<(), RpcError> {
    let response = post(endpoint, fetch, method, sent, body, endpoint.timeout_ms).await?;
    let status = response.status();
    match status.as_u16() {
        200..=299 => Ok(()),
        401 | 403 => Err(endpoint.unauthorized(method, &response, endpoint.passes_credentials(sent))),
        429 | 500..=599 => {
            let retry_after = retry_after::read(status, response.headers(), fetch.now());
            Err(endpoint.status(method, status, retry_after))
        }
        _ => Err(endpoint.foreign(method, status, response.headers())),
    }
}

/// Sends one POST, and waits until its answer begins.
///
/// # Errors
/// Fails if the server cannot be reached, does not answer in time, or is left out.
async fn post<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    method: &str,
    sent: &HeaderMap,
    body: Vec<u8>,
    patience_ms: u64,
) -> Result<http::Response<Chunks>, RpcError> {
    match post_through(endpoint, fetch, method, (sent, body), patience_ms, None).await? {
        Sent::Response(response, _) => Ok(response),
        Sent::Passed => Err(endpoint.unreachable()),
    }
}

/// Like [`post`], for a request whose response may pass through unread.
///
/// # Errors
/// As for [`post`].
pub(crate) async fn post_through<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    method: &str,
    (sent, body): (&HeaderMap, Vec<u8>),
    patience_ms: u64,
    members: Option<Box<OuterMembers>>,
) -> Result<Sent, RpcError> {
    if !endpoint.unset.is_empty() {
        return Err(endpoint.left_out());
    }
    let mut headers = endpoint.headers.clone();
    headers.extend(sent.clone());
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    let sending = send_through(endpoint, fetch, Method::POST, headers, body, members);
    let response = within(fetch, patience_ms, sending).await;
    response.unwrap_or_else(|| Err(endpoint.late(method, patience_ms)))
}

/// Returns whether a server that answers GET with this status may have the stream later. A server that has not noticed
/// the end of the stream before answers 409.
pub(crate) fn may_open_later(status: StatusCode) -> bool {
    let is_busy =
        matches!(status, StatusCode::CONFLICT | StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    is_busy || status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED
}

/// Opens or resumes a stream of a session.
pub(crate) async fn open_stream<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    sent: &HeaderMap,
) -> Result<http::Response<Chunks>, FetchError> {
    let mut headers = endpoint.headers.clone();
    headers.extend(sent.clone());
    headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
    send(endpoint, fetch, Method::GET, headers, Vec::new()).await
}
