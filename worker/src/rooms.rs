//! Where calls wait whose client is asked something in another request: a Durable Object for each caller, a few
//! for all who are nobody in particular.

use http::{HeaderMap, Request, Uri};
use mcp_sieve::mcp::{CallHome, Gateway, Lease, SESSION_HEADER, principal, room};
use serde_json::{Map, Value};
use worker::{Env, Headers, Method, RequestInit, Response, Result, js_sys::Uint8Array};

use crate::{host::EdgeHost, identity::sha256, limits::Pass, objects, secret};

/// The path at which the object of a room answers MCP requests.
pub(crate) const ROOM_PATH: &str = "/room";
/// Tells the object its name, and the URL that was called. No client reaches an object's path.
pub(crate) const NAME: &str = "sieve-room";
const URL: &str = "sieve-url";
/// Tells the object under which number the request is counted as under way.
const PASS: &str = "sieve-pass";
/// Rooms of callers without a token.
const SHARED: u8 = 8;

/// The room in which a request is to be handled, if not where it came in.
pub(crate) fn find(
    host: &EdgeHost,
    claims: Option<&Map<String, Value>>,
    request: &Request<Vec<u8>>,
) -> Option<String> {
    let elsewhere = host.home.is_some() || host.parked.is_some();
    let may_ask = !elsewhere && host.isolate.gateway.as_ref().is_some_and(Gateway::may_ask);
    match may_ask.then(|| room(&host.isolate.key, request)).flatten()? {
        CallHome::Known(name) => Some(name),
        CallHome::Any => match claims.and_then(principal) {
            Some(principal) => Some(format!("calls.{}", sha256(principal.as_bytes()))),
            None => {
                let [number] = secret::random::<1>().ok()?;
                Some(format!("calls-{}", number % SHARED))
            }
        },
    }
}

/// Has a request answered in a room. Its body is not in memory here any more when the room reads it.
pub(crate) async fn enter(
    env: &Env,
    name: &str,
    request: Request<Vec<u8>>,
    lease: Lease,
    pass: Option<Pass>,
) -> Result<Response> {
    let headers = Headers::new();
    for (key, value) in request.headers() {
        // One character a byte, as HTTP has it.
        let value: String = value.as_bytes().iter().copied().map(char::from).collect();
        headers.append(key.as_str(), &value)?;
    }
    // Whatever it says of a session is not looked at here, and would be taken for one there.
    headers.delete(SESSION_HEADER)?;
    headers.set(NAME, name)?;
    headers.set(URL, &request.uri().to_string())?;
    headers.delete(PASS)?;
    if let Some(number) = pass.and_then(Pass::hand_over) {
        headers.set(PASS, &number.to_string())?;
    }
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_headers(headers);
    init.with_body(Some(Uint8Array::from(request.body().as_slice()).into()));
    drop((request, lease));
    objects::session(env, name)?.fetch_with_request(objects::request(ROOM_PATH, &init)?).await
}

/// The number under which a request is under way that goes on in a room.
pub(crate) fn pass(headers: &HeaderMap) -> Option<u64> {
    headers.get(PASS)?.to_str().ok()?.parse().ok()
}

/// The URL that was called.
pub(crate) fn url(headers: &HeaderMap) -> Option<Uri> {
    headers.get(URL)?.to_str().ok()?.parse().ok()
}
