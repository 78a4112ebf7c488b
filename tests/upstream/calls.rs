//! Calls: the events that they return, in which order and at what time.

use futures_util::{StreamExt, future::join};
use mcp_sieve_gateway::{
    host::{Answer, StreamItem},
    upstream::{Fetch, MAX_ANSWER, MAX_ANSWER_MS},
};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, drain, settings, show, upstream},
    net::{Net, Piece, Reply, Seen},
    server::{event, last, legacy, modern, response, stream},
};

const CALL: &str = r#"{"name":"t","_meta":{"progressToken":7}}"#;

fn progress(at: u32) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 7, "progress": at}})
}

fn content(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// Returns all events of a call to this server, each with its time.
fn called(net: &Net) -> Vec<(u64, String)> {
    let upstream = upstream();
    let events = net.run(async {
        let answer = Asker::legacy().ask(net, &upstream, "tools/call", CALL).await;
        drain(net, answer).await
    });
    events.iter().map(|(at, event)| (*at, show(event))).collect()
}

fn tools() -> Value {
    json!({"tools": {}})
}

#[test]
fn a_result_keeps_every_byte() {
    let text = r#"{ "content":[],"zeta":1.0,"alpha":1e400,"x":"\u00e9" ,"_meta":{"b":1,"a":2}}"#;
    let net = Net::new(legacy(tools(), move |seen| {
        let body = format!(r#"{{"result": {text} ,"id":{},"jsonrpc":"2.0","extra":[]}}"#, seen.body["id"]);
        response(200, "application/json", body)
    }));
    assert_eq!(called(&net), [(0, format!("result {text}"))]);
}

#[test]
fn a_deep_result_and_a_lone_surrogate_keep_their_bytes() {
    for levels in [100, 1_000, 100_000] {
        let deep = ["[".repeat(levels), "]".repeat(levels)].concat();
        let text = format!(r#"{{"content":[],"structuredContent":{{"\ud800":{deep},"a":"cut \ud83d"}}}}"#);
        let sent = text.clone();
        let net = Net::new(legacy(tools(), move |seen| {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{sent}}}"#, seen.body["id"]);
            response(200, "application/json", body)
        }));
        assert_eq!(called(&net), [(0, format!("result {text}"))]);
    }
    let net = Net::new(legacy(tools(), |seen| {
        let id = &seen.body["id"];
        let error = r#"{"code":-32000,"message":"cut \ud83d","data":{"\ud800":"\udc00"}}"#;
        response(200, "application/json", format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
    }));
    let [(0, error)] = &called(&net)[..] else { panic!("an error") };
    assert!(error.contains("cut \u{fffd}"), "{error}");
}

#[test]
fn notifications_are_passed_on_as_they_arrive() {
    let net = Net::new(legacy(tools(), |seen| {
        stream(vec![
            Piece::Bytes(b"id: 1\nretry: 5\ndata:\n\n".to_vec()),
            Piece::Wait(100),
            event(&progress(1)),
            Piece::Wait(800),
            event(&progress(2)),
            event(&progress(3)),
            Piece::Wait(899),
            last(seen, &content("done")),
            event(&progress(4)),
        ])
    }));
    let expected = [
        (100, format!("notification {}", progress(1))),
        (900, format!("notification {}", progress(2))),
        (900, format!("notification {}", progress(3))),
        (1799, format!("result {}", content("done"))),
    ];
    assert_eq!(called(&net), expected);
}

#[test]
fn a_stream_that_begins_with_the_response_is_no_stream() {
    let net = Net::new(legacy(tools(), |seen| {
        stream(vec![Piece::Wait(300), last(seen, &content("done")), Piece::Hang])
    }));
    let upstream = upstream();
    let answer = net.run(async { Asker::legacy().ask(&net, &upstream, "tools/call", CALL).await });
    let Ok(Answer::Result(result)) = answer else { panic!("expected a result") };
    assert_eq!(String::from_utf8(result).unwrap(), content("done").to_string());
}

#[test]
fn a_stream_that_takes_its_time_is_handed_on_unbegun() {
    let net = Net::new(legacy(tools(), |seen| stream(vec![Piece::Wait(850), last(seen, &content("done"))])));
    let upstream = upstream();
    net.run(async {
        let answer = Asker::legacy().ask(&net, &upstream, "tools/call", CALL).await.unwrap();
        assert_eq!(net.now(), 400, "handed on when the answer is due");
        let Answer::Dialog(_) = &answer else { panic!("expected a stream") };
        let events = drain(&net, Ok(answer)).await;
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].0, show(&events[0].1)), (850, format!("result {}", content("done"))));
    });
}

