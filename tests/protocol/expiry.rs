//! Event streams end when the token of their caller expires, tested with a clock under control.

use futures_util::{FutureExt, StreamExt};
use http::{Method, Request};
use serde_json::{Map, Value, json};

use crate::{
    client::{Frames, frames_of, modern, request},
    host::World,
};

/// Returns a world that accepts signed tokens from an issuer whose clock may differ by `skew` seconds.
fn world(skew: u64) -> World {
    World::configured(json!({"auth": {"issuer": "https://login.example", "audience": ["a"],
        "jwks": "https://login.example/keys", "clockSkew": skew}}))
}

/// Returns the claims of a token that expires after this many seconds.
fn expiring(world: &World, seconds: f64) -> Map<String, Value> {
    let claims = json!({"sub": "alice", "exp": world.clock.get() as f64 / 1000.0 + seconds});
    claims.as_object().unwrap().clone()
}

/// Sends a request and returns the stream that answers it.
fn stream(world: &World, claims: &Map<String, Value>, request: &Request<Vec<u8>>) -> Frames {
    frames_of(world.run(world.handle(Ok(Some(claims)), request)).into_body())
}

fn listening() -> Request<Vec<u8>> {
    modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}), &json!({}))
}

/// Returns the stream of a new session, or of a request in it.
fn in_session(
    world: &World,
    claims: &Map<String, Value>,
    capabilities: Value,
    message: Option<Value>,
) -> Frames {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
        "clientInfo": {"name": "c", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let opened = world.run(world.handle(Ok(Some(claims)), &request(Method::POST, &[], &body)));
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let (verb, body) = message.map_or((Method::GET, Value::Null), |message| (Method::POST, message));
    stream(world, claims, &request(verb, &[("mcp-session-id", &session)], &body))
}

/// Returns whether a stream has ended, after reading what is available.
fn ended(world: &World, frames: &mut Frames) -> bool {
    loop {
        match world.run(async { frames.next().now_or_never() }) {
            Some(Some(_)) => {}
            Some(None) => return true,
            None => return false,
        }
    }
}

/// Returns whether a stream ends after exactly `ms` milliseconds.
fn ends_after(world: &World, frames: &mut Frames, ms: u64) -> bool {
    let early = ended(world, frames);
    world.advance(ms - 1);
    let early = early || ended(world, frames);
    world.advance(1);
    !early && ended(world, frames)
}

#[test]
fn who_listens_is_listened_to_no_longer_than_their_token_lasts() {
    for skew in [0, 5] {
        let world = world(skew);
        let mut frames = stream(&world, &expiring(&world, 10.0), &listening());
        assert!(ends_after(&world, &mut frames, 10_000 + skew * 1000), "clocks differ by {skew} s");
    }
}

#[test]
fn the_stream_of_a_session_ends_with_the_token_of_its_request() {
    let world = world(0);
    let mut frames = in_session(&world, &expiring(&world, 10.5), json!({}), None);
    assert!(ends_after(&world, &mut frames, 10_500));
}

/// Claims may come from another source than a token issuer; that source may read tokens too.
#[test]
fn a_token_that_something_else_has_verified_expires_with_the_usual_difference_of_clocks() {
    let world = World::configured(json!({}));
    let mut frames = stream(&world, &expiring(&world, 10.0), &listening());
    assert!(ends_after(&world, &mut frames, 70_000));
}

#[test]
fn a_token_that_expired_meanwhile_ends_its_stream_at_once() {
    let world = world(0);
    let mut frames = stream(&world, &expiring(&world, -1.0), &listening());
    assert!(ended(&world, &mut frames));
}

#[test]
fn claims_without_a_time_end_nothing() {
    let world = world(0);
    for exp in [Value::Null, json!("tomorrow"), json!(1e300)] {
        let claims = json!({"sub": "alice", "exp": exp});
        let mut frames = stream(&world, claims.as_object().unwrap(), &listening());
        assert!(!ended(&world, &mut frames), "{exp}");
        world.advance(24 * 60 * 60 * 1000);
        assert!(!ended(&world, &mut frames), "{exp}");
    }
}

/// A call that began while the token was valid continues after it expires.
#[test]
fn a_call_goes_on_when_the_token_of_its_caller_expires() {
    let world = World::named("asking");
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "interview"}});
    let claims = expiring(&world, 10.0);
    let mut frames = in_session(&world, &claims, json!({"elicitation": {}}), Some(message));
    world.advance(100_000);
    assert!(!ended(&world, &mut frames));
}
