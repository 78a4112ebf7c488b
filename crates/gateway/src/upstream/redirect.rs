//! Redirects of a server. A POST is repeated at another address of the same origin, if the status tells to keep its
//! method. No header of the operator or of a caller leaves for another origin. Each request begins at the configured
//! address, since a server may redirect only some of them.

use futures_util::FutureExt;
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri, header};

use crate::upstream::{Chunks, Endpoint, Fetch, FetchError, fetch::Sent, outer_members::OuterMembers};

/// Maximum number of redirects that one request follows.
pub const MAX_REDIRECTS: usize = 20;

/// A request without its address: method, headers and body.
pub(crate) type Redirected = (Method, HeaderMap, Vec<u8>);

/// Sends a request to the server, whose response may pass through unread, and follows its redirects within the same
/// origin.
///
/// # Errors
/// Returns [`FetchError`] if there is no response.
pub(crate) async fn send_through<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    (method, headers, mut body): Redirected,
    mut members: Option<Box<OuterMembers>>,
) -> Result<Sent, FetchError> {
    let mut address = endpoint.uri.clone();
    for redirects in 0.. {
        // A platform that passes responses on copies the body.
        let repeated = body.clone();
        let mut request = Request::new(body);
        *request.method_mut() = method.clone();
        *request.uri_mut() = address.clone();
        request.headers_mut().clone_from(&headers);
        let response = match members.take() {
            None => fetch.fetch(request).await?,
            Some(unread) => match fetch.fetch_through(request, unread).boxed_local().await? {
                Sent::Passed => return Ok(Sent::Passed),
                Sent::Response(response, unread) => {
                    members = unread;
                    response
                }
            },
        };
        match target(&method, &address, &response)
            .filter(|next| redirects < MAX_REDIRECTS && *next != address)
        {
            Some(next) => (address, body) = (next, repeated),
            None => return Ok(Sent::Response(response, members)),
        }
        let (from, to) = (shown(&endpoint.uri), shown(&address));
        let kind = format!("{} `{}` redirects `{from}` to `{to}`", endpoint.role, endpoint.name);
        endpoint.oddities.report(kind, "with this `url`, each request takes one step less");
    }
    Err(FetchError)
}

/// Returns the address to which a response redirects the request, if it is of the same origin.
fn target(method: &Method, address: &Uri, response: &Response<Chunks>) -> Option<Uri> {
    let keeps_method = match response.status() {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => method == Method::GET,
        _ => false,
    };
    let target = location(address, response.headers()).filter(|_| keeps_method)?;
    let port = |uri: &Uri| uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    let (from, to) = ((address.scheme_str(), port(address)), (target.scheme_str(), port(&target)));
    // The default port of `https` is the only other one, since encryption is what such a redirect adds.
    let is_same = from == to || from == (Some("http"), 80) && to == (Some("https"), 443);
    let same_host =
        address.host().zip(target.host()).is_some_and(|(one, other)| one.eq_ignore_ascii_case(other));
    (is_same && same_host).then_some(target)
}

/// Returns the `Location` of a response from `address`, as an absolute address without its fragment.
pub(crate) fn location(address: &Uri, headers: &HeaderMap) -> Option<Uri> {
    let written = headers.get(header::LOCATION)?.to_str().ok()?;
    let base = url::Url::parse(&address.to_string()).ok()?;
    let mut target = base.join(written.trim()).ok()?;
    target.set_fragment(None);
    target.as_str().parse().ok()
}

/// Returns an address without its query, which may hold a key.
pub(crate) fn shown(address: &Uri) -> String {
    let (scheme, host) = (address.scheme_str().unwrap_or_default(), address.host().unwrap_or_default());
    let port = address.port().map(|port| [":", port.as_str()].concat()).unwrap_or_default();
    [scheme, "://", host, &port, address.path()].concat()
}
