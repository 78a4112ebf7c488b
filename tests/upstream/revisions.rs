//! Servers that support both revisions at one URL.

use std::cell::{Cell, RefCell};

use mcp_sieve::{Kind, catalog::Lists};
use mcp_sieve_gateway::{host::Answer, upstream::Features};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, drain, show, upstream},
    net::{Net, Piece, Reply, Seen},
    server::{error, event, legacy, modern, nameless, response, result, stream},
};

/// Returns whether a request uses the stateless revision.
fn is_stateless(seen: &Seen) -> bool {
    seen.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
}

fn says(seen: &Seen, text: &str) -> Reply {
    result(seen, json!({"content": [{"type": "text", "text": text}]}))
}

/// Returns a server that answers each request in its revision.
fn both(
    capabilities: Value,
    stateless: impl Fn(&Seen) -> Reply,
    session: impl Fn(&Seen) -> Reply,
) -> impl Fn(&Seen) -> Reply {
    let stateless = modern(capabilities.clone(), stateless);
    let session = legacy(capabilities, session);
    move |seen| if is_stateless(seen) { stateless(seen) } else { session(seen) }
}

/// Returns a server that says which revision it was called in.
fn two_faces() -> Net {
    Net::new(both(json!({"tools": {}}), |seen| says(seen, "stateless"), |seen| says(seen, "session")))
}

fn ask(net: &Net, asker: &Asker) -> String {
    net.run(async {
        let answer = asker.ask(net, &upstream(), "tools/call", r#"{"name":"t"}"#).await;
        drain(net, answer).await.iter().map(|(_, event)| show(event)).collect()
    })
}

#[test]
fn a_call_goes_by_the_revision_of_its_caller() {
    assert_eq!(
        ask(&two_faces(), &Asker::legacy()),
        r#"result {"content":[{"text":"session","type":"text"}]}"#
    );
    assert_eq!(
        ask(&two_faces(), &Asker::modern()),
        r#"result {"content":[{"text":"stateless","type":"text"}]}"#
    );
}

#[test]
fn a_server_that_refuses_a_session_is_asked_for_none_for_a_while() {
    type Refusal = fn(&Seen) -> Reply;
    let refusals: [(&str, Refusal); 4] = [
        ("no such method", |seen| error(seen, 404, json!({"code": -32601, "message": "method not found"}))),
        ("no such status", |_| response(405, "text/plain", "POST only")),
        ("a session without an id", |seen| {
            result(
                seen,
                json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "s", "version": "1"}}),
            )
        }),
        ("no answer", |_| Reply::Lost),
    ];
    for (name, refusal) in refusals {
        let stateless = modern(json!({"tools": {}}), |seen| says(seen, "stateless"));
        let net = Net::new(move |seen| match seen.method() {
            "initialize" => refusal(seen),
            "notifications/initialized" => response(202, "text/plain", ""),
            _ => stateless(seen),
        });
        let begun = || net.methods().iter().filter(|method| *method == "initialize").count();
        net.run(async {
            let (upstream, asker) = (upstream(), Asker::legacy());
            for _ in 0..3 {
                let answer = asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
                let events = drain(&net, answer).await;
                assert!(show(&events[0].1).contains("stateless"), "{name}");
            }
            assert_eq!(begun(), 1, "{name}");
            mcp_sieve_gateway::upstream::Fetch::sleep(&net, 10 * 60 * 1_000).await;
            let answer = asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
            drain(&net, answer).await;
            assert_eq!(begun(), 2, "{name}: it may keep sessions by now");
        });
    }
}

/// Otherwise the names that only sessions have would go to another server.
#[test]
fn lists_in_a_session_are_not_lost_for_a_moment_of_trouble() {
    let trouble = std::rc::Rc::new(Cell::new(false));
    let (busy, tool) = (trouble.clone(), |name: &str| json!({"name": name, "inputSchema": {}}));
    let list = move |seen: &Seen, name| result(seen, json!({"tools": [tool(name)]}));
    let server =
        both(json!({"tools": {}}), move |seen| list(seen, "both"), move |seen| list(seen, "session"));
    let net = Net::new(move |seen| match seen.method() {
        _ if is_stateless(seen) => server(seen),
        _ if busy.get() => response(503, "text/plain", ""),
        _ => server(seen),
    });
    net.run(async {
        let upstream = upstream();
        assert!(upstream.lists(&net).await.unwrap().lists.contains("session"));
        trouble.set(true);
        let partial = upstream.lists(&net).await.unwrap();
        let problems =
            partial.problems.iter().map(|problem| (problem.list.as_str(), problem.reason.as_str()));
        assert_eq!(
            problems.collect::<Vec<_>>(),
            [("tools/list", "upstream_status")],
            "the last list is kept"
        );
        trouble.set(false);
        assert!(upstream.lists(&net).await.unwrap().lists.contains("session"));
    });
}

