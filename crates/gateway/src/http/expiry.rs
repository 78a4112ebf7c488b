//! The end of an event stream when the token of its caller expires.

use futures_util::StreamExt;
use http::Response;
use serde_json::{Map, Value};

use crate::{
    config::{CLOCK_SKEW_S, Config},
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
    let Some(expires) = claims.and_then(|claims| claims.get("exp")?.as_f64()) else { return response };
    let skew = config.auth.as_ref().map_or(CLOCK_SKEW_S, |auth| auth.clock_skew);
    let left = (expires + skew as f64) * 1000.0 - host.now() as f64;
    let host = host.clone();
    let over = async move { host.sleep(left.clamp(0.0, MAX_TIMER_MS) as u64).await };
    response.map(|body| match body {
        Body::Events(events) => Body::Events(events.take_until(over).boxed_local()),
        whole => whole,
    })
}
