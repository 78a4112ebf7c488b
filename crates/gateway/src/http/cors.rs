//! Origin checks for web pages (CORS), and checks of the host name against DNS rebinding.

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header, uri::Scheme};

use crate::{
    config::Config,
    host::{Host, audit},
    protocol::{
        error::RpcError,
        response::{self, Body},
    },
};

/// The request headers that a page may send. Wildcards do not cover `Authorization`, so each header is listed.
const ALLOWED: &str = "Authorization, DPoP, Content-Type, Accept, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, X-MCP-Toolsets, X-MCP-Tools, X-MCP-Exclude-Tools, X-MCP-Readonly, X-MCP-Tags-Include, X-MCP-Tags-Exclude";
/// The response headers that a page may read.
const EXPOSED: &str = "ETag, Mcp-Session-Id, Retry-After, WWW-Authenticate";
/// The prefix of the headers for tool arguments. Their names depend on the server's tools, so a preflight grants those
/// that it asks for.
const PARAM_PREFIX: &str = "mcp-param-";

/// Answers a request with `answer` if it comes from no page or from an allowed page, and lets that page read the
/// response.
pub(crate) async fn guard<H: Host, B>(
    config: &Config,
    host: &H,
    request: &Request<B>,
    answer: impl AsyncFnOnce() -> Response<Body>,
) -> Response<Body> {
    let origin = match check(request, config) {
        Ok(origin) => origin,
        Err(failure) => {
            audit::note(host, None, request.method().as_str(), &failure);
            return response::refusal(&failure, None);
        }
    };
    // A browser sends the preflight before any token.
    let mut response = match *request.method() {
        Method::OPTIONS => preflight(request.headers()),
        _ => answer().await,
    };
    if let Some(origin) = origin {
        grant(&mut response, origin);
    }
    response
}

/// Returns the `Origin` of the request, if it belongs to a page that may call this server.
///
/// # Errors
/// Returns 403 for every other page, and for a host name that is not one of this server's. Otherwise, a page could
/// point its own host name at a server on its reader's machine and call it as its own. A request without `Origin` does
/// not come from a page and passes.
pub(crate) fn check<B>(request: &Request<B>, config: &Config) -> Result<Option<HeaderValue>, RpcError> {
    check_host(request, config)?;
    let (headers, called) = (request.headers(), called(request));
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(None) };
    let text = origin.to_str().unwrap_or_default();
    let (scheme, page) = text.split_once("://").unwrap_or_default();
    let listed = config.origins.iter().any(|origin| origin == "*" || origin.eq_ignore_ascii_case(text));
    // Without TLS, a page under any name can point that name here. Both headers then agree.
    let own = scheme.eq_ignore_ascii_case("https") && !page.is_empty() && page.eq_ignore_ascii_case(called);
    if listed || own || (is_loopback(page) && is_loopback(called)) {
        return Ok(Some(origin.clone()));
    }
    let message = format!("origin `{text}` may not call this server");
    Err(RpcError::request(StatusCode::FORBIDDEN, "origin", message).denied("origin"))
}

/// Checks that the host name of a request is one of this server's (`hosts`). An entry point calls this for everything
/// it serves beside MCP and lists.
///
/// # Errors
/// Returns 403 for another name.
pub fn check_host<B>(request: &Request<B>, config: &Config) -> Result<(), RpcError> {
    let called = called(request);
    let own = |name: &String| name.eq_ignore_ascii_case(called) || name.eq_ignore_ascii_case(host(called));
    if config.hosts.is_empty() || config.hosts.iter().any(own) {
        return Ok(());
    }
    let message = format!("`{called}` is not a host name of this server");
    Err(RpcError::request(StatusCode::FORBIDDEN, "host", message).denied("host"))
}

/// Checks that a request which needs neither a token nor a POST cannot come from a page whose host name was pointed at
/// this server (DNS rebinding). Such a page reads without `Origin`, over plain HTTP, and by a name: one with a dot from
/// anywhere, one of a single label within a local network, whose names any machine in it can claim.
///
/// # Errors
/// Returns 403 for such a request if no `hosts` are configured. Addresses and the names of this machine pass.
pub(crate) fn check_rebinding<B>(request: &Request<B>, config: &Config) -> Result<(), RpcError> {
    let called = called(request);
    let name = host(called);
    let address = name.starts_with('[') || name.parse::<std::net::Ipv4Addr>().is_ok();
    let plain = request.uri().scheme() == Some(&Scheme::HTTP);
    if !config.hosts.is_empty() || !plain || address || is_loopback(called) {
        return Ok(());
    }
    let message =
        format!("`{called}` over plain HTTP, expected a name that the operator configured in `hosts`");
    Err(RpcError::request(StatusCode::FORBIDDEN, "host", message).denied("host"))
}

/// Returns the authority that a request is sent to.
fn called<B>(request: &Request<B>) -> &str {
    let header = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    header.or_else(|| request.uri().authority().map(http::uri::Authority::as_str)).unwrap_or_default()
}

/// Returns an authority without its port.
fn host(authority: &str) -> &str {
    authority.rsplit_once(':').map_or(authority, |(host, port)| {
        if port.chars().all(|c| c.is_ascii_digit()) { host } else { authority }
    })
}

/// Returns whether an authority names this machine. Pages under development may call servers under development.
fn is_loopback(authority: &str) -> bool {
    let host = host(authority);
    matches!(host, "localhost" | "127.0.0.1" | "[::1]") || host.ends_with(".localhost")
}

/// Returns the response to a CORS preflight.
pub(crate) fn preflight(requested: &HeaderMap) -> Response<Body> {
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = StatusCode::NO_CONTENT;
    let requested_headers =
        requested.get(header::ACCESS_CONTROL_REQUEST_HEADERS).and_then(|list| list.to_str().ok());
    let params = requested_headers.unwrap_or_default().split(',').map(str::trim).filter(|name| {
        name.get(..PARAM_PREFIX.len()).is_some_and(|prefix| prefix.eq_ignore_ascii_case(PARAM_PREFIX))
            && HeaderName::from_bytes(name.as_bytes()).is_ok()
    });
    let names = params.fold(ALLOWED.to_owned(), |names, name| format!("{names}, {name}"));
    let headers = response.headers_mut();
    if let Ok(names) = HeaderValue::from_str(&names) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    }
    let methods = [Method::GET, Method::POST, Method::DELETE].map(|method| method.to_string()).join(", ");
    if let Ok(methods) = HeaderValue::from_str(&methods) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    response
}

/// Lets the calling page read the response.
pub(crate) fn grant(response: &mut Response<Body>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.insert(header::VARY, HeaderValue::from_static("Origin"));
}
