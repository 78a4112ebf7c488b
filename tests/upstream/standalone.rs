//! Requests that a server sends on the session's standalone stream during a call.

use std::{cell::Cell, rc::Rc};

use futures_util::StreamExt;
use http::{HeaderMap, HeaderValue};
use mcp_sieve_gateway::{
    config::{self, Transport},
    host::{Answer, StreamItem},
    upstream::{Fetch, Upstream},
};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, settings, show, upstream},
    net::{Net, Piece, Reply, Seen},
    server::{event, last, legacy, response, result, stream},
};

/// Returns a request of the server with this id.
fn question(id: i64) -> Piece {
    event(&json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"}))
}

/// Returns a client that has a session of its own and can be asked.
fn asker() -> Asker {
    let headers =
        HeaderMap::from_iter([("mcp-session-id".parse().unwrap(), HeaderValue::from_static("one"))]);
    Asker { headers, capabilities: json!({"roots": {}}), accepts_requests: true, ..Asker::legacy() }
}

/// Calls a tool and answers the server's requests; returns the ids of the answers in the order sent, and the result.
async fn call(net: &Net, upstream: &Upstream) -> (Vec<Value>, String) {
    call_by(&asker(), net, upstream).await
}

async fn call_by(asker: &Asker, net: &Net, upstream: &Upstream) -> (Vec<Value>, String) {
    let mut ends = String::new();
    match asker.ask(net, upstream, "tools/call", r#"{"name":"t"}"#).await.unwrap() {
        Answer::Result(result) => ends = String::from_utf8(result).unwrap(),
        Answer::Error(failure) => ends = failure.to_json().to_string(),
        Answer::Dialog(mut turns) => {
            while let Some(turn) = turns.next().await {
                match turn {
                    StreamItem::Request(request) => {
                        assert_eq!(request.method, "roots/list");
                        (request.reply)(Ok(r#"{"roots":[]}"#.to_owned())).await;
                    }
                    StreamItem::Event(event) => ends = show(&event),
                    StreamItem::Task(plan) => panic!("a task of one's own: {plan:?}"),
                }
            }
        }
        Answer::Events(_) | Answer::Passthrough(_) => panic!("events without questions"),
    }
    let answers = net.seen().into_iter().filter(|seen| seen.body.get("result").is_some());
    (answers.map(|seen| seen.body["id"].clone()).collect(), ends)
}

/// Returns a server that opens the standalone stream with `open` and answers each call with `answer`.
fn server(open: impl Fn() -> Reply + 'static, answer: impl Fn(&Seen) -> Reply + 'static) -> Net {
    Net::new(legacy(json!({"tools": {}}), move |seen: &Seen| match seen.method() {
        "GET" => open(),
        "tools/call" => answer(seen),
        _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
    }))
}

fn count(net: &Net, method: &str) -> usize {
    net.methods().iter().filter(|name| *name == method).count()
}

/// Returns an answer that comes after the request on the other stream.
fn later(seen: &Seen) -> Reply {
    stream(vec![Piece::Wait(100), last(seen, &json!({"content": []}))])
}

#[test]
fn questions_of_the_standalone_stream_reach_the_client_of_the_call() {
    let net = server(|| stream(vec![Piece::Wait(20), question(7), Piece::Hang]), later);
    let (answers, ends) = net.run(call(&net, &upstream()));
    assert_eq!((answers, ends.as_str()), (vec![json!(7)], r#"result {"content":[]}"#));
    // The stream is opened before the call, in the same session.
    let methods = net.methods();
    let at = |name: &str| methods.iter().position(|method| method == name);
    assert!(at("GET") < at("tools/call"), "{methods:?}");
    assert_eq!(net.last("GET").unwrap().header("mcp-session-id"), Some("session-1"));
}

#[test]
fn an_answer_in_json_waits_for_questions_as_well() {
    let slow = |seen: &Seen| {
        let body = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": {"content": []}}).to_string();
        let Reply::Response { status, headers, .. } = response(200, "application/json", "") else {
            panic!("a response")
        };
        let body = vec![Piece::Wait(100), Piece::Bytes(body.into_bytes())];
        Reply::Response { status, headers, body }
    };
    let net = server(|| stream(vec![Piece::Wait(20), question(1), question(2), Piece::Hang]), slow);
    let (answers, ends) = net.run(call(&net, &upstream()));
    assert_eq!((answers, ends.as_str()), (vec![json!(1), json!(2)], r#"result {"content":[]}"#));
}

#[test]
fn a_call_does_not_depend_on_the_standalone_stream() {
    let quick = |seen: &Seen| result(seen, json!({"content": []}));
    type Row = (&'static str, fn() -> Reply, u64, usize);
    let rows: [Row; 6] = [
        ("a server without the stream is asked once", || response(405, "text/plain", ""), 0, 1),
        ("a stream that ends at once", || stream(vec![]), 0, 2),
        ("a stream that breaks off", || stream(vec![Piece::Reset]), 0, 2),
        (
            "a stream that is no event stream of messages",
            || stream(vec![Piece::Bytes(b"data: x\n\n".to_vec())]),
            0,
            2,
        ),
        ("a server that keeps the headers back", || Reply::Hang, 1_000, 2),
        ("a stream that is still taken", || response(409, "application/json", "{}"), 200, 8),
    ];
    for (name, open, waits, request_count) in rows {
        let net = server(open, quick);
        let upstream = upstream();
        for round in 1..=2 {
            let (_, ends) = net.run(call(&net, &upstream));
            assert_eq!(ends, r#"{"content":[]}"#, "{name}");
            if round == 1 {
                assert_eq!(net.now(), waits, "{name}");
            }
        }
        assert_eq!(count(&net, "GET"), request_count, "{name}");
    }
}

#[test]
fn the_stream_of_the_call_before_may_be_closed_late() {
    let refusals = Rc::new(Cell::new(2));
    let open = move || match refusals.get() {
        0 => stream(vec![Piece::Wait(20), question(3), Piece::Hang]),
        left => {
            refusals.set(left - 1);
            response(409, "application/json", "{}")
        }
    };
    let net = server(open, later);
    let (answers, _) = net.run(call(&net, &upstream()));
    assert_eq!((answers, count(&net, "GET")), (vec![json!(3)], 3));
}

#[test]
fn headers_that_come_late_open_the_stream_all_the_same() {
    let net = server(
        || Reply::Late(1_300, Box::new(stream(vec![question(4), Piece::Hang]))),
        |seen| stream(vec![Piece::Wait(600), last(seen, &json!({}))]),
    );
    let (answers, _) = net.run(call(&net, &upstream()));
    assert_eq!(answers, [json!(4)]);
}

#[test]
fn one_call_at_a_time_has_the_stream() {
    let net = server(|| stream(vec![Piece::Wait(20), question(5), Piece::Hang]), later);
    let upstream = upstream();
    // The session exists before both calls begin.
    net.run(call(&net, &upstream));
    let before = count(&net, "GET");
    let ((_, one), (_, other)) =
        net.run(async { futures_util::future::join(call(&net, &upstream), call(&net, &upstream)).await });
    for ends in [one, other] {
        assert!(ends.ends_with(r#"{"content":[]}"#), "{ends}");
    }
    assert_eq!(count(&net, "GET"), before + 1);
    // The stream can be opened again.
    net.run(call(&net, &upstream));
    assert_eq!(count(&net, "GET"), before + 2);
}

#[test]
fn callers_that_cannot_be_asked_open_no_stream() {
    for asker in [
        Asker { capabilities: json!({"roots": {}}), accepts_requests: false, ..Asker::legacy() },
        Asker { capabilities: json!({"experimental": {}}), accepts_requests: true, ..Asker::legacy() },
    ] {
        let net = server(|| panic!("no stream is wanted"), |seen| result(seen, json!({})));
        net.run(asker.ask(&net, &upstream(), "tools/call", r#"{"name":"t"}"#)).unwrap();
    }
}

/// Returns a server whose session all callers share.
fn shared() -> Upstream {
    let settings = config::Upstream { shares_sessions: true, ..settings() };
    Upstream::new(&settings, &|_| None).unwrap()
}

/// A question that names no call may be about the call of any client of the session.
#[test]
fn strangers_in_one_session_get_no_questions_of_its_stream() {
    let net = server(|| stream(vec![Piece::Wait(20), question(8), Piece::Hang]), later);
    let stranger = || Asker { accepts_requests: true, capabilities: json!({"roots": {}}), ..Asker::modern() };
    let upstream = shared();
    let (answers, ends) = net.run(call_by(&stranger(), &net, &upstream));
    assert_eq!((answers, ends.as_str()), (vec![], r#"{"content":[]}"#));
    let refusal = net.seen().into_iter().rfind(|seen| seen.body["id"] == 8).unwrap();
    assert_eq!(refusal.body["error"]["code"], -32601, "the server does not wait");
    assert_eq!(refusal.header("mcp-session-id"), Some("session-1"));
    // Over stdio there is one client, and on loopback without tokens one user.
    let only = Asker { transport: Transport::Stdio, ..stranger() };
    let settings = config::Upstream { one_user: false, ..settings() };
    let several = Upstream::new(&settings, &|_| None).unwrap();
    assert_eq!(net.run(call_by(&only, &net, &several)).0, [json!(8)]);
    assert_eq!(net.run(call_by(&stranger(), &net, &self::upstream())).0, [json!(8), json!(8)]);
}

/// Nothing reads the answer to a call before it begins, and while its client has a question to answer.
#[test]
fn a_question_for_strangers_is_refused_at_once_whatever_its_call_waits_for() {
    let stranger = || Asker { accepts_requests: true, capabilities: json!({"roots": {}}), ..Asker::modern() };
    let refused = |net: &Net| {
        net.seen().iter().any(|seen| seen.body["id"] == 8 && seen.body["error"]["code"] == -32601)
    };
    let open = || stream(vec![Piece::Wait(20), question(8), Piece::Hang]);
    let waiting = server(open, |_| Reply::Hang);
    let failure =
        waiting.run(stranger().ask(&waiting, &shared(), "tools/call", r#"{"name":"t"}"#)).err().unwrap();
    assert_eq!((failure.reason(), refused(&waiting)), (Some("upstream_timeout"), true));
    let net = server(open, |seen| stream(vec![question(9), last(seen, &json!({"content": []}))]));
    let upstream = shared();
    net.run(async {
        let answer = stranger().ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await.unwrap();
        let Answer::Dialog(mut turns) = answer else { panic!("a question") };
        let Some(StreamItem::Request(_)) = turns.next().await else { panic!("a question") };
        net.sleep(50).await;
        assert!(refused(&net), "the client has not answered yet");
    });
    // The stream ends with its call.
    assert_eq!(net.run(call_by(&stranger(), &net, &upstream)).0, [json!(9)]);
    assert_eq!(count(&net, "GET"), 2);
}
