//! Where calls wait whose client is asked something in another request: a Durable Object for each caller, a few
//! for all who are nobody in particular.

use http::{HeaderMap, Request, Uri};
use mcp_sieve::mcp::{Gateway, Room, SESSION_HEADER, principal, room};
use worker::{Env, Headers, Method, RequestInit, Response, Result, js_sys::Uint8Array};

use crate::{identity::sha256, isolate::Isolate, objects, secret};

/// The path at which the object of a room answers MCP requests.
pub(crate) const ROOM_PATH: &str = "/room";
/// Tells the object its name, and the URL that was called. No client reaches an object's path.
pub(crate) const NAME: &str = "sieve-room";
const URL: &str = "sieve-url";
/// Rooms of callers without a token.
const SHARED: u8 = 8;

/// The room in which a request is to be handled, if not anywhere.
pub(crate) async fn find(isolate: &Isolate, env: &Env, request: &Request<Vec<u8>>) -> Option<String> {
    let may_ask = isolate.gateway.as_ref().is_some_and(Gateway::may_ask);
    match may_ask.then(|| room(&isolate.key, request)).flatten()? {
        Room::Known(name) => Some(name),
        Room::Any => {
            let claims = isolate.identify(env, request).await.ok()?;
            match claims.as_deref().and_then(principal) {
                Some(principal) => Some(format!("calls.{}", sha256(principal.as_bytes()))),
                None => {
                    let [number] = secret::random::<1>().ok()?;
                    Some(format!("calls-{}", number % SHARED))
                }
            }
        }
    }
}

/// Has a request answered in a room.
pub(crate) async fn enter(env: &Env, name: &str, request: &Request<Vec<u8>>) -> Result<Response> {
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
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_headers(headers);
    init.with_body(Some(Uint8Array::from(request.body().as_slice()).into()));
    objects::session(env, name)?.fetch_with_request(objects::request(ROOM_PATH, &init)?).await
}

/// The URL that was called.
pub(crate) fn url(headers: &HeaderMap) -> Option<Uri> {
    headers.get(URL)?.to_str().ok()?.parse().ok()
}
