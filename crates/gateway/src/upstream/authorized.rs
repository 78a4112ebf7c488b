//! Requests with an access token. The token is requested for each request and is part of nothing that outlives it, so that
//! it reaches its server alone.

use futures_util::FutureExt;
use http::{HeaderMap, Method, Response, StatusCode, header};

use crate::{
    protocol::error::RpcError,
    upstream::{
        Chunks, Endpoint, Fetch, FetchError,
        fetch::Sent,
        outer_members::OuterMembers,
        redirect::{self, Redirected},
    },
};

/// Sends a request to the server, with a token if its `auth` requests one.
///
/// # Errors
/// Returns [`FetchError`] if there is no response, or no token.
pub(crate) async fn send<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    method: Method,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Result<Response<Chunks>, FetchError> {
    match send_through(endpoint, fetch, method, headers, body, None).await {
        Ok(Sent::Response(response, _)) => Ok(response),
        Ok(Sent::Passed) | Err(_) => Err(FetchError),
    }
}

/// Like [`send`], for a request whose response may pass through unread.
///
/// # Errors
/// `upstream_unreachable` if there is no response, and the errors of [`Fetch::authorization`].
pub(crate) async fn send_through<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    method: Method,
    headers: HeaderMap,
    body: Vec<u8>,
    members: Option<Box<OuterMembers>>,
) -> Result<Sent, RpcError> {
    let request = (method, headers, body);
    if endpoint.needs_tokens() {
        return send_with_token(endpoint, fetch, request, members).boxed_local().await;
    }
    let sent = redirect::send_through(endpoint, fetch, request, members).await;
    sent.map_err(|_| endpoint.unreachable())
}

/// Sends a request with a token. One that the server refuses is replaced once.
async fn send_with_token<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    (method, mut headers, body): Redirected,
    members: Option<Box<OuterMembers>>,
) -> Result<Sent, RpcError> {
    let mut token = fetch.authorization(&endpoint.name, None).await?;
    token.set_sensitive(true);
    headers.insert(header::AUTHORIZATION, token.clone());
    let request = (method.clone(), headers.clone(), body.clone());
    let sent = redirect::send_through(endpoint, fetch, request, members).await;
    let sent = sent.map_err(|_| endpoint.unreachable())?;
    let is_refused = match &sent {
        Sent::Response(response, _) => response.status() == StatusCode::UNAUTHORIZED,
        Sent::Passed => false,
    };
    if !is_refused {
        return Ok(sent);
    }
    let mut next = fetch.authorization(&endpoint.name, Some(&token)).await?;
    if next == token {
        return Ok(sent);
    }
    drop(sent);
    next.set_sensitive(true);
    headers.insert(header::AUTHORIZATION, next);
    let sent = redirect::send_through(endpoint, fetch, (method, headers, body), None).await;
    sent.map_err(|_| endpoint.unreachable())
}
