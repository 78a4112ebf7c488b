//! Requests that a server with sessions sends to the client during a call.

use futures_util::StreamExt;
use mcp_sieve_gateway::{
    error::RpcError,
    host::{Answer, Event, StreamItem},
    upstream::Fetch,
};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, drain, show, upstream},
    net::{Net, Piece, Reply, Seen},
    server::{event, last, legacy, stream},
};

fn ask(id: Value, method: &str) -> Piece {
    event(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"about": id}}))
}

/// Returns a server that sends these requests and then a result.
fn asking(methods: &'static [&'static str], result: Value) -> Net {
    Net::new(legacy(json!({"tools": {}}), move |seen: &Seen| match seen.method() {
        "tools/call" => {
            let questions = methods.iter().enumerate().map(|(at, method)| ask(json!(at), method));
            stream(questions.chain([last(seen, &result)]).collect())
        }
        _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
    }))
}

/// Returns a caller that can be asked.
fn willing(capabilities: Value) -> Asker {
    Asker { capabilities, accepts_requests: true, ..Asker::legacy() }
}

/// Returns the responses that were sent to the server's requests.
fn told(net: &Net) -> Vec<Value> {
    net.seen().into_iter().filter(|seen| seen.method().is_empty()).map(|seen| seen.body).collect()
}

