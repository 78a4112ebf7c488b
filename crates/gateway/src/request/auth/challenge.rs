//! The challenge of a rejected request, and the protected-resource metadata (RFC 9728) that it points to.

use http::{HeaderValue, Request, Response, StatusCode, header};
use serde_json::{Map, Value, json};

use crate::{
    config::{Auth, Config, TokenIssuer},
    protocol::{
        endpoint::{Endpoint, MCP_PATH, PLAIN_PATH},
        error::RpcError,
        headers::{cache_by_scheme, requested_scheme},
        response::{self, Body},
    },
    request::auth::{algorithm::Algorithm, rejection::Rejection},
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

/// How a request presented the token that is rejected.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Presented<'a> {
    /// The issuer of the token, if it is known.
    pub issuer: Option<&'a TokenIssuer>,
    /// Whether the token was in a header of its own, which another system sets.
    pub in_header: bool,
    /// Whether the token came, or should have come, with a proof (RFC 9449).
    pub proof: bool,
    /// The scopes that the request needs in addition to those of the issuer.
    pub scopes: &'a [&'a str],
}

/// Returns the value of `WWW-Authenticate` for a rejected request (RFC 6750, section 3; RFC 9449, section 7.1; RFC 9728,
/// section 5.1). Returns `None` if `Authorization` holds no token of an issuer, or the rejected token was elsewhere.
pub(crate) fn challenge<B>(
    auth: &Auth,
    presented: Presented<'_>,
    request: &Request<B>,
    error: Option<&str>,
) -> Option<String> {
    if presented.in_header || !auth.reads_authorization() {
        return None;
    }
    let path = request.uri().path();
    // The lists at plain URLs belong to the endpoint's resource.
    let path = match Endpoint::from_path(path) {
        Some(endpoint) => endpoint.path,
        None if path.starts_with(PLAIN_PATH) => MCP_PATH,
        None => path,
    };
    let metadata = address(request, &format!("{METADATA_PATH}{path}"));
    let error = error.map(|error| format!("error=\"{error}\""));
    // A proof means nothing to a bearer token.
    let of_bearer = error.clone().filter(|_| !presented.proof);
    let mut parts: Vec<String> = of_bearer.into_iter().collect();
    let scopes = scopes(auth, presented);
    if !scopes.is_empty() {
        parts.push(format!("scope=\"{}\"", scopes.join(" ")));
    }
    parts.push(format!("resource_metadata=\"{metadata}\""));
    let mut challenge = format!("Bearer {}", parts.join(", "));
    // Clients that read one challenge alone read the first.
    if presented.proof {
        let parts: Vec<String> = error.into_iter().collect();
        let algorithms = format!("algs=\"{}\"", Algorithm::NAMES.join(" "));
        challenge.push_str(", DPoP ");
        challenge.push_str(&[parts, vec![algorithms]].concat().join(", "));
    }
    Some(challenge)
}

/// Returns the scopes that a request needs: those of the token's issuer, or those that all issuers want if it is not
/// known, because an authorization server may refuse the scopes of another one.
fn scopes<'a>(auth: &'a Auth, presented: Presented<'a>) -> Vec<&'a str> {
    let mut issuers = auth.of_header(None).map(|(_, issuer)| issuer);
    let first = presented.issuer.or_else(|| issuers.next());
    let others: Vec<_> = if presented.issuer.is_some() { Vec::new() } else { issuers.collect() };
    let mut scopes: Vec<&str> = Vec::new();
    for scope in first.into_iter().flat_map(|issuer| &issuer.scopes) {
        if others.iter().all(|issuer| issuer.scopes.contains(scope)) && !scopes.contains(&scope.as_str()) {
            scopes.push(scope);
        }
    }
    let more = presented.scopes.iter().filter(|scope| !scopes.contains(scope)).copied().collect::<Vec<_>>();
    [scopes, more].concat()
}

/// Returns the response to a request at [`METADATA_PATH`] or below. Returns `None` without an authorization server whose
/// tokens `Authorization` holds, and for a path that is not an endpoint.
///
/// Pages of every origin may read it, because clients need it before they have a token.
pub fn metadata<B>(config: &Config, request: &Request<B>) -> Option<Response<Body>> {
    let auth = config.auth.as_ref().filter(|auth| auth.reads_authorization())?;
    let path = request.uri().path().strip_prefix(METADATA_PATH)?;
    let path = match path {
        "" | "/" => MCP_PATH,
        path => Endpoint::from_path(path)?.path,
    };
    let mut document = Map::new();
    let mut set = |key: &str, value: Value| _ = document.insert(key.to_owned(), value);
    set("resource", address(request, path).into());
    let issuers = || auth.of_header(None).map(|(_, issuer)| issuer);
    set("authorization_servers", issuers().map(|issuer| issuer.issuer.as_str()).collect());
    set("bearer_methods_supported", json!(["header"]));
    set("dpop_signing_alg_values_supported", json!(Algorithm::NAMES));
    set("resource_name", config.server.title.as_deref().unwrap_or(config.server.name()).into());
    let mut scopes: Vec<&str> = Vec::new();
    for scope in issuers().flat_map(|issuer| &issuer.scopes) {
        if !scopes.contains(&scope.as_str()) {
            scopes.push(scope);
        }
    }
    if !scopes.is_empty() {
        set("scopes_supported", json!(scopes));
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
