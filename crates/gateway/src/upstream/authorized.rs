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

/// Like [`send`], for a request whose response may pass through unread. A token that the server refuses is replaced once.
///
/// # Errors
/// `upstream_unreachable` if there is no response, and the errors of [`Fetch::authorization`].
pub(crate) async fn send_through<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    method: Method,
    mut headers: HeaderMap,
    body: Vec<u8>,
    members: Option<Box<OuterMembers>>,
) -> Result<Sent, RpcError> {
    let lost = |_| endpoint.unreachable();
    if !endpoint.needs_tokens {
        return redirect::send_through(endpoint, fetch, (method, headers, body), members).await.map_err(lost);
    }
    let again: Redirected = (method.clone(), HeaderMap::new(), body.clone());
    let mut token = fetch.authorization(&endpoint.name, None).boxed_local().await?;
    token.set_sensitive(true);
    headers.insert(header::AUTHORIZATION, token.clone());
    let request = (method, headers.clone(), body);
    let sent = redirect::send_through(endpoint, fetch, request, members).boxed_local().await.map_err(lost)?;
    let is_refused = |sent: &Sent| match sent {
        Sent::Response(response, _) => response.status() == StatusCode::UNAUTHORIZED,
        Sent::Passed => false,
    };
    if !is_refused(&sent) {
        return Ok(sent);
    }
    let mut next = fetch.authorization(&endpoint.name, Some(&token)).boxed_local().await?;
    if next == token {
        return Ok(sent);
    }
    drop(sent);
    next.set_sensitive(true);
    headers.insert(header::AUTHORIZATION, next);
    let (method, _, body) = again;
    let request = (method, headers, body);
    redirect::send_through(endpoint, fetch, request, None).boxed_local().await.map_err(lost)
}
