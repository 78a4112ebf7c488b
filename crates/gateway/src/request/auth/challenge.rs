//! The challenge of a rejected request, and the protected-resource metadata (RFC 9728) that it points to.

use http::{HeaderValue, Request, Response, StatusCode, header};
use serde_json::{Map, Value, json};

use crate::{
    config::{Auth, Config},
    protocol::{
        endpoint::{Endpoint, MCP_PATH, PLAIN_PATH},
        error::RpcError,
        headers::{cache_by_scheme, requested_scheme},
        response::{self, Body},
    },
    request::auth::rejection::Rejection,
};

/// The path of the protected-resource metadata. The path of the resource is appended to it.
pub const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// Returns `claims`, the claims of the request's token, unless they are absent and the configuration requires a token.
///
/// # Errors
/// 401 with a challenge that points to the metadata.
pub fn admit<T, B>(config: &Config, request: &Request<B>, claims: Option<T>) -> Result<Option<T>, RpcError> {
    match &config.auth {
        Some(auth) if auth.required && claims.is_none() => Err(Rejection::Missing.failure(auth, request)),
        _ => Ok(claims),
    }
}

/// Returns the value of `WWW-Authenticate` for a rejected request (RFC 6750, section 3; RFC 9728, section 5.1).
pub(crate) fn challenge<B>(auth: &Auth, request: &Request<B>, error: Option<&str>) -> String {
    let path = request.uri().path();
    // The lists at plain URLs belong to the endpoint's resource.
    let path = match Endpoint::from_path(path) {
        Some(endpoint) => endpoint.path,
        None if path.starts_with(PLAIN_PATH) => MCP_PATH,
        None => path,
    };
    let metadata = address(request, &format!("{METADATA_PATH}{path}"));
    let mut parts: Vec<String> = error.map(|error| format!("error=\"{error}\"")).into_iter().collect();
    if !auth.scopes.is_empty() {
        parts.push(format!("scope=\"{}\"", auth.scopes.join(" ")));
    }
    parts.push(format!("resource_metadata=\"{metadata}\""));
    format!("Bearer {}", parts.join(", "))
}

/// Returns the response to a request at [`METADATA_PATH`] or below. Returns `None` without an authorization server, and
/// for a path that is not an endpoint.
///
/// Pages of every origin may read it, because clients need it before they have a token.
pub fn metadata<B>(config: &Config, request: &Request<B>) -> Option<Response<Body>> {
    let auth = config.auth.as_ref()?;
    let path = request.uri().path().strip_prefix(METADATA_PATH)?;
    let path = match path {
        "" | "/" => MCP_PATH,
        path => Endpoint::from_path(path)?.path,
    };
    let mut document = Map::new();
    let mut set = |key: &str, value: Value| _ = document.insert(key.to_owned(), value);
    set("resource", address(request, path).into());
    set("authorization_servers", json!([auth.issuer]));
    set("bearer_methods_supported", json!(["header"]));
    set("resource_name", config.server.title.as_deref().unwrap_or(config.server.name()).into());
    if !auth.scopes.is_empty() {
        set("scopes_supported", json!(auth.scopes));
    }
    let mut response = response::json(Value::Object(document).to_string().into_bytes());
    let headers = response.headers_mut();
    cache_by_scheme(headers);
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("MCP-Protocol-Version"));
    if request.method() == http::Method::OPTIONS {
        *response.status_mut() = StatusCode::NO_CONTENT;
        return Some(response.map(|_| Body::Empty));
    }
    Some(response)
}

/// Returns a 404 response for [`METADATA_PATH`] if there is no authorization server, so that clients stop looking for
/// one. `tokens` is whether the operator issues tokens.
pub fn no_metadata(tokens: bool) -> Response<Body> {
    let description = match tokens {
        true => "this server has no authorization server: its operator hands out bearer tokens",
        false => "this server has no authorization server and takes no tokens",
    };
    let body = json!({"error": "not_found", "error_description": description});
    let mut response = response::json(body.to_string().into_bytes());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// Returns the absolute URL of `path` at the origin of the requested URL.
fn address<B>(request: &Request<B>, path: &str) -> String {
    let scheme = requested_scheme(request);
    let authority = request.uri().authority().map(http::uri::Authority::as_str).unwrap_or_default();
    format!("{scheme}://{authority}{path}")
}
