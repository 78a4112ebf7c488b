//! The limits on middleware callers and on their calls per minute.

use std::{cell::Cell, rc::Rc};

use http::Request;
use mcp_sieve_gateway::middleware::Environment;
use serde_json::json;

use crate::world::{MIDDLEWARE, World, posted};

/// An environment whose time a test sets.
struct Hands(Cell<u64>);

impl Environment for Hands {
    fn now(&self) -> u64 {
        self.0.get()
    }
}

/// M-44: the operator's token is required, and requests from browsers are rejected. More calls than are allowed are
/// too.
#[test]
fn it_takes_few_callers() {
    let world = World::new(r#"{"middleware":{"callsPerMinute":2}}"#);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string().into_bytes();
    let plain =
        || Request::post("https://sieve.example/middleware").header("content-type", "application/json");
    let status = |request: http::request::Builder, body: &[u8]| {
        world.send(MIDDLEWARE, &request.body(body.to_vec()).unwrap()).0.as_u16()
    };
    assert_eq!(status(plain(), &body), 401);
    let with = || plain().header("authorization", "Bearer secret");
    assert_eq!(status(with().header("origin", "https://sieve.example"), &body), 403);
    assert_eq!(status(with().method("GET"), &[]), 405);
    assert_eq!(status(with(), &body), 200);
    let refused = |body: &[u8]| {
        let (status, answer) = world.send(MIDDLEWARE, &with().body(body.to_vec()).unwrap());
        (status.as_u16(), answer["error"]["message"].clone(), answer["error"]["data"]["reason"].clone())
    };
    assert_eq!(
        refused(&vec![b' '; 4 * 1024 * 1024 + 1]),
        (413, json!("the body is larger than 4194304 bytes"), json!("body_too_large"))
    );
    assert_eq!(refused(&body), (429, json!("more than 2 calls in a minute"), json!("rate_limit")));
}

/// M-48: a rejected call gets the time after which it may be repeated, and is answered then.
#[test]
fn calls_are_limited_by_the_minute() {
    let clock = Rc::new(Hands(Cell::new(1_759_592_520_000)));
    let world = World::with(r#"{"middleware":{"callsPerMinute":2}}"#, Rc::clone(&clock) as _);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let request = posted(&ping).body(ping.to_string().into_bytes()).unwrap();
    let called = |ahead: u64| {
        clock.0.set(clock.0.get() + ahead);
        let response = world.respond(MIDDLEWARE, &request);
        let wait = response.headers().get("retry-after").map(|wait| wait.to_str().unwrap().to_owned());
        (response.status().as_u16(), wait)
    };
    assert_eq!([called(0), called(0)], [(200, None), (200, None)]);
    assert_eq!(called(10_000), (429, Some("20".to_owned())));
    assert_eq!(called(19_000), (429, Some("1".to_owned())));
    assert_eq!([called(1_000), called(0)].map(|(status, _)| status), [200, 429]);
    assert_eq!([called(60_000), called(0), called(0)].map(|(status, _)| status), [200, 200, 429]);
}
