//! The end of an event stream when the token of its caller expires.

use futures_util::StreamExt;
use http::Response;
use serde_json::{Map, Value};

use crate::{
    config::{Auth, Config},
    host::Host,
    protocol::response::Body,
};

/// Longest delay that the timers of every platform support, in milliseconds. `setTimeout` counts in 32 bits and fires
/// at once beyond that.
const MAX_TIMER_MS: f64 = i32::MAX as f64;

/// Ends the events of a listening stream when the token of its caller expires, at `exp` plus the tolerated clock skew.
/// The caller can reconnect with another token.
pub(crate) fn end_with_token<H: Host>(
    config: &Config,
    host: &H,
    claims: Option<&Map<String, Value>>,
    response: Response<Body>,
) -> Response<Body> {
    let Some(claims) = claims else { return response };
    let Some(expires) = claims.get("exp").and_then(Value::as_f64) else { return response };
    let skew = Auth::clock_skew(config.auth.as_ref(), claims);
    let left = (expires + skew as f64) * 1000.0 - host.now() as f64;
    let host = host.clone();
    let over = async move { host.sleep(left.clamp(0.0, MAX_TIMER_MS) as u64).await };
    response.map(|body| match body {
        Body::Events(events) => Body::Events(events.take_until(over).boxed_local()),
        whole => whole,
    })
}
