//! The HTTP headers of MCP: names, parsing and decoding.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderValue, Request, header};

use crate::protocol::error::RpcError;

pub(crate) const PROTOCOL_VERSION: &str = "MCP-Protocol-Version";
pub(crate) const METHOD: &str = "Mcp-Method";
pub(crate) const NAME: &str = "Mcp-Name";
pub(crate) const LAST_EVENT_ID: &str = "Last-Event-ID";
/// The HTTP methods of resources that are only read, for `Allow`.
pub(crate) const READ_METHODS: &str = "GET, HEAD, OPTIONS";
/// The header by which a client names its session.
pub const SESSION_ID: &str = "Mcp-Session-Id";

/// Returns the value of a header without surrounding white space. Repeated headers are joined to one value.
///
/// # Errors
/// Returns a header mismatch if the bytes are not visible ASCII.
pub(crate) fn value<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<Cow<'a, str>>, RpcError> {
    let mut joined: Option<Cow<'a, str>> = None;
    for value in headers.get_all(name) {
        let text = value.to_str().map_err(|_| RpcError::header_encoding(name, "not visible ASCII"))?;
        let text = text.trim_matches([' ', '\t']);
        joined = Some(match joined {
            Some(before) => format!("{before}, {text}").into(),
            None => text.into(),
        });
    }
    Ok(joined)
}

/// The header in which a proxy that terminates TLS names the scheme of the requested URL.
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// Marks a response with URLs of [`requested_scheme`] as one that any cache may store for an hour, for requests with
/// the same scheme only. Otherwise, a client that sends the header could have its scheme served to others.
pub(crate) fn cache_by_scheme(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    headers.insert(header::VARY, HeaderValue::from_static(FORWARDED_PROTO));
}

/// Returns the scheme of the URL that a caller requested, which `X-Forwarded-Proto` names behind a proxy. Clients can
/// send this header too, so the scheme only forms URLs that the response shows, and never admits a request.
pub(crate) fn requested_scheme<B>(request: &Request<B>) -> &str {
    let proxied = request.headers().get(FORWARDED_PROTO).and_then(|names| names.to_str().ok());
    match proxied.and_then(|names| names.split(',').next()) {
        Some(name) if name.trim().eq_ignore_ascii_case("https") => "https",
        _ => request.uri().scheme_str().unwrap_or("https"),
    }
}

/// Returns the origin of the URL that a caller requested, such as `https://gateway.example`; `None` if the request names no
/// host. As the scheme behind a proxy comes from a header, the origin only forms URLs that this caller gets.
pub fn requested_origin<B>(request: &Request<B>) -> Option<String> {
    let authority = request.uri().authority()?.as_str();
    // A login in front of the host is none of the origin.
    let host = authority.rsplit('@').next()?;
    Some([requested_scheme(request), "://", host].concat())
}

/// Decodes a header value: returns the text inside `=?base64?…?=`, or the value itself without that wrapper.
///
/// # Errors
/// Returns a header mismatch if the wrapper is complete and its content cannot be decoded.
pub(crate) fn decode<'a>(name: &str, value: &'a str) -> Result<Cow<'a, str>, RpcError> {
    let Some(inner) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(Cow::Borrowed(value));
    };
    let bytes = STANDARD.decode(inner).map_err(|_| RpcError::header_encoding(name, "not valid Base64"))?;
    let text =
        String::from_utf8(bytes).map_err(|_| RpcError::header_encoding(name, "not UTF-8 inside Base64"))?;
    Ok(Cow::Owned(text))
}

/// Returns whether `Accept` lists one media type before another. Weights are ignored, since MCP clients send none.
pub(crate) fn prefers(headers: &HeaderMap, media: &str, other: &str) -> bool {
    let lists = headers.get_all(http::header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut ranges = lists.flat_map(|list| list.split(','));
    let named = |range: &str, media: &str| range.trim().eq_ignore_ascii_case(media);
    ranges.find(|range| named(range, media) || named(range, other)).is_some_and(|range| named(range, media))
}

/// Returns whether `Accept` contains a media type, its range or `*/*`. A missing header accepts everything.
pub(crate) fn accepts(headers: &HeaderMap, media: &str) -> bool {
    let mut given = false;
    let any =
        headers.get_all(http::header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).any(|list| {
            given = true;
            list.split(',').map(|range| range.split(';').next().unwrap_or_default().trim()).any(|range| {
                range == "*/*"
                    || range.eq_ignore_ascii_case(media)
                    || range.strip_suffix("/*").is_some_and(|kind| media.starts_with(kind))
            })
        });
    any || !given
}
