//! Servers that fail for clients with some capability.

use mcp_sieve_gateway::{config::Upstream as Settings, host::Freshness, upstream::Fetch};
use serde_json::{Value, json};

use crate::{
    ask::settings,
    gateway::{Servers, behind, config, gateway, serve},
    net::{Net, Piece, Reply, Seen},
    relayed::{HOUR_MS, Sessions, count, everything, names, relaying, upstream},
    server::{error, response, result},
};

/// Returns whether a body contains `true`.
fn has_true(body: &[Piece]) -> bool {
    body.iter()
        .any(|piece| matches!(piece, Piece::Bytes(bytes) if bytes.windows(4).any(|part| part == b"true")))
}

/// A server that fails for clients with a capability, by what it does.
fn failing(how: &'static str) -> impl Fn(&Seen) -> Reply {
    let state = Sessions::default();
    move |seen| {
        let declared = &seen.body["params"]["capabilities"];
        let is_first = state.begun.borrow().is_empty();
        match (how, seen.method()) {
            ("refuses sampling", "initialize") if declared["sampling"].is_object() => {
                error(seen, 400, json!({"code": -32602, "message": "unknown member"}))
            }
            ("breaks off with roots", "initialize") if declared["roots"].is_object() => Reply::Lost,
            ("refuses two at once", "initialize")
                if declared["sampling"].is_object() && declared["roots"].is_object() =>
            {
                response(500, "text/plain", "no")
            }
            ("has one session", "initialize") if !is_first => {
                error(seen, 400, json!({"code": -32600, "message": "already initialized"}))
            }
            ("has the newest session", "initialize") => {
                state.begun.borrow_mut().iter_mut().for_each(|(_, ended)| *ended = true);
                state.answer(json!({"tools": {}}), everything, seen)
            }
            ("hangs", "initialize") if !is_first => Reply::Hang,
            ("lists nothing with roots", "tools/list") => {
                let asks_roots = |declared: &Value| vec![json!(declared["roots"].is_object())];
                match state.answer(json!({"tools": {}}), asks_roots, seen) {
                    Reply::Response { body, .. } if has_true(&body) => result(seen, json!({"resources": []})),
                    _ => state.answer(json!({"tools": {}}), everything, seen),
                }
            }
            _ => state.answer(json!({"tools": {}}), everything, seen),
        }
    }
}

#[test]
fn a_capability_that_makes_a_server_fail_is_left_out_for_it() {
    let rows: [(&str, &[&str], &str); 7] = [
        (
            "refuses sampling",
            &["echo", "roots", "asks", "opens", "research"],
            "upstream `a` refused `initialize`: unknown member (-32602) for clients with `sampling`; it is listed \
             without this capability",
        ),
        (
            "breaks off with roots",
            &["echo", "asks", "opens", "samples", "research"],
            "upstream `a` cannot be reached for clients with `roots`; it is listed without this capability",
        ),
        (
            "lists nothing with roots",
            &["echo", "asks", "opens", "samples", "research"],
            "upstream `a` answered `tools/list` without a usable `tools` for clients with `roots`; it is listed without this \
             capability",
        ),
        (
            "refuses two at once",
            &["echo", "research"],
            "upstream `a` answered `initialize` with HTTP 500 for clients with several \
             capabilities; it is listed for clients without capabilities",
        ),
        (
            "has one session",
            &["echo", "research"],
            "upstream `a` refused `initialize`: already initialized (-32600) in a second session; it is listed for \
             clients without capabilities",
        ),
        ("has the newest session", &["echo", "roots", "asks", "opens", "samples", "research"], ""),
        (
            "hangs",
            &["echo", "research"],
            "upstream `a` cannot be listed in time; it is listed for clients without capabilities",
        ),
    ];
    for (how, expected, note) in rows {
        let servers = Servers::default();
        servers.set("a", failing(how));
        let net = servers.net();
        let upstreams = [Settings { list_timeout_ms: 1_200, ..relaying(behind("a")) }];
        let gateway = gateway(&upstreams);
        net.run(async {
            let config = config(&upstreams);
            let mut notes = Vec::new();
            for _ in 0..3 {
                let survey = gateway.survey(&net).await;
                assert!(survey[0].failure.is_none() && survey[0].problems.is_empty(), "{how}: {survey:?}");
                notes.extend(serve(&gateway, &net, &config, Freshness::List).await.unwrap().notes);
            }
            let listing = gateway.list(&net, "a", "").await.unwrap();
            assert_eq!(names(&listing), expected, "{how}");
            notes.retain(|note| note.starts_with("upstreams: ") && !note.contains(" keeps sessions; "));
            let expected = if note.is_empty() { vec![] } else { vec![format!("upstreams: {note}")] };
            assert_eq!(notes, expected, "{how}");
            // The capabilities are not tried with each listing.
            let before = count(&net, "initialize");
            gateway.list(&net, "a", "").await.unwrap();
            let more = count(&net, "initialize") - before;
            assert_eq!(more, 0, "{how}");
            // A server that accepts them later is listed with them after an hour.
            net.sleep(HOUR_MS).await;
            gateway.list(&net, "a", "").await.unwrap();
            assert!(count(&net, "initialize") > before, "{how}");
        });
    }
}

#[test]
fn the_first_lists_wait_for_those_with_capabilities_for_a_part_of_the_time_limit() {
    let net = Net::new(failing("hangs"));
    let upstream = upstream();
    let (took, listing) = net.run(async {
        let began = net.now();
        let listing = upstream.lists(&net).await.unwrap();
        (net.now() - began, listing)
    });
    assert_eq!((took, listing.ttl_ms), (settings().timeout_ms / 4, 0));
    assert_eq!(names(&listing), ["echo", "research"]);
}