/// Returns the error of a call that waited too long for a complete message.
fn incomplete() -> String {
    let failure = json!({"code": -32603, "data": {"reason": "upstream_timeout"},
        "message": "upstream `up` sent no complete message for 900 ms while answering `tools/call`"});
    format!("error {failure}")
}

#[test]
fn a_silent_stream_is_given_up() {
    let patience = settings().call_timeout_ms;
    let quiet = |ms: u64| {
        Net::new(legacy(tools(), move |seen| {
            let done = last(seen, &content("done"));
            stream(vec![event(&progress(1)), Piece::Wait(ms), event(&progress(2)), Piece::Wait(ms), done])
        }))
    };
    let patient = called(&quiet(patience - 1));
    assert_eq!(patient.last().unwrap(), &(2 * (patience - 1), format!("result {}", content("done"))));
    let given_up = called(&quiet(patience + 1));
    assert_eq!((given_up.len(), given_up.last().unwrap()), (2, &(patience, incomplete())));

    let never = Net::new(legacy(tools(), |_| stream(vec![Piece::Hang])));
    assert_eq!(called(&never), [(patience, incomplete())], "silent from the first");
}

#[test]
fn bytes_that_complete_no_message_buy_no_time() {
    let patience = settings().call_timeout_ms;
    let trickle = |first: Piece, piece: &'static [u8]| {
        let rest = std::iter::repeat_n([Piece::Wait(100), Piece::Bytes(piece.to_vec())], 30).flatten();
        std::iter::once(first).chain(rest).collect::<Vec<_>>()
    };
    let json = |body: Vec<Piece>| Reply::Response {
        status: 200,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body,
    };
    let replies = [
        (1, stream(trickle(event(&progress(1)), b": alive\n\n"))),
        (0, stream(trickle(Piece::Wait(0), b": alive\n\n"))),
        (0, stream(trickle(Piece::Bytes(b"data: ".to_vec()), b"x"))),
        (0, stream(trickle(Piece::Wait(0), b"event: other\ndata: {}\n\n"))),
        (0, stream(trickle(Piece::Wait(0), b"id: 1\ndata:\n\n"))),
        (0, json(trickle(Piece::Bytes(b"{".to_vec()), b" "))),
    ];
    for (messages, reply) in replies {
        let events = called(&Net::new(legacy(tools(), move |_| reply.clone())));
        assert_eq!((events.len(), events.last().unwrap()), (messages + 1, &(patience, incomplete())));
    }
}

#[test]
fn progress_without_an_end_is_given_up() {
    let net = Net::new(legacy(tools(), |_| {
        let step = [event(&progress(1)), Piece::Wait(settings().call_timeout_ms - 1)];
        stream(std::iter::repeat_n(step, 4_100).flatten().collect())
    }));
    let events = called(&net);
    let failure = json!({"code": -32603, "data": {"reason": "upstream_timeout"},
        "message": format!("upstream `up` did not finish its answer to `tools/call` within {MAX_ANSWER_MS} ms")});
    assert_eq!(events.last().unwrap(), &(MAX_ANSWER_MS, format!("error {failure}")));
}

