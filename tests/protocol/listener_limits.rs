//! Limits on the number of listeners: in all, of one caller, and of callers without an address.

use mcp_sieve_gateway::{
    server::Body,
    streams::{MAX_LISTENERS, MAX_LISTENERS_PER_CALLER, MAX_UNKNOWN_LISTENERS},
};
use serde_json::{Value, json};

use crate::{
    client::{Client, Frames, frames_of, json_of, modern, send, send_as},
    host::{ADDRESS, World},
};

/// Returns a subscription request that came from this address, if it is known.
fn listening(address: Option<&str>) -> http::Request<Vec<u8>> {
    let params = json!({"notifications": {"toolsListChanged": true}});
    let mut request = modern("subscriptions/listen", params, &json!({}));
    address.map(|address| request.headers_mut().insert(ADDRESS, address.parse().unwrap()));
    request
}

/// Opens streams until one is rejected; returns them and the reason.
fn until_refused(world: &World, token: Option<&str>, address: Option<&str>) -> (Vec<Frames>, Value) {
    let mut held = Vec::new();
    loop {
        match send_as(world, token, &listening(address)).1 {
            Body::Json(refused) => {
                let refused: Value = serde_json::from_slice(&refused).unwrap();
                return (held, refused["error"]["data"]["reason"].clone());
            }
            body => held.push(frames_of(body)),
        }
    }
}

#[test]
fn listeners_are_limited_in_all() {
    let world = World::named("watched");
    let mut held = Vec::new();
    let reason = loop {
        let address = format!("192.0.2.{}", held.len() / MAX_LISTENERS_PER_CALLER);
        match send(&world, &listening(Some(&address))).1 {
            Body::Json(_) => break json_of(send(&world, &listening(Some("198.51.100.1"))).1),
            body => held.push(body),
        }
    };
    assert_eq!(reason["error"]["data"], json!({"reason": "too_many_listeners"}));
    assert_eq!(held.len(), MAX_LISTENERS);
    held.pop();
    drop(frames_of(send(&world, &listening(Some("198.51.100.1"))).1));
}

#[test]
fn no_caller_takes_the_places_of_others() {
    let world = World::named("watched");
    let (mut alice, reason) = until_refused(&world, Some("alice-token"), Some("192.0.2.1"));
    assert_eq!((alice.len(), reason), (MAX_LISTENERS_PER_CALLER, json!("listener_limit")));
    let (elsewhere, _) = until_refused(&world, Some("alice-token"), Some("192.0.2.2"));
    assert_eq!(elsewhere.len(), 0, "a principal is one caller, wherever it calls from");
    let (stranger, reason) = until_refused(&world, None, Some("192.0.2.1"));
    assert_eq!((stranger.len(), reason), (MAX_LISTENERS_PER_CALLER, json!("listener_limit")));
    alice.pop();
    drop(frames_of(send_as(&world, Some("alice-token"), &listening(None)).1));
}

#[test]
fn callers_of_whom_nothing_is_known_leave_places_for_others() {
    let world = World::named("watched");
    let (held, reason) = until_refused(&world, None, None);
    assert_eq!((held.len(), reason), (MAX_UNKNOWN_LISTENERS, json!("listener_limit")));
    drop(frames_of(send_as(&world, Some("alice-token"), &listening(None)).1));
    drop(frames_of(send(&world, &listening(Some("192.0.2.1"))).1));
}

#[test]
fn a_session_is_no_way_around_the_limit_of_a_caller() {
    let world = World::named("watched");
    let sessions: Vec<Client> =
        (0..=MAX_UNKNOWN_LISTENERS).map(|_| Client::of(world.clone(), "2025-11-25", &json!({}))).collect();
    let held: Vec<_> = sessions.iter().map(|client| client.try_get(None)).collect();
    assert_eq!(held.iter().filter(|body| matches!(body, Body::Json(_))).count(), 1);
}