#[test]
fn a_session_that_is_lost_is_begun_anew() {
    let lost = Cell::new(true);
    let net = Net::new(both(
        json!({"tools": {}}),
        |seen| says(seen, "stateless"),
        move |seen| match lost.replace(false) {
            true => nameless(404, -32001, "Session not found"),
            false => says(seen, "session"),
        },
    ));
    assert!(ask(&net, &Asker::legacy()).contains("\"session\""));
    assert_eq!(net.methods().iter().filter(|method| *method == "initialize").count(), 2);
}

/// Returns the lists of a server in its two revisions, merged into one listing.
fn listed(stateless: Value, session: Value) -> String {
    let net = Net::new(both(
        json!({"tools": {}}),
        move |seen| result(seen, json!({"tools": stateless})),
        move |seen| result(seen, json!({"tools": session})),
    ));
    let listing = net.run(async { upstream().lists(&net).await.unwrap() });
    assert_eq!(Lists::read(&listing.lists).unwrap().primitives(Kind::Prompt).len(), 0);
    listing.lists
}

#[test]
fn what_one_revision_lacks_is_listed_as_that_of_the_other() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let written = |tools: &[Value]| tools.iter().map(Value::to_string).collect::<Vec<_>>().join(",");
    let [a, b, c, d] = ["a", "b", "c", "d"].map(tool);

    let same = json!([a, b]);
    assert_eq!(listed(same.clone(), same), format!("[{{\"tools\":[{}]}}]", written(&[a.clone(), b.clone()])));

    let lists = listed(json!([a, b, c]), json!([c, d, a]));
    let expected = [
        format!("{{\"tools\":[{a}]}}"),
        format!("{{\"dev.mcpsieve/era\":\"stateless\",\"tools\":[{b}]}}"),
        format!("{{\"tools\":[{c}]}}"),
        format!("{{\"dev.mcpsieve/era\":\"session\",\"tools\":[{d}]}}"),
    ];
    assert_eq!(lists, format!("[{}]", expected.join(",")), "in the order of the stateless lists");

    // Both revisions define the tool: all clients see one definition, and the operator gets a report of the first
    // conflict.
    let other =
        |name: &str| json!({"name": name, "description": "another", "inputSchema": {"type": "object"}});
    let lists = listed(json!([a, b]), json!([other("a"), other("b")]));
    let report = json!({"kind": "tool", "name": "a", "problem": "is defined differently in the two revisions of the \
        server: all clients are shown the definition for stateless requests (1 more)"});
    let reports = format!("{{\"dev.mcpsieve/reports\":[{report}],\"tools\":[]}}");
    assert_eq!(lists, format!("[{{\"tools\":[{}]}},{reports}]", written(&[a.clone(), b])));
    let described = json!({"name": "a", "_meta": {"x": 1}, "inputSchema": {"type": "object"}});
    assert_eq!(
        listed(json!([a]), json!([described])),
        format!("[{{\"tools\":[{a}]}}]"),
        "metadata is no definition"
    );
}

#[test]
fn a_server_that_breaks_off_in_its_sessions_is_listed_by_stateless_requests() {
    let net = Net::new(both(
        json!({"tools": {}}),
        |seen| result(seen, json!({"tools": [{"name": "a"}]})),
        |_| nameless(404, -32001, "Session not found"),
    ));
    let listing = net.run(async { upstream().lists(&net).await.unwrap() });
    assert_eq!(listing.lists, r#"[{"tools":[{"name":"a"}]}]"#);
}

#[test]
fn completions_that_are_not_announced_are_asked_for_once() {
    for (completes, request_count) in [(true, 3), (false, 1)] {
        let net = Net::new(modern(json!({"prompts": {}}), move |seen| match completes {
            true => result(seen, json!({"completion": {"values": ["x"]}})),
            false => error(seen, 404, json!({"code": -32601, "message": "Method not found"})),
        }));
        let params = r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}"#;
        net.run(async {
            let upstream = upstream();
            for _ in 0..3 {
                match Asker::modern().ask(&net, &upstream, "completion/complete", params).await.unwrap() {
                    Answer::Result(_) => assert!(completes),
                    Answer::Error(failure) => {
                        assert_eq!(
                            failure.to_json(),
                            json!({"code": -32601, "message": "method `completion/complete` not found"})
                        );
                        assert!(!completes);
                    }
                    _ => panic!("a stream"),
                }
            }
        });
        let sent = net.methods().iter().filter(|method| *method == "completion/complete").count();
        assert_eq!(sent, request_count);
    }
}

