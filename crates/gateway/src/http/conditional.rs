//! Conditional requests of HTTP (RFC 9110): `ETag`, `If-None-Match` and `HEAD`.

use http::{
    HeaderMap, HeaderValue, Response, StatusCode,
    header::{CONTENT_LENGTH, ETAG, IF_NONE_MATCH},
};
use mcp_sieve::Digest;

use crate::protocol::response::Body;

/// Returns the response with the `ETag` of its body. If the client already has this body, the response is 304 without
/// it.
pub(crate) fn tagged(response: Response<Body>, hash: u128, requested: &HeaderMap) -> Response<Body> {
    let tag = format!("\"{}\"", Digest::hex(hash));
    let mut response = match is_known(requested, &tag) {
        true => {
            let mut response = Response::new(Body::Empty);
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        }
        false => response,
    };
    response.headers_mut().extend(HeaderValue::from_str(&tag).map(|tag| (ETAG, tag)));
    response
}

/// Returns the response to `HEAD`: the same headers, without the body.
pub(crate) fn without_body(mut response: Response<Body>) -> Response<Body> {
    if let Body::Json(json) = response.body() {
        let length = json.len();
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    response.map(|_| Body::Empty)
}

/// Returns whether the client has the body with this tag. Tags are compared weakly, since a proxy that compresses the
/// body marks its tag as weak.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    lists
        .flat_map(|list| list.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}
