//! Where a client gets a token: the challenge that a refusal carries, and the document that it points to.

use http::{HeaderValue, Request, Response, StatusCode, Uri, header};
use serde_json::{Map, Value, json};

use crate::{
    config::{Auth, Config},
    mcp::{
        http::{
            endpoint::{Endpoint, MCP_PATH, PLAIN_PATH},
            response::{self, Body},
        },
        protocol::error::RpcError,
        request::auth::rejection::Rejection,
    },
};

/// Where the document about a protected resource is: behind this goes the path of the resource.
pub const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";
/// Seconds for which the document may be kept.
const KEEP: &str = "public, max-age=3600";

/// Turns away who has no token where one is required; `claims` are those of the token there is.
///
/// # Errors
/// 401, and where to get one.
pub fn admit<T, B>(config: &Config, request: &Request<B>, claims: Option<T>) -> Result<Option<T>, RpcError> {
    match &config.auth {
        Some(auth) if auth.required && claims.is_none() => Err(Rejection::Missing.failure(auth, request)),
        _ => Ok(claims),
    }
}

/// What `WWW-Authenticate` says of a refusal (RFC 6750, section 3; RFC 9728, section 5.1).
pub(crate) fn challenge<B>(auth: &Auth, request: &Request<B>, error: Option<&str>) -> String {
    let uri = request.uri();
    // The lists as plain resources are part of what the endpoint serves.
    let path = if uri.path().starts_with(PLAIN_PATH) { MCP_PATH } else { uri.path() };
    let metadata = address(uri, &format!("{METADATA_PATH}{path}"));
    let mut parts: Vec<String> = error.map(|error| format!("error=\"{error}\"")).into_iter().collect();
    if !auth.scopes.is_empty() {
        parts.push(format!("scope=\"{}\"", auth.scopes.join(" ")));
    }
    parts.push(format!("resource_metadata=\"{metadata}\""));
    format!("Bearer {}", parts.join(", "))
}

/// Answers a request at [`METADATA_PATH`] or below; `None` where no token is taken, and so none to be got.
///
/// Anybody may read it, any page included: clients do before they have a token.
pub fn metadata<B>(config: &Config, request: &Request<B>) -> Option<Response<Body>> {
    let auth = config.auth.as_ref()?;
    let path = request.uri().path().strip_prefix(METADATA_PATH)?;
    let path = match path {
        "" | "/" => MCP_PATH,
        path => Endpoint::of(path).map(|_| path)?,
    };
    let mut document = Map::new();
    let mut say = |key: &str, value: Value| _ = document.insert(key.to_owned(), value);
    say("resource", address(request.uri(), path).into());
    say("authorization_servers", json!([auth.issuer]));
    say("bearer_methods_supported", json!(["header"]));
    say("resource_name", config.server.title.as_deref().unwrap_or(config.server.name()).into());
    if !auth.scopes.is_empty() {
        say("scopes_supported", json!(auth.scopes));
    }
    let mut response = response::json(Value::Object(document).to_string().into_bytes());
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(KEEP));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("MCP-Protocol-Version"));
    if request.method() == http::Method::OPTIONS {
        *response.status_mut() = StatusCode::NO_CONTENT;
        return Some(response.map(|_| Body::Empty));
    }
    Some(response)
}

/// Answers a request at [`METADATA_PATH`] where there is no authorization server, so that clients stop looking for one.
/// `tokens` says whether the operator hands out tokens.
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

/// A path at the place that was called.
fn address(called: &Uri, path: &str) -> String {
    let scheme = called.scheme_str().unwrap_or("https");
    let authority = called.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    format!("{scheme}://{authority}{path}")
}