fn bytes(text: &str) -> Piece {
    Piece::Bytes(text.as_bytes().to_vec())
}

/// Returns a server with sessions that closes the stream of a call. `rest` answers the request that resumes the stream,
/// given the id of the call.
fn polling(first: &'static str, end: Piece, rest: impl Fn(&Seen, &Value) -> Reply + 'static) -> Net {
    let called = RefCell::new(Value::Null);
    Net::new(legacy(json!({"tools": {}}), move |seen| match seen.method() {
        "tools/call" => {
            called.replace(seen.body["id"].clone());
            stream(vec![bytes(first), end.clone()])
        }
        "GET" => rest(seen, &called.borrow()),
        _ => response(202, "text/plain", ""),
    }))
}

fn answer(id: &Value) -> Piece {
    event(&json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}}))
}

/// The event with which a server gives a stream its first id.
const PRIMING: &str = "id: event 1\nretry: 700\ndata:\n\n";

#[test]
fn a_stream_that_the_server_closes_is_resumed_when_it_says() {
    let net = polling(PRIMING, bytes(""), |seen, id| {
        assert_eq!(seen.header("last-event-id"), Some("event 1"));
        assert_eq!(seen.header("mcp-session-id"), Some("session-1"));
        assert_eq!(seen.header("accept"), Some("text/event-stream"));
        stream(vec![bytes("id: event 2\n"), answer(id)])
    });
    let events = net.run(async {
        let answer = Asker::legacy().ask(&net, &upstream(), "tools/call", r#"{"name":"t"}"#).await;
        drain(&net, answer).await
    });
    let shown: Vec<_> = events.iter().map(|(at, event)| (*at, show(event))).collect();
    let expected = [(0, "paused 700".to_owned()), (700, r#"result {"content":[]}"#.to_owned())];
    assert_eq!(shown, expected);
}

#[test]
fn a_stream_that_breaks_off_is_resumed_without_a_word() {
    let net = polling("id: 1\nretry: 300\ndata:\n\n", Piece::Reset, |_, id| stream(vec![answer(id)]));
    assert_eq!(ask(&net, &Asker::legacy()), r#"result {"content":[]}"#);
}

/// A server on the official TypeScript SDK stores the first event of a stream as `{}`. Its event store may order events
/// of one millisecond in any way, so that this event is sent when the stream is resumed.
#[test]
fn the_first_event_of_a_stream_may_be_sent_again_when_it_is_resumed() {
    let net = polling("id: 1\nretry: 300\ndata:\n\n", Piece::Reset, |_, id| {
        stream(vec![bytes("event: message\nid: 1\ndata: {}\n\n"), answer(id)])
    });
    assert_eq!(ask(&net, &Asker::legacy()), r#"result {"content":[]}"#);
}

#[test]
fn a_stream_is_requested_again_from_a_server_that_is_busy_or_away() {
    for (name, refusal) in [
        ("busy", (|| response(409, "application/json", "{}")) as fn() -> Reply),
        ("restarting", || response(503, "text/plain", "")),
        ("away", || Reply::Lost),
    ] {
        let refusals = Cell::new(3);
        let net = polling("id: 1\nretry: 100\ndata:\n\n", Piece::Reset, move |_, id| match refusals.get() {
            0 => stream(vec![answer(id)]),
            left => {
                refusals.set(left - 1);
                refusal()
            }
        });
        assert_eq!(ask(&net, &Asker::legacy()), r#"result {"content":[]}"#, "{name}");
        assert_eq!(net.now(), 400, "{name}");
    }
    let net = polling("id: 1\nretry: 100\ndata:\n\n", Piece::Reset, |_, _| Reply::Lost);
    assert!(ask(&net, &Asker::legacy()).contains("cannot be reached"));
    assert_eq!(net.now(), 400, "and no more than four times");
}

#[test]
fn a_stream_that_cannot_be_resumed_has_ended() {
    let gone = |_: &Seen, _: &Value| response(404, "text/plain", "no such stream");
    let rows = [
        ("without an id", "retry: 1\ndata:\n\n", "ended the stream of `tools/call` without a response"),
        ("whose rest is gone", PRIMING, "ended the stream of `tools/call` without a response"),
        (
            "whose id is no header",
            "id: \u{1}\ndata:\n\n",
            "ended the stream of `tools/call` without a response",
        ),
        (
            "that resumes too late",
            "id: 1\nretry: 99999999\ndata:\n\n",
            "ended the stream of `tools/call` without a response",
        ),
    ];
    for (name, first, expected) in rows {
        let said = ask(&polling(first, bytes(""), gone), &Asker::legacy());
        assert!(said.contains(expected), "a stream {name}: {said}");
    }
}

#[test]
fn a_server_that_always_closes_its_stream_is_not_followed_for_ever() {
    let net =
        polling("id: 1\nretry: 0\ndata:\n\n", bytes(""), |_, _| stream(vec![bytes("id: 1\ndata:\n\n")]));
    let said = ask(&net, &Asker::legacy());
    assert!(said.contains("upstream_cut"), "{said}");
    let resumed = net.methods().iter().filter(|method| *method == "GET").count();
    assert!(resumed <= usize::try_from(net.now() / 50).unwrap(), "{resumed} times in {} ms", net.now());
}

/// Returns what a gateway learns of a server beside its primitives.
fn features(net: &Net) -> Features {
    net.run(async { upstream().lists(net).await.unwrap().features })
}

#[test]
fn a_server_offers_what_it_announces_in_either_revision() {
    let in_session =
        json!({"tools": {"listChanged": true}, "logging": {}, "tasks": {"list": {}}, "completions": {}});
    let stateless =
        json!({"tools": {}, "resources": {"subscribe": true, "listChanged": false}, "prompts": null});
    let none = Features::default();
    let of_session = Features { tools_changed: true, logging: true, tasks: true, completions: true, ..none };
    let of_stateless = Features { subscribe: true, ..none };
    let lists = |seen: &Seen| result(seen, json!({"tools": [], "resources": [], "resourceTemplates": []}));
    let modern_face = modern(stateless.clone(), lists);
    let session_face = legacy(in_session.clone(), lists);
    let both = move |seen: &Seen| if is_stateless(seen) { modern_face(seen) } else { session_face(seen) };
    let expected = Features { subscribe: true, ..of_session };
    assert_eq!(features(&Net::new(both)), expected, "the union, and sessions are no state of its own");
    assert_eq!(features(&Net::new(modern(stateless, lists))), of_stateless);
    let tasks = json!({"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
    assert_eq!(features(&Net::new(modern(tasks, lists))), Features { tasks: true, ..none });

    // Only a server that issues a session id keeps sessions.
    let keeps = Features { keeps_sessions: true, ..of_session };
    assert_eq!(features(&Net::new(legacy(in_session.clone(), lists))), keeps);
    let face = legacy(in_session, lists);
    let without_id = Net::new(move |seen: &Seen| {
        let mut reply = face(seen);
        if let Reply::Response { headers, .. } = &mut reply {
            headers.retain(|(name, _)| name != "mcp-session-id");
        }
        reply
    });
    assert_eq!(features(&without_id), of_session);
}

#[test]
fn a_list_that_shared_caches_may_not_store_is_private() {
    for (scope, expected) in [("private", true), ("public", false), ("shared", false)] {
        let lists = move |seen: &Seen| {
            let scope = if seen.method() == "prompts/list" { scope } else { "public" };
            result(seen, json!({"tools": [], "prompts": [], "ttlMs": 0, "cacheScope": scope}))
        };
        let capabilities = json!({"tools": {}, "prompts": {}});
        assert_eq!(features(&Net::new(modern(capabilities.clone(), lists))).private, expected, "{scope}");
        // Sessions have no such member.
        assert!(!features(&Net::new(legacy(capabilities, lists))).private);
    }
}
