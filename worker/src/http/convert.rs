//! Requests, responses and headers: from the platform's types to those of the `http` crate, and back.

use std::borrow::Cow;

use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use mcp_sieve_gateway::{error::RpcError, server::Body};
use worker::{Headers, Request, Response, ResponseBuilder, Result};

/// Returns the headers of a request. The platform passes each byte of a value as one character.
///
/// Values that are no text are kept: the core rejects them where they matter.
pub(crate) fn headers(request: &Request) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers() {
        append(&mut headers, &name, &value);
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

/// Returns the request that the entry wrote as text: a line of method and URL, then one of each header.
pub(crate) fn parse_head(text: &str) -> std::result::Result<http::Request<()>, RpcError> {
    let mut lines = text.split('\n');
    let (method, url) = lines.next().and_then(|line| line.split_once(' ')).unwrap_or_default();
    let mut built = http::Request::builder().method(method).uri(url);
    if let Some(headers) = built.headers_mut() {
        append_lines(lines, headers);
    }
    built.body(()).map_err(|error| unreadable(&error))
}

/// Appends the headers that JavaScript wrote as text: a line of each, `name:value`.
pub(crate) fn append_lines<'a>(lines: impl Iterator<Item = &'a str>, headers: &mut HeaderMap) {
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        append(headers, name, value);
    }
}

/// Returns the headers of a message as text: a line of each name, then one of its value.
pub(crate) fn head_text(headers: &HeaderMap) -> String {
    let mut text = String::with_capacity(128);
    for (name, value) in headers {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(name.as_str());
        text.push('\n');
        text.extend(value.as_bytes().iter().copied().map(char::from));
    }
    text
}

/// Appends a header. The platform passes each byte of a value as one character.
fn append(headers: &mut HeaderMap, name: &str, value: &str) {
    let bytes: Cow<'_, [u8]> = match value.is_ascii() {
        true => value.as_bytes().into(),
        false => value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
    };
    if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_bytes(&bytes)) {
        headers.append(name, value);
    }
}

fn unreadable(error: &http::Error) -> RpcError {
    RpcError::request(StatusCode::BAD_REQUEST, "request", format!("the request cannot be read: {error}"))
}

/// Returns a request without its body.
pub(crate) fn head(request: &Request) -> std::result::Result<http::Request<()>, RpcError> {
    let mut built = http::Request::builder().method(request.method().as_ref()).uri(request.inner().url());
    if let Some(all) = built.headers_mut() {
        *all = headers(request);
    }
    built.body(()).map_err(|error| unreadable(&error))
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
        Body::Passthrough(response) => builder.from_stream(
            response.into_pieces().map(|piece| piece.map_err(|failure| worker::Error::from(failure.message))),
        ),
    }
}