/// A user takes longer to answer than a server does.
#[test]
fn no_time_runs_out_while_the_client_has_a_question_to_answer() {
    let patience = settings().call_timeout_ms;
    for (after_ms, expected) in
        [(patience - 1, format!("result {}", content("done"))), (patience + 1, incomplete())]
    {
        let net = Net::new(legacy(tools(), move |seen| match seen.method() {
            "tools/call" => stream(vec![
                event(&json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {}})),
                Piece::Wait(10 * patience + after_ms),
                last(seen, &content("done")),
            ]),
            _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
        }));
        let asker =
            Asker { capabilities: json!({"elicitation": {}}), accepts_requests: true, ..Asker::legacy() };
        let upstream = upstream();
        let ended = net.run(async {
            let answer = asker.ask(&net, &upstream, "tools/call", CALL).await.unwrap();
            let Answer::Dialog(mut turns) = answer else { panic!("a question") };
            let Some(StreamItem::Request(request)) = turns.next().await else { panic!("a question") };
            let person = async {
                net.sleep(10 * patience).await;
                (request.reply)(Ok(r#"{"action":"accept"}"#.to_owned())).await;
            };
            match join(turns.next(), person).await {
                (Some(StreamItem::Event(event)), ()) => show(&event),
                (other, ()) => panic!("{other:?}"),
            }
        });
        assert_eq!(ended, expected);
    }
}

#[test]
fn json_may_take_as_long_as_a_message() {
    let halves = |seen: &Seen, ms: u64| {
        let text = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": content("done")}).to_string();
        let (head, tail) = text.split_at(20);
        let headers = vec![("content-type".to_owned(), "Application/JSON;charset=utf-8".to_owned())];
        let body =
            [head, tail].map(|half| [Piece::Wait(ms), Piece::Bytes(half.as_bytes().to_vec())]).concat();
        Reply::Response { status: 200, headers, body }
    };
    let net = Net::new(legacy(tools(), move |seen| halves(seen, 449)));
    assert_eq!(called(&net), [(898, format!("result {}", content("done")))]);
    let net = Net::new(legacy(tools(), move |seen| halves(seen, 451)));
    assert_eq!(called(&net), [(900, incomplete())]);
}

#[test]
fn what_breaks_after_the_first_notification_is_the_last_event() {
    let unreadable =
        r#"{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{"temperature":1e400}}"#;
    let rows: [(&str, &str, Vec<Piece>); 5] = [
        ("upstream_cut", "broke off its answer to `tools/call`", vec![Piece::Reset]),
        ("upstream_cut", "ended the stream of `tools/call` without a response", vec![]),
        (
            "upstream_not_mcp",
            "answered `tools/call` with something other than a JSON-RPC message",
            vec![Piece::Bytes(b"data: {}\n\n".to_vec())],
        ),
        (
            "upstream_not_mcp",
            "answered `tools/call` with something other than a JSON-RPC message",
            vec![Piece::Bytes(format!("data: {unreadable}\n\n").into_bytes())],
        ),
        (
            "upstream_too_large",
            "sent more than 16777216 bytes in answer to `tools/call`",
            vec![Piece::Bytes(vec![b'x'; MAX_ANSWER]), Piece::Bytes(b"x".to_vec())],
        ),
    ];
    for (reason, words, tail) in rows {
        let net =
            Net::new(legacy(tools(), move |_| stream([vec![event(&progress(1))], tail.clone()].concat())));
        let failure = json!({"code": -32603, "message": format!("upstream `up` {words}"),
            "data": {"reason": reason}});
        let expected = [(0, format!("notification {}", progress(1))), (0, format!("error {failure}"))];
        assert_eq!(called(&net), expected, "{reason}");
    }
}

#[test]
fn an_answer_has_a_largest_size() {
    let answers = |bytes: usize| {
        let net = Net::new(legacy(tools(), move |seen| {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"x":""}}}}"#, seen.body["id"]);
            let body = frame.replace(":\"\"", &format!(":\"{}\"", "y".repeat(bytes - frame.len())));
            response(200, "application/json", body)
        }));
        called(&net).remove(0).1
    };
    assert!(answers(MAX_ANSWER).starts_with("result "));
    assert!(answers(MAX_ANSWER + 1).contains("upstream_too_large"));
}

