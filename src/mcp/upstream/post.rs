//! One request to the server: what it carries, and how it is refused.

use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};

use crate::mcp::{
    protocol::error::RpcError,
    upstream::{AskableClient, Chunks, Endpoint, Fetch, FetchError, fetch::within, retry_after},
};

/// A request on its way to the server.
#[derive(Debug)]
pub(crate) struct OutgoingRequest<'a> {
    pub method: &'a str,
    pub id: i64,
    /// Headers beyond those that every request carries.
    pub headers: HeaderMap,
    /// JSON.
    pub params: Option<Vec<u8>>,
    /// Headers under which requests of the server's are answered; `None` where it may make none.
    pub back: Option<HeaderMap>,
    /// Who is behind the request and may be asked; `None` for the gateway's own requests.
    pub asked: Option<AskableClient>,
    /// Milliseconds for the answer to begin, and for each further piece of it; in the answer to a call, for each
    /// further message.
    pub patience_ms: u64,
}

/// A status of 4xx.
#[derive(Debug)]
pub(crate) struct HttpRejection {
    pub status: StatusCode,
    /// The JSON-RPC error in the body.
    pub error: Option<RpcError>,
    /// Whether that error names the request, so that a method of the server's has seen it.
    pub addressed: bool,
    /// The seconds after which the server wants to be asked again.
    pub retry_after: Option<u64>,
    /// What to say of it.
    pub failure: RpcError,
}

/// Sends a message that no response is due to: a notification, or the response to a request.
///
/// # Errors
/// A server that cannot be reached, does not answer in time, or answers with a status other than 2xx.
pub(crate) async fn tell<F: Fetch>(
    site: &Endpoint,
    fetch: &F,
    method: &str,
    sent: &HeaderMap,
    body: Vec<u8>,
) -> Result<(), RpcError> {
    let response = post(site, fetch, method, sent, body, site.timeout_ms).await?;
    let status = response.status();
    match status.as_u16() {
        200..=299 => Ok(()),
        401 | 403 => Err(site.unauthorized(method, status)),
        429 | 500..=599 => {
            let retry_after = retry_after::read(status, response.headers(), fetch.now());
            Err(site.status(method, status, retry_after))
        }
        _ => Err(site.foreign(method, status, response.headers())),
    }
}

/// Sends one POST, and waits until its answer begins.
///
/// # Errors
/// A server that cannot be reached or does not answer in time.
pub(crate) async fn post<F: Fetch>(
    site: &Endpoint,
    fetch: &F,
    method: &str,
    sent: &HeaderMap,
    body: Vec<u8>,
    patience_ms: u64,
) -> Result<http::Response<Chunks>, RpcError> {
    let mut request = Request::new(body);
    *request.method_mut() = Method::POST;
    *request.uri_mut() = site.uri.clone();
    let all = request.headers_mut();
    all.clone_from(&site.headers);
    all.extend(sent.clone());
    all.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    all.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    let response = within(fetch, patience_ms, fetch.fetch(request)).await;
    response.ok_or_else(|| site.late(method, patience_ms))?.map_err(|_| site.unreachable())
}

/// Opens a stream of a session, or goes on with one.
pub(crate) async fn open_stream<F: Fetch>(
    site: &Endpoint,
    fetch: &F,
    sent: &HeaderMap,
) -> Result<http::Response<Chunks>, FetchError> {
    let mut request = Request::new(Vec::new());
    *request.method_mut() = Method::GET;
    *request.uri_mut() = site.uri.clone();
    let headers = request.headers_mut();
    headers.clone_from(&site.headers);
    headers.extend(sent.clone());
    headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
    fetch.fetch(request).await
}
