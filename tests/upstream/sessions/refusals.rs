//! Sessions that a server refuses or forgets.

use std::{cell::Cell, rc::Rc};

use futures_util::future::join_all;
use mcp_sieve_gateway::{
    config,
    host::Answer,
    upstream::{Fetch, MAX_FAILURES, Upstream},
};
use serde_json::json;

use super::server::{begun, ended, healthy, numbered, server, session, upstream, who};
use crate::{
    ask::settings,
    net::{Net, Piece, Reply, Seen},
    server::{error, response, result},
};

/// Returns a server that refuses with `refuse` what names another session than the one begun last, and a switch that
/// makes it forget that session.
fn forgetful(refuse: fn(&Seen) -> Reply) -> (Rc<Cell<bool>>, Net) {
    let forgets = Rc::new(Cell::new(false));
    let (switch, known) = (Rc::clone(&forgets), server(healthy));
    let net = Net::new(move |seen| match seen.method() {
        "server/discover" | "initialize" | "notifications/initialized" | "DELETE" => {
            switch.set(switch.get() && seen.method() != "initialize");
            known(seen)
        }
        _ if switch.get() => refuse(seen),
        _ => known(seen),
    });
    (forgets, net)
}

/// After a restart, some servers refuse a session as if the caller had no access, or as if the request had failed.
#[test]
fn a_session_that_a_server_refuses_is_begun_anew_for_the_next_request() {
    let refusals: [fn(&Seen) -> Reply; 7] = [
        |_| response(401, "text/plain", "Session not found"),
        |_| response(403, "text/plain", ""),
        |_| response(409, "text/plain", ""),
        |_| response(410, "text/plain", ""),
        |_| response(500, "text/plain", ""),
        |seen| error(seen, 200, json!({"code": -32001, "message": "Session not found"})),
        |seen| error(seen, 400, json!({"code": -32602, "message": "_meta lacks protocolVersion"})),
    ];
    for (at, refuse) in refusals.into_iter().enumerate() {
        let (forgets, net) = forgetful(refuse);
        let (upstream, alice) = (upstream(), who(Some("alice")));
        // A call in the session of its caller, and a listing in the gateway's own.
        for request in ["tools/call", "tools/list"] {
            let ask = async || match request {
                "tools/call" => matches!(alice.call(&net, &upstream).await, Ok(Answer::Result(_))),
                _ => upstream.lists(&net).await.is_ok(),
            };
            if (at, request) == (6, "tools/call") {
                continue; // An answer about the arguments.
            }
            net.run(async {
                assert!(ask().await, "{at}");
                forgets.set(true);
                let before = net.methods();
                assert!(!ask().await, "{at}: {request}");
                let failed = net.methods().split_off(before.len());
                assert_eq!(failed, [request], "{at}: sent once, without a handshake");
                net.sleep(5_000).await;
                assert!(ask().await, "{at}: {request}");
            });
        }
    }
}

#[test]
fn a_session_that_is_alive_is_kept_after_a_failure() {
    let net = numbered(|seen| match seen.method() {
        "tools/call" => response(500, "text/plain", "a broken tool"),
        "ping" => result(seen, json!({})),
        _ => healthy(seen),
    });
    let (upstream, alice) = (upstream(), who(Some("alice")));
    net.run(async {
        for _ in 0..MAX_FAILURES - 1 {
            alice.call(&net, &upstream).await.err().unwrap();
        }
        let pings = net.methods().iter().filter(|method| *method == "ping").count();
        assert_eq!((pings, begun(&net)), (1, 2), "a check for all that fail in a few seconds");
        net.sleep(5_000).await;
        alice.call(&net, &upstream).await.err().unwrap();
        assert_eq!(net.last("ping").unwrap().header("mcp-session-id"), Some("s-2"));
        assert_eq!(begun(&net), 2);
    });
}

#[test]
fn a_server_that_is_down_or_busy_is_not_asked_for_another_session() {
    let busy = |status: u16| {
        let Reply::Response { mut headers, body, .. } = response(status, "text/plain", "") else {
            panic!("a response")
        };
        headers.push(("retry-after".to_owned(), "0".to_owned()));
        Reply::Response { status, headers, body }
    };
    // The replies to the call that fails, and to what follows.
    let rows = [
        (response(500, "text/plain", ""), Reply::Lost, 2),
        (response(500, "text/plain", ""), busy(503), 2),
        (busy(429), busy(429), 1),
    ];
    for (at, (first, then, requests)) in rows.into_iter().enumerate() {
        let failures = Cell::new(0);
        let net = numbered(move |seen| match (failures.replace(failures.get() + 1), seen.method()) {
            (0, _) => healthy(seen),
            (1, _) => first.clone(),
            _ => then.clone(),
        });
        let (upstream, alice) = (upstream(), who(Some("alice")));
        session(&net, &upstream, &alice);
        assert!(net.run(alice.call(&net, &upstream)).is_err(), "{at}");
        let before = net.seen().len();
        assert!(net.run(alice.call(&net, &upstream)).is_err(), "{at}");
        assert_eq!((net.seen().len() - before, begun(&net)), (requests, 2), "{at}: {:?}", net.methods());
    }
}

/// A server may refuse the headers of one caller.
#[test]
fn a_caller_that_is_refused_ends_no_session_of_others() {
    let net = numbered(|seen| match seen.header("x-team") {
        Some("bad") => response(401, "text/plain", ""),
        _ => healthy(seen),
    });
    let settings = config::Upstream { pass_headers: vec!["x-team".to_owned()], ..settings() };
    let upstream = Upstream::new(&settings, &|_| None).unwrap();
    let good = || who(None).with("x-team", "good");
    let one = session(&net, &upstream, &good());
    for _ in 0..3 {
        assert!(net.run(who(None).with("x-team", "bad").call(&net, &upstream)).is_err());
        net.run(Fetch::sleep(&net, 5_000));
    }
    assert_eq!(session(&net, &upstream, &good()), one);
    assert_eq!(net.methods().iter().filter(|method| *method == "server/discover").count(), 1);
    assert_eq!(ended(&net), ["s-3", "s-4"], "its own");
}

#[test]
fn one_of_two_sessions_that_were_begun_at_once_is_ended() {
    let at_once = server(healthy);
    let net = Net::new(move |seen| match at_once(seen) {
        Reply::Response { status, headers, body } => {
            let body = [vec![Piece::Wait(1)], body].concat();
            Reply::Response { status, headers, body }
        }
        reply => reply,
    });
    let (upstream, caller) = (upstream(), who(None));
    let calls = (0..2).map(|_| caller.call(&net, &upstream));
    assert!(net.run(join_all(calls)).iter().all(Result::is_ok));
    assert_eq!(begun(&net), 2);
    assert_eq!(begun(&net) - ended(&net).len(), 1);
}