#[test]
fn every_cut_of_a_stream_gives_the_same_events() {
    let whole = |id: &Value| {
        let done = json!({"jsonrpc": "2.0", "id": id, "result": content("größer")});
        format!(
            "\u{feff}: hi\r\nid: 1\r\ndata:\r\n\r\nevent: message\rdata: {}\r\rdata: {{\"jsonrpc\":\ndata: \"2.0\",\
            \"method\":\"notifications/x\"}}\n\nevent: message\r\ndata: {done}\r\n\r\n",
            progress(1)
        )
    };
    let at = |cut: usize| {
        let net = Net::new(legacy(tools(), move |seen| {
            let bytes = whole(&seen.body["id"]).into_bytes();
            let (head, tail) = bytes.split_at(cut.min(bytes.len()));
            stream(vec![Piece::Bytes(head.to_vec()), Piece::Wait(1), Piece::Bytes(tail.to_vec())])
        }));
        called(&net).into_iter().map(|(_, event)| event).collect::<Vec<_>>()
    };
    let expected = [
        format!("notification {}", progress(1)),
        "notification {\"jsonrpc\":\n\"2.0\",\"method\":\"notifications/x\"}".to_owned(),
        format!("result {}", content("größer")),
    ];
    for cut in 0..=whole(&json!(4)).len() {
        assert_eq!(at(cut), expected, "cut at byte {cut}");
    }
}

#[test]
fn what_the_server_asks_of_its_client_is_declined() {
    let ask =
        |id: Value, method: &str| event(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}));
    let net = Net::new(legacy(tools(), move |seen| match seen.method() {
        "tools/call" => stream(vec![
            ask(json!("s-1"), "sampling/createMessage"),
            ask(json!(7), "ping"),
            event(&progress(1)),
            ask(json!(8), "roots/list"),
            last(seen, &content("done")),
        ]),
        _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
    }));
    let expected = [(0, format!("notification {}", progress(1))), (0, format!("result {}", content("done")))];
    assert_eq!(called(&net), expected);
    let answers: Vec<_> = net.seen().into_iter().filter(|seen| seen.method().is_empty()).collect();
    let texts: Vec<&str> = answers.iter().map(|seen| seen.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            r#"{"jsonrpc":"2.0","id":"s-1","error":{"code":-32601,"message":"the upstream server has a request to the client, which cannot be sent on this request"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"the client lacks the capability `roots`"}}"#,
        ]
    );
    for answer in answers {
        assert_eq!(answer.header("mcp-session-id"), Some("session-1"));
        assert_eq!(answer.header("mcp-protocol-version"), Some("2025-11-25"));
    }
}

#[test]
fn a_server_that_does_not_hear_the_answer_holds_nobody_up() {
    for deaf in [Reply::Lost, Reply::Hang, response(500, "text/html", "<html>")] {
        let net = Net::new(legacy(tools(), move |seen| match seen.method() {
            "tools/call" => stream(vec![
                event(&json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})),
                last(seen, &content("done")),
            ]),
            _ => deaf.clone(),
        }));
        let events = called(&net);
        assert_eq!(events.len(), 1);
        assert!(events[0].0 <= 800, "held up for {} ms", events[0].0);
        assert_eq!(events[0].1, format!("result {}", content("done")));
    }
}

#[test]
fn methods_other_than_tools_are_asked_alike() {
    for method in ["prompts/get", "resources/read", "completion/complete"] {
        for server in [
            Box::new(legacy(json!({}), echo)) as Box<dyn Fn(&Seen) -> Reply>,
            Box::new(modern(json!({}), echo)),
        ] {
            let net = Net::new(server);
            let answer =
                net.run(async { Asker::modern().ask(&net, &upstream(), method, r#"{"uri":"u:1"}"#).await });
            let Ok(Answer::Result(result)) = answer else { panic!("{method}: expected a result") };
            assert_eq!(serde_json::from_slice::<Value>(&result).unwrap()["asked"], method);
        }
    }
}

fn echo(seen: &Seen) -> Reply {
    crate::server::result(seen, json!({"asked": seen.method()}))
}

/// Some servers end their streams as those of language models do.
#[test]
fn what_follows_the_response_is_not_read() {
    let net = Net::new(legacy(json!({"tools": {}}), |seen| match seen.method() {
        "tools/call" => {
            let response = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": {"content": []}});
            stream(vec![Piece::Bytes(format!("data: {response}\n\ndata: [DONE]\n\n").into_bytes())])
        }
        _ => stream(vec![last(seen, &json!({}))]),
    }));
    net.run(async {
        let answer = Asker::legacy().ask(&net, &upstream(), "tools/call", r#"{"name":"t"}"#).await;
        assert_eq!(show(&drain(&net, answer).await[0].1), r#"result {"content":[]}"#);
    });
}
