//! The end of an event stream with the token of its caller.

use futures_util::StreamExt;
use http::Response;
use serde_json::{Map, Value};

use crate::{
    config::{CLOCK_SKEW_S, Config},
    mcp::{host::Host, http::response::Body},
};

/// Longest time that a timer of every platform takes, in milliseconds: `setTimeout` counts in 32 bits, and rings at once
/// beyond that.
const MAX_TIMER_MS: f64 = i32::MAX as f64;

/// Ends the events of a stream that only listens when the token of its caller expires, as `exp` says and with what clocks
/// may differ by. The caller may come again with another token.
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
