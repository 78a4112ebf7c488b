//! Calls that are suspended while their client answers a question in another request. They wait in a Durable Object for
//! each caller; callers whose address is unknown too share a few.

use http::{HeaderMap, Request, Uri};
use mcp_sieve_gateway::{
    auth::{open_claims, seal_claims},
    server::{Inbound, Lease, SESSION_HEADER},
    session::CallHome,
    upstream::Gateway,
};
use serde_json::{Map, Value};
use worker::{Method, RequestInit, Response, Result, js_sys::Uint8Array};

use super::rate_limit::{Permit, known_caller};
use crate::{auth::sha256, host::EdgeHost, http::convert::platform_headers, objects, signing_key};

/// The path at which an object answers MCP requests whose calls may be suspended in it.
pub(crate) const SUSPENDED_PATH: &str = "/room";
/// Headers with the name of the object and the URL that the client called. Clients cannot reach an object's path.
pub(crate) const NAME: &str = "sieve-room";
const URL: &str = "sieve-url";
/// Header with the number under which the request counts towards `limits.concurrent`.
const PERMIT: &str = "sieve-pass";
/// Header with the claims of the caller, whose token was verified where the request arrived.
const CLAIMS: &str = "sieve-claims";
/// Number of objects that callers without a token and a known address share.
const SHARED: u8 = 8;

/// Returns the name of the object that has to handle a request, if the request cannot be handled where it arrived.
pub(crate) fn find_object(
    host: &EdgeHost,
    claims: Option<&Map<String, Value>>,
    inbound: &Inbound<'_>,
) -> Option<String> {
    let elsewhere = host.home.is_some() || host.suspended_calls.is_some();
    let may_ask = !elsewhere && host.deployment.gateway.as_deref().is_some_and(Gateway::may_ask);
    if may_ask { object_of_call(host, claims, inbound) } else { None }
}

/// Returns the object of a call's client, if an upstream server may send requests to that client.
#[inline(never)]
fn object_of_call(
    host: &EdgeHost,
    claims: Option<&Map<String, Value>>,
    inbound: &Inbound<'_>,
) -> Option<String> {
    match inbound.suspended_call(&host.deployment.key)? {
        CallHome::Known(name) => Some(name),
        CallHome::Any => match known_caller(inbound.request().headers(), claims) {
            Some(caller) => Some(format!("calls.{}", sha256(caller.as_bytes()))),
            // The calls of one person are in one place, where they share sessions at servers.
            None if host.deployment.config.upstream.one_user => Some("calls-0".to_owned()),
            None => {
                let [number] = signing_key::random::<1>().ok()?;
                Some(format!("calls-{}", number % SHARED))
            }
        },
    }
}

/// Forwards a request to an object. The body is dropped here before the object reads it.
pub(crate) async fn forward(
    host: &EdgeHost,
    name: &str,
    claims: Option<&Map<String, Value>>,
    request: Request<Vec<u8>>,
    lease: Lease,
    permit: Option<Permit>,
) -> Result<Response> {
    let headers = platform_headers(request.headers())?;
    // The object would trust this header, which was not verified here.
    headers.delete(SESSION_HEADER)?;
    headers.set(NAME, name)?;
    headers.set(URL, &request.uri().to_string())?;
    headers.delete(PERMIT)?;
    if let Some(number) = permit.and_then(Permit::hand_over) {
        headers.set(PERMIT, &number.to_string())?;
    }
    // A client's own header of this name is not passed on.
    headers.delete(CLAIMS)?;
    if let Some(claims) = claims {
        headers.set(CLAIMS, &seal_claims(&host.deployment.key, claims))?;
    }
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_headers(headers);
    init.with_body(Some(Uint8Array::from(request.body().as_slice()).into()));
    drop((request, lease));
    objects::session_object(&host.env, name)?
        .fetch_with_request(objects::request(SUSPENDED_PATH, &init)?)
        .await
}

/// Returns the number under which a forwarded request counts towards `limits.concurrent`.
pub(crate) fn permit_number(headers: &HeaderMap) -> Option<u64> {
    headers.get(PERMIT)?.to_str().ok()?.parse().ok()
}

/// Returns the claims of the caller of a forwarded request; `None` where its token is still to be verified.
pub(crate) fn verified_claims(host: &EdgeHost, headers: &HeaderMap) -> Option<Map<String, Value>> {
    host.suspended_calls.as_ref()?;
    opened_claims(host, headers)
}

#[inline(never)]
fn opened_claims(host: &EdgeHost, headers: &HeaderMap) -> Option<Map<String, Value>> {
    open_claims(&host.deployment.key, headers.get(CLAIMS)?.to_str().ok()?)
}

/// Returns the URL that the client called.
pub(crate) fn url(headers: &HeaderMap) -> Option<Uri> {
    headers.get(URL)?.to_str().ok()?.parse().ok()
}
