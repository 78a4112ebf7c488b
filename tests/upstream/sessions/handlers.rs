//! Sessions with a handler in the same process.

use std::{cell::Cell, rc::Rc};

use mcp_sieve_gateway::{
    config,
    host::Freshness,
    upstream::{Gateway, MAX_FAILURES, Upstream},
};
use serde_json::json;

use super::server::{Who, begun, ended, healthy, numbered, session, who};
use crate::{
    ask::settings,
    gateway::serve,
    net::{Net, Reply},
    server::{response, result},
};

/// Returns the client for a handler in the same process.
fn handler() -> Upstream {
    Upstream::in_process(&settings()).unwrap()
}

/// A handler may learn its caller from the handshake. Callers that differ in identity or credentials therefore have
/// different sessions, and anonymous callers share none.
#[test]
fn callers_of_a_handler_have_no_session_in_common() {
    let (net, handler) = (numbered(healthy), handler());
    net.run(handler.lists(&net)).unwrap();
    let alice = who(None).with("authorization", "Bearer alice");
    let mut seen = vec!["s-1".to_owned()];
    let mut new = |who: &Who| {
        let session = session(&net, &handler, who);
        assert!(!seen.contains(&session), "{session} again");
        seen.push(session.clone());
        session
    };
    // Without a principal, a downstream session has one upstream session, and each stateless call has its own.
    let front = new(&alice.clone().with("mcp-session-id", "front-1"));
    assert_eq!(session(&net, &handler, &alice.clone().with("mcp-session-id", "front-1")), front);
    new(&alice.clone().with("mcp-session-id", "front-2"));
    new(&who(None).with("mcp-session-id", "front-1").with("authorization", "Bearer mallory"));
    new(&who(None).with("mcp-session-id", "front-1").with("authorization", "Bearer alice").stateless());
    assert_eq!(ended(&net).len(), 1);
    new(&alice.clone().stateless());
    new(&alice.clone().stateless());
    new(&who(None).stateless());
    assert_eq!(ended(&net).len(), 4, "each ended with its call");
    // With a principal, the principal and the credentials decide.
    let known = new(&who(Some("alice")).with("authorization", "Bearer 1"));
    assert_eq!(
        session(&net, &handler, &who(Some("alice")).with("authorization", "Bearer 1").stateless()),
        known
    );
    for header in ["authorization", "cookie", "proxy-authorization", "x-api-key"] {
        new(&who(Some("alice")).with(header, "2"));
    }
    new(&who(Some("bob")).with("authorization", "Bearer 1"));
    assert_eq!(ended(&net).len(), 4);
}

#[test]
fn a_handler_without_sessions_needs_one_handshake() {
    let net = Net::new(|seen| match seen.method() {
        "initialize" => result(
            seen,
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {}}),
        ),
        "server/discover" => response(400, "text/plain", "no"),
        "notifications/initialized" => response(202, "text/plain", ""),
        _ => healthy(seen),
    });
    let handler = handler();
    for caller in [who(None), who(Some("alice")), who(None).stateless(), who(None).with("cookie", "a=b")] {
        assert!(net.run(caller.call(&net, &handler)).is_ok());
    }
    assert_eq!((begun(&net), ended(&net).len()), (1, 0));
}

/// A rejection by a handler for one caller does not affect the others.
#[test]
fn a_handler_is_not_left_alone_for_what_it_refused_one_caller() {
    let net = numbered(|seen| match seen.header("x-team") {
        Some("busy") => {
            let Reply::Response { mut headers, body, .. } = response(429, "text/plain", "") else {
                panic!("a response")
            };
            headers.push(("retry-after".to_owned(), "3600".to_owned()));
            Reply::Response { status: 429, headers, body }
        }
        Some("broken") => Reply::Lost,
        _ => healthy(seen),
    });
    let settings = config::Upstream { pass_headers: vec!["x-team".to_owned()], ..settings() };
    let handler = Upstream::in_process(&settings).unwrap();
    for team in ["busy", "broken"] {
        for _ in 0..2 * MAX_FAILURES {
            let failed = net.run(who(None).with("x-team", team).call(&net, &handler)).err().unwrap();
            let expected = if team == "busy" { "upstream_status" } else { "upstream_unreachable" };
            assert_eq!(failed.reason(), Some(expected));
            assert_eq!(
                failed.asked_again_after(),
                (team == "busy").then_some(3_600),
                "it is the caller's to wait"
            );
            assert!(net.run(who(None).call(&net, &handler)).is_ok());
            assert!(net.run(handler.lists(&net)).is_ok());
        }
    }
}

#[test]
fn a_handler_that_refused_to_list_is_asked_again_at_once() {
    let refuses = Rc::new(Cell::new(true));
    let switch = Rc::clone(&refuses);
    let net =
        numbered(move |seen| if switch.get() { response(503, "text/plain", "") } else { healthy(seen) });
    let gateway = Gateway::in_process(&settings()).unwrap();
    let config = config::Config::default();
    net.run(async {
        for _ in 0..2 * MAX_FAILURES {
            assert!(serve(&gateway, &net, &config, Freshness::List).await.is_err());
        }
        refuses.set(false);
        assert!(serve(&gateway, &net, &config, Freshness::List).await.is_ok());
        assert_eq!(net.now(), 0);
    });
}
