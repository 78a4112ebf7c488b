//! One POST and what its status and content type say: a reply to read, or a refusal to judge.

use std::{pin::pin, sync::Arc};

use futures_util::{
    StreamExt,
    future::{Either, select},
};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};

use crate::{
    json::Object,
    mcp::{
        http::headers,
        protocol::error::RpcError,
        upstream::{
            AskableClient, Chunks, Endpoint, Fetch, errors,
            message::{self, Message},
            replies::Replies,
            retry_after,
        },
    },
};

/// Largest body of a refusal that is read.
const MAX_REFUSAL: usize = 1024 * 1024;

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

/// How the server took the request.
pub(crate) enum Accepted<F: Fetch> {
    /// It will respond.
    Replies(Box<Replies<F>>),
    /// It did not take it.
    Refused(HttpRejection),
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

/// Sends a request.
///
/// # Errors
/// A server that cannot be reached, does not answer in time, does not accept the gateway, or does not
/// speak the protocol.
pub(crate) async fn open<F: Fetch>(
    site: &Arc<Endpoint>,
    fetch: &F,
    ask: OutgoingRequest<'_>,
) -> Result<Accepted<F>, RpcError> {
    let method = ask.method;
    let mut body = Vec::new();
    let mut object = Object::open(&mut body);
    object.text("jsonrpc", "2.0");
    object.raw("id", ask.id.to_string().as_bytes());
    object.text("method", method);
    ask.params.iter().for_each(|params| object.raw("params", params));
    object.close();

    let response = post(site, fetch, method, &ask.headers, body, ask.patience_ms).await?;
    let (head, chunks) = response.into_parts();
    let form = errors::media_type(&head.headers).unwrap_or_default().to_ascii_lowercase();
    let (json, events) = (form == "application/json", form == "text/event-stream");
    let status = head.status;
    match status.as_u16() {
        200..=299 if json || events => {
            let session = head.headers.get(headers::SESSION_ID).cloned();
            Ok(Accepted::Replies(Box::new(Replies::new(site, fetch, &ask, chunks, events, session))))
        }
        401 | 403 => Err(site.unauthorized(method, status)),
        400..=599 => {
            let error = if json { refusal(site, fetch, &ask, chunks).await? } else { None };
            let (addressed, error) = match error {
                Some((addressed, error)) => (addressed, Some(error)),
                None => (false, None),
            };
            let busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            let retry_after = retry_after::read(status, &head.headers, fetch.now());
            let failure = match &error {
                // An error under the request's own id is the server's answer, whatever the status.
                Some(error) if addressed || !busy => error.clone(),
                _ if busy => return Err(site.status(method, status, retry_after)),
                _ => site.foreign(method, status, &head.headers),
            };
            Ok(Accepted::Refused(HttpRejection { status, error, addressed, retry_after, failure }))
        }
        _ => Err(site.foreign(method, status, &head.headers)),
    }
}

/// Sends a message that no response is due to: a notification, or the response to a request.
///
/// # Errors
/// As [`open`]; and for a status other than 2xx.
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

async fn post<F: Fetch>(
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

/// The JSON-RPC error in the body of a refusal, and whether it names the request.
async fn refusal<F: Fetch>(
    site: &Endpoint,
    fetch: &F,
    ask: &OutgoingRequest<'_>,
    mut chunks: Chunks,
) -> Result<Option<(bool, RpcError)>, RpcError> {
    let whole = async {
        let mut body = Vec::new();
        while let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk.map_err(|_| site.cut(ask.method))?);
            if body.len() > MAX_REFUSAL {
                return Err(site.too_large(ask.method, MAX_REFUSAL));
            }
        }
        Ok(body)
    };
    let body = within(fetch, ask.patience_ms, whole).await;
    let body = body.ok_or_else(|| site.unfinished(ask.method, ask.patience_ms))??;
    let messages = message::read(&body).unwrap_or_default();
    Ok(messages.into_iter().find_map(|message| match message {
        Message::Response(response) => {
            let ours = response.id == Some(ask.id);
            let error = response.outcome.err().filter(|_| ours || !response.addressed)?;
            Some((ours, error))
        }
        _ => None,
    }))
}

/// What `work` yields, unless time runs out before.
pub(crate) async fn within<T>(fetch: &impl Fetch, ms: u64, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), pin!(fetch.sleep(ms))).await {
        Either::Left((value, _)) => Some(value),
        Either::Right(_) => None,
    }
}
