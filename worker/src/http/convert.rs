//! Requests, responses and headers: from the platform's types to those of the `http` crate, and back.

use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use mcp_sieve::mcp::{Body, RpcError};
use worker::{Headers, Request, Response, ResponseBuilder, Result};

/// Returns the headers of a request. The platform passes each byte of a value as one character.
///
/// Values that are no text are kept: the core rejects them where they matter.
pub(crate) fn headers(request: &Request) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers() {
        let value: Vec<u8> = value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_bytes(&value)) {
            headers.append(name, value);
        }
    }
    headers
}

/// Returns headers for the platform: the inverse of [`headers`], with one character for each byte of a value.
pub(crate) fn platform_headers(headers: &HeaderMap) -> Result<Headers> {
    let converted = Headers::new();
    for (name, value) in headers {
        let value: String = value.as_bytes().iter().copied().map(char::from).collect();
        converted.append(name.as_str(), &value)?;
    }
    Ok(converted)
}

/// Returns a request without its body.
pub(crate) fn head(request: &Request) -> std::result::Result<http::Request<()>, RpcError> {
    let mut built = http::Request::builder().method(request.method().as_ref()).uri(request.inner().url());
    if let Some(all) = built.headers_mut() {
        *all = headers(request);
    }
    built.body(()).map_err(|error| {
        RpcError::request(StatusCode::BAD_REQUEST, "request", format!("the request cannot be read: {error}"))
    })
}

/// Returns a response for the platform. Event streams are sent as they are produced.
pub(crate) fn write(response: http::Response<Body>) -> Result<Response> {
    let (head, body) = response.into_parts();
    let headers = Headers::from(&head.headers);
    let builder = ResponseBuilder::new().with_status(head.status.as_u16()).with_headers(headers);
    match body {
        Body::Empty => Ok(builder.empty()),
        Body::Json(json) => Ok(builder.fixed(json)),
        Body::Events(events) => builder.from_stream(events.map(Ok::<_, worker::Error>)),
    }
}