#[test]
fn a_question_comes_with_the_way_to_answer_it() {
    let net = asking(&["sampling/createMessage", "roots/list"], json!({"content": []}));
    let (upstream, asker) = (upstream(), willing(json!({"sampling": {}, "roots": {}, "tasks": {}})));
    let questions = net.run(async {
        let answer = asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await.unwrap();
        let Answer::Dialog(turns) = answer else { panic!("expected questions") };
        let mut requests = Vec::new();
        let turns: Vec<StreamItem> = turns.collect().await;
        for turn in turns {
            match turn {
                StreamItem::Request(request) => {
                    let outcome = match requests.is_empty() {
                        true => Ok(r#"{"role":"assistant"}"#.to_owned()),
                        false => Err(RpcError::relayed(-1, "no", None)),
                    };
                    requests.push((request.method, request.params));
                    (request.reply)(outcome).await;
                }
                StreamItem::Task(plan) => panic!("a task of one's own: {plan:?}"),
                StreamItem::Event(event) => assert_eq!(show(&event), r#"result {"content":[]}"#),
            }
        }
        requests
    });
    let expected = [
        ("sampling/createMessage", r#"{"about":0,"_meta":{"dev.mcpsieve/server":"up"}}"#),
        ("roots/list", r#"{"about":1,"_meta":{"dev.mcpsieve/server":"up"}}"#),
    ];
    assert_eq!(questions, expected.map(|(method, params)| (method.to_owned(), params.to_owned())));
    let answers = [
        json!({"jsonrpc": "2.0", "id": 0, "result": {"role": "assistant"}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}),
    ];
    assert_eq!(told(&net), answers);
    // The session was opened for a client with exactly these capabilities.
    let begun: Vec<Value> = net
        .seen()
        .into_iter()
        .filter(|seen| seen.method() == "initialize")
        .map(|seen| seen.body["params"]["capabilities"].clone())
        .collect();
    assert_eq!(begun, [json!({}), json!({"sampling": {}, "roots": {}})]);
}

#[test]
fn callers_who_can_be_asked_other_things_have_sessions_of_their_own() {
    let net = asking(&[], json!({}));
    let upstream = upstream();
    for (capabilities, expected) in [
        (json!({"sampling": {}}), 2), // the gateway's own, and this caller's
        (json!({"sampling": {}}), 2),
        (json!({"elicitation": {"url": {}}}), 3),
        (json!({"elicitation": {}}), 4),
        (json!({"experimental": {}}), 4),
        (json!({"sampling": {}}), 4),
    ] {
        net.run(willing(capabilities.clone()).ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#)).unwrap();
        let begun = net.methods().iter().filter(|method| *method == "initialize").count();
        assert_eq!(begun, expected, "{capabilities}");
    }
}

#[test]
fn what_a_client_cannot_be_asked_is_why_the_call_failed() {
    let failed = json!({"content": [], "isError": true});
    let lacks = json!({"code": -32021, "message": "the client lacks the capability `sampling`",
        "data": {"requiredCapabilities": {"sampling": {}}}});
    let unreachable = json!({"code": -32603,
        "message": "the upstream server has a request to the client, which cannot be sent on this request",
        "data": {"reason": "client_stream"}});
    let rows = [
        ("it lacks the capability", json!({"roots": {}}), true, failed.clone(), format!("error {lacks}")),
        (
            "it takes no stream",
            json!({"sampling": {}}),
            false,
            failed.clone(),
            format!("error {unreachable}"),
        ),
        (
            "the server goes on without",
            json!({}),
            true,
            json!({"content": []}),
            r#"result {"content":[]}"#.to_owned(),
        ),
    ];
    for (name, capabilities, accepts_requests, result, expected) in rows {
        let net = asking(&["sampling/createMessage"], result);
        let asker = Asker { accepts_requests, ..willing(capabilities) };
        let upstream = upstream();
        let events = net.run(async {
            let answer = asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
            drain(&net, answer).await
        });
        let shown: Vec<String> = events.iter().map(|(_, event)| show(event)).collect();
        assert_eq!(shown, [expected], "{name}");
        assert_eq!(told(&net)[0]["error"]["code"], -32601, "{name}");
    }
}

#[test]
fn a_session_that_was_lost_is_begun_anew_for_its_holder() {
    let lost = std::cell::Cell::new(true);
    let net = Net::new(legacy(json!({"tools": {}}), move |seen: &Seen| match seen.method() {
        "tools/call" if lost.replace(false) => Reply::Response { status: 404, headers: vec![], body: vec![] },
        _ => stream(vec![last(seen, &json!({}))]),
    }));
    let asker = willing(json!({"roots": {}}));
    let upstream = upstream();
    let answer = net.run(asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#));
    assert!(matches!(answer, Ok(Answer::Result(_))));
    let begun = net.seen().into_iter().filter(|seen| seen.method() == "initialize");
    let capabilities: Vec<Value> = begun.map(|seen| seen.body["params"]["capabilities"].clone()).collect();
    // The gateway's own session is alive.
    assert_eq!(capabilities, [json!({}), json!({"roots": {}}), json!({"roots": {}})]);
}

/// A server that answers with JSON sends nothing before its answer.
#[test]
fn a_call_that_is_given_up_before_its_answer_begins_is_cancelled() {
    let net = Net::new(legacy(json!({"tools": {}}), |seen: &Seen| match seen.method() {
        "tools/call" => Reply::Hang,
        _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
    }));
    let (upstream, asker) = (upstream(), Asker::legacy());
    for left_after_ms in [50, 60_000] {
        net.run(async {
            let call = asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#);
            // The client leaves, or the gateway gives up after `callTimeoutMs`.
            let left =
                futures_util::future::select(Box::pin(call), Box::pin(Fetch::sleep(&net, left_after_ms)));
            drop(left.await);
        });
        net.run(async {});
        let cancelled = net.last("notifications/cancelled").unwrap();
        assert_eq!(cancelled.body["params"]["requestId"], net.last("tools/call").unwrap().body["id"]);
    }
}

#[test]
fn a_server_with_sessions_is_told_when_nobody_waits_any_more() {
    let net = Net::new(legacy(json!({"tools": {}}), |seen: &Seen| match seen.method() {
        "tools/call" => {
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}});
            stream(vec![event(&progress), Piece::Hang])
        }
        _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
    }));
    let upstream = upstream();
    let answer = net.run(Asker::legacy().ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#)).unwrap();
    let Answer::Dialog(mut turns) = answer else { panic!("expected a stream") };
    let first = net.run(turns.next());
    assert!(matches!(first, Some(StreamItem::Event(Event::Notification(_)))));
    drop(turns);
    net.run(async {});
    let seen = net.seen();
    let (call, told) = (&seen[seen.len() - 2], &seen[seen.len() - 1]);
    assert_eq!(told.body["method"], "notifications/cancelled");
    assert_eq!(told.body["params"]["requestId"], call.body["id"]);
    assert_eq!(told.header("mcp-session-id"), Some("session-1"));
}

/// A server may only ask in the modes that the client declares (section "Elicitation" of revision 2025-11-25). An empty
/// capability declares forms.
#[test]
fn a_question_in_a_mode_that_the_client_lacks_is_not_asked() {
    let failed = json!({"content": [], "isError": true});
    let rows = [
        (json!({}), json!({}), Some(json!({}))),
        (json!({"elicitation": {}}), json!({}), None),
        (json!({"elicitation": {"form": {}}}), json!({"mode": "form"}), None),
        (json!({"elicitation": {"url": {}}}), json!({}), Some(json!({"form": {}}))),
        (json!({"elicitation": {}}), json!({"mode": "url"}), Some(json!({"url": {}}))),
        (json!({"elicitation": {"form": {}}}), json!({"mode": "url"}), Some(json!({"url": {}}))),
        (json!({"elicitation": {"form": {}, "url": {}}}), json!({"mode": "url"}), None),
    ];
    for (capabilities, params, missing) in rows {
        let (name, result) = (format!("{capabilities} {params}"), failed.clone());
        let net = Net::new(legacy(json!({"tools": {}}), move |seen: &Seen| match seen.method() {
            "tools/call" => {
                let question =
                    json!({"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": params});
                stream(vec![event(&question), last(seen, &result)])
            }
            _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
        }));
        let (asker, upstream) = (willing(capabilities), upstream());
        let outcome = net.run(async {
            let answer = asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
            match answer.unwrap() {
                Answer::Dialog(mut turns) => match turns.next().await.unwrap() {
                    StreamItem::Request(_) => None,
                    StreamItem::Event(event) => Some(show(&event)),
                    StreamItem::Task(plan) => panic!("{plan:?}"),
                },
                other => Some(show(&drain(&net, Ok(other)).await[0].1)),
            }
        });
        let lacks = |missing: Value| {
            let required = json!({"requiredCapabilities": {"elicitation": missing}});
            let message = "the client lacks the capability `elicitation`";
            format!("error {}", json!({"code": -32021, "message": message, "data": required}))
        };
        assert_eq!(outcome, missing.map(lacks), "{name}");
    }
}
