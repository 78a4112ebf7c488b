//! The health endpoint (`/health`): whether the configuration is valid and names a server.

use worker::{Env, Method, Request, Response, Result};

use crate::deployment::Deployment;

/// The path that load balancers and container platforms probe.
pub(crate) const PATH: &str = "/health";

/// Returns 200 if the Worker can serve requests with its configuration, and 503 if it cannot: `misconfigured` if the
/// configuration is in error, and `unconfigured` if it names no MCP server.
///
/// Upstream servers are not asked: a gateway whose servers are down still answers. The details of a 503 are in the log
/// and in the answers to other requests, not here, since the path takes no token.
pub(crate) async fn report(request: &Request, env: &Env) -> Result<Response> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        let response = Response::error("expected GET or HEAD", 405)?;
        response.headers().set("allow", "GET, HEAD")?;
        return Ok(response);
    }
    let (status, state) = match Deployment::load(env).await.map(|deployment| deployment.require_server(env)) {
        Ok(Ok(())) => (200, "ok"),
        Ok(Err(_)) => (503, "unconfigured"),
        Err(_) => (503, "misconfigured"),
    };
    let response = Response::from_json(&serde_json::json!({ "status": state }))?.with_status(status);
    response.headers().set("cache-control", "no-store")?;
    Ok(response)
}
