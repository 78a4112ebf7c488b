//! Circuit breaking: failing servers are not called for a while, and recover.

use std::{cell::Cell, rc::Rc};

use mcp_sieve_gateway::config;
use mcp_sieve_gateway::{
    error::RpcError,
    upstream::{FIRST_PAUSE_MS, Fetch, MAX_FAILURES, MAX_PAUSE_MS, MAX_RETRY_AFTER_S, Upstream, pause},
};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, drain, settings, show, upstream},
    net::{Net, Piece, Reply, Seen},
    server::{legacy, response, result, stream},
};

fn healthy(seen: &Seen) -> Reply {
    result(seen, json!({"tools": [], "content": []}))
}

/// Returns a server that sends the reply in its switch, or works if the switch is empty.
fn breakable() -> (Rc<Cell<Option<Reply>>>, Net) {
    let broken: Rc<Cell<Option<Reply>>> = Rc::default();
    let (switch, well) = (Rc::clone(&broken), legacy(json!({"tools": {}}), healthy));
    let net = Net::new(move |seen| {
        let reply = switch.take();
        switch.set(reply.clone());
        reply.unwrap_or_else(|| well(seen))
    });
    (broken, net)
}

/// Calls a tool and returns the last event.
async fn call(net: &Net, upstream: &Upstream) -> String {
    let answer = Asker::legacy().ask(net, upstream, "tools/call", r#"{"name":"t"}"#).await;
    drain(net, answer).await.pop().map(|(_, event)| show(&event)).unwrap()
}

/// Returns the error for a server that is paused for `seconds`.
fn paused(seconds: u64) -> String {
    let error = json!({"code": -32603,
        "message": format!("upstream `up` is not called again for {seconds} s"),
        "data": {"reason": "upstream_paused", "retryAfter": seconds}});
    format!("error {error}")
}

/// If twenty concurrent callers of a server fail at once, that is no reason to pause it for a minute.
#[test]
fn requests_that_fail_side_by_side_count_as_one_failure() {
    let (broken, net) = breakable();
    let cut = || stream(vec![Piece::Wait(50), Piece::Reset]);
    net.run(async {
        let upstream = upstream();
        call(&net, &upstream).await;
        for _ in 1..MAX_FAILURES {
            broken.set(Some(cut()));
            for failed in futures_util::future::join_all((0..20).map(|_| upstream.lists(&net))).await {
                assert_eq!(failed.unwrap_err().reason(), Some("upstream_cut"));
            }
        }
        broken.set(None);
        assert!(call(&net, &upstream).await.starts_with("result"), "left alone");
    });
}

#[test]
fn a_server_that_fails_again_and_again_is_left_alone_for_longer_and_longer() {
    let (broken, net) = breakable();
    net.run(async {
        let upstream = upstream();
        broken.set(Some(Reply::Lost));
        for _ in 0..MAX_FAILURES {
            assert!(call(&net, &upstream).await.contains("upstream_unreachable"));
        }
        let request_count = net.seen().len();
        let mut waits = Vec::new();
        for round in 1..=8 {
            let wait = pause(round, 0.5);
            waits.push(wait);
            assert_eq!(call(&net, &upstream).await, paused(wait.div_ceil(1_000)));
            assert!(upstream.lists(&net).await.unwrap_err().message.contains("is not called again"));
            net.sleep(wait).await;
            assert!(call(&net, &upstream).await.contains("upstream_unreachable"), "one goes to see");
        }
        assert_eq!(waits, [750, 1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000]);
        assert_eq!(net.seen().len(), request_count + 16, "one attempt a pause: the probe and the handshake");

        broken.set(None);
        net.sleep(MAX_PAUSE_MS).await;
        for _ in 0..2 {
            assert!(call(&net, &upstream).await.starts_with("result"));
        }
        broken.set(Some(Reply::Lost));
        for _ in 0..MAX_FAILURES {
            assert!(call(&net, &upstream).await.contains("upstream_unreachable"), "counted anew");
        }
    });
}

#[test]
fn pauses_are_half_certain_and_half_by_chance() {
    for failures in 1..40 {
        let (least, most) = (pause(failures, 0.0), pause(failures, 1.0));
        assert_eq!(most, 2 * least);
        assert!((FIRST_PAUSE_MS..=MAX_PAUSE_MS).contains(&most), "{most} after {failures}");
    }
    assert_eq!(pause(u32::MAX, 2.0), MAX_PAUSE_MS);
}

#[test]
fn a_tool_that_fails_alone_says_nothing_of_its_server() {
    let rows = [
        (Reply::Hang, "did not answer `tools/call` within 900 ms"),
        (stream(vec![Piece::Reset]), "broke off its answer to `tools/call`"),
        (response(500, "text/plain", "Internal Server Error"), "answered `tools/call` with HTTP 500"),
    ];
    for (reply, words) in rows {
        let net = Net::new(legacy(json!({"tools": {}}), move |seen| match seen.method() {
            "tools/call" => reply.clone(),
            _ => healthy(seen),
        }));
        net.run(async {
            let upstream = upstream();
            for _ in 0..MAX_FAILURES + 3 {
                assert!(call(&net, &upstream).await.contains(words), "{words}");
            }
            assert!(upstream.lists(&net).await.is_ok());
        });
    }
}

/// A server that is broken fails its lists, too.
#[test]
fn a_server_whose_lists_end_in_http_500_is_paused() {
    let (broken, net) = breakable();
    net.run(async {
        let upstream = upstream();
        call(&net, &upstream).await;
        broken.set(Some(response(500, "text/plain", "Internal Server Error")));
        for _ in 0..MAX_FAILURES {
            assert_eq!(upstream.lists(&net).await.unwrap_err().reason(), Some("upstream_status"));
        }
        assert!(call(&net, &upstream).await.contains("upstream_paused"));
    });
}

/// Returns a response with HTTP `status` and `Retry-After`.
fn busy(status: u16, retry_after: &str, body: &str) -> Reply {
    let Reply::Response { headers: mut head, body, .. } = response(status, "application/json", body) else {
        panic!("a response");
    };
    head.push(("retry-after".to_owned(), retry_after.to_owned()));
    Reply::Response { status, headers: head, body }
}

/// A server that reads the caller's headers may limit one caller.
#[test]
fn the_limit_of_a_caller_whose_headers_are_passed_is_its_own() {
    let well = legacy(json!({"tools": {}}), healthy);
    let net = Net::new(move |seen| match (seen.method(), seen.header("x-user")) {
        ("tools/call", Some("alice")) => busy(429, "3600", "busy"),
        _ => well(seen),
    });
    let settings = config::Upstream { pass_headers: vec!["X-User".to_owned()], ..settings() };
    net.run(async {
        let upstream = Upstream::new(&settings, &|_| None).unwrap();
        let call = async |user: &str| {
            let mut asker = Asker::legacy();
            asker.headers.insert("x-user", user.parse().unwrap());
            let answer = asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
            drain(&net, answer).await.pop().map(|(_, event)| show(&event)).unwrap()
        };
        for _ in 0..20 {
            assert!(call("alice").await.contains(r#""retryAfter":3600"#));
        }
        assert!(call("bob").await.starts_with("result"));
        assert!(upstream.lists(&net).await.is_ok());
    });
}

#[test]
fn a_busy_server_is_asked_again_when_it_says_so() {
    // The clock of these tests starts in 1970.
    let rows: [(u16, &str, Option<u64>); 11] = [
        (503, "7", Some(7)),
        (429, " 120 ", Some(120)),
        (429, "0", Some(0)),
        (503, "99999999999999999999999", Some(MAX_RETRY_AFTER_S)),
        (503, "Thu, 01 Jan 1970 00:01:30 GMT", Some(90)),
        (503, "Wed, 31 Dec 1969 23:59:59 GMT", Some(0)),
        (503, "Fri, 31 Dec 2199 23:59:59 GMT", Some(MAX_RETRY_AFTER_S)),
        (503, "soon", None),
        (503, "", None),
        (503, "-1", None),
        (500, "7", None),
    ];
    for (status, text, seconds) in rows {
        let (broken, net) = breakable();
        net.run(async {
            let upstream = upstream();
            assert!(upstream.lists(&net).await.is_ok());
            broken.set(Some(busy(status, text, "busy")));
            let mut data = json!({"reason": "upstream_status", "httpStatus": status});
            seconds.into_iter().for_each(|seconds| data["retryAfter"] = json!(seconds));
            let error = json!({"code": -32603, "data": data,
                "message": format!("upstream `up` answered `tools/call` with HTTP {status}")});
            assert_eq!(call(&net, &upstream).await, format!("error {error}"), "{text}");

            broken.set(None);
            let request_count = net.seen().len();
            if let Some(seconds) = seconds.filter(|seconds| *seconds > 0) {
                assert_eq!(call(&net, &upstream).await, paused(seconds), "{text}");
                net.sleep(seconds * 1_000 - 1).await;
                assert_eq!(call(&net, &upstream).await, paused(1), "{text}");
                assert_eq!(net.seen().len(), request_count, "{text}: asked too early");
                net.sleep(1).await;
            }
            assert!(call(&net, &upstream).await.starts_with("result"), "{text}");
        });
    }
}

#[test]
fn a_busy_server_may_say_why_in_its_own_words() {
    let (broken, net) = breakable();
    net.run(async {
        let upstream = upstream();
        assert!(upstream.lists(&net).await.is_ok());
        // The id of the next request.
        let id: Value = net.seen().last().map(|seen| seen.body["id"].as_i64().unwrap() + 1).into();
        let body =
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -31000, "message": "come back later"}});
        broken.set(Some(busy(429, "3", &body.to_string())));
        assert_eq!(call(&net, &upstream).await, r#"error {"code":-31000,"message":"come back later"}"#);
        broken.set(None);
        assert_eq!(call(&net, &upstream).await, paused(3));
    });
}

#[test]
fn only_failures_of_ours_tell_when_to_ask_again() {
    let theirs = RpcError::relayed(-31000, "x", Some(json!({"retryAfter": 5})));
    assert_eq!((theirs.asked_again_after(), theirs.reason()), (None, None));
}
