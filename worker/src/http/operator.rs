//! Endpoints for the operator's own programs, each behind a token.

use std::rc::Rc;

use http::StatusCode;
use mcp_sieve_gateway::{audit::Operation, auth::bearer_token, error::RpcError, upstream::Fetch};
use worker::{Context, Env, Request};

use super::convert;
use crate::{
    auth::sha256,
    clock,
    fetch::EdgeFetch,
    objects::{audit, rate_limit},
};

/// An endpoint behind a token.
pub(crate) struct Endpoint<'a> {
    /// The name of the endpoint in the operator's log.
    pub name: &'static str,
    /// The SHA-256 of the token, in hex.
    pub digest: &'a str,
    /// The error message for callers without the token.
    pub message: String,
}

/// Admits a request with the token of an endpoint. Digests are compared, so the time reveals nothing about the token.
///
/// # Errors
/// 401 for a token that is missing or wrong, and 429 beyond [`rate_limit::WRONG_TOKENS`] of them from one address. The
/// right token always passes: otherwise callers behind the operator's address could lock the operator out.
pub(crate) async fn admit(
    request: &Request,
    env: &Env,
    context: &Rc<Context>,
    endpoint: Endpoint<'_>,
) -> Result<(), RpcError> {
    let headers = convert::headers(request);
    if bearer_token(&headers)
        .is_some_and(|token| sha256(token.as_bytes()).eq_ignore_ascii_case(endpoint.digest))
    {
        return Ok(());
    }
    let method = request.method().to_string();
    let now = clock::now();
    let line = Operation::new(now, None, &method, Some(endpoint.name), "unauthorized");
    if let Some(work) = audit::record(env, line) {
        EdgeFetch::new(Some(Rc::clone(context))).spawn(work);
    }
    Err(match rate_limit::wrong_token(env, &headers).await {
        Some(seconds) => RpcError::too_many_requests(seconds),
        None => RpcError::request(StatusCode::UNAUTHORIZED, "unauthorized", endpoint.message),
    })
}
