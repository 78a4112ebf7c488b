//! What a server sends in a session outside the answers of calls, where one reader serves all calls of the session.

use std::{cell::Cell, rc::Rc};

use futures_util::StreamExt;
use http::{HeaderMap, HeaderValue};
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::{
    error::RpcError,
    host::{Answer, Call, Caller, Revision, StreamItem},
    server::ReadObject,
    session::{EventLog, LoggedEvent, SessionStreams},
    upstream::{Fetch, Gateway},
};
use serde_json::{Value, json};

use crate::{
    ask::{settings, show},
    net::{Net, Piece, Reply, Seen},
    server::{event, last, legacy, response, result, stream},
};

/// A log that stores nothing.
#[derive(Default)]
pub struct NoLog(Cell<u64>);

impl EventLog for NoLog {
    fn append(&self, _: Option<u64>, _: &[u8], _: bool) -> Result<u64, RpcError> {
        self.0.set(self.0.get() + 1);
        Ok(self.0.get())
    }

    fn read(&self, _: u64, _: u64) -> Result<Vec<LoggedEvent>, RpcError> {
        Ok(Vec::new())
    }
}

/// A client with a session, and the gateway that it calls.
struct Client {
    net: Net,
    gateway: Gateway,
    streams: Rc<SessionStreams>,
    headers: HeaderMap,
    capabilities: Value,
}

impl Client {
    /// Returns a client in front of a server whose standalone stream has these pieces.
    fn new(capabilities: Value, pieces: impl Fn() -> Vec<Piece> + 'static) -> Self {
        let server = legacy(json!({"tools": {}}), move |seen| answer(seen, &pieces));
        let net = Net::new(server).in_a_place();
        let gateway = Gateway::new(&[settings()], &|_| None).unwrap();
        let headers =
            HeaderMap::from_iter([("mcp-session-id".parse().unwrap(), HeaderValue::from_static("one"))]);
        let streams = SessionStreams::new(NoLog::default());
        Self { net, gateway, streams, headers, capabilities }
    }

    /// Calls a tool, and answers the server's requests for roots. Returns the events, with `asked` for each request.
    async fn call(&self) -> Vec<String> {
        let caller = Caller {
            capabilities: self.capabilities.clone(),
            level: "info".parse().ok(),
            ..Caller::new(&self.headers, Revision::V2025_11_25, "tools/call")
        };
        let params = Raw::parse(r#"{"name":"t","_meta":{"progressToken":7}}"#).unwrap();
        let call = Call {
            method: "tools/call",
            params: ReadObject::read(params),
            servers: &["up".to_owned()],
            caller: &caller,
            accepts_requests: true,
            streams: Some(&self.streams),
            task: None,
            passthrough: None,
        };
        match self.gateway.forward(&self.net, &call).await {
            Ok(Answer::Result(result)) => vec![String::from_utf8(result).unwrap()],
            Ok(Answer::Error(failure)) | Err(failure) => vec![failure.to_json().to_string()],
            Ok(Answer::Events(_) | Answer::Passthrough(_)) => panic!("events without questions"),
            Ok(Answer::Dialog(mut turns)) => {
                let mut all = Vec::new();
                while let Some(turn) = turns.next().await {
                    match turn {
                        StreamItem::Request(request) => {
                            all.push(format!("asked {}", request.method));
                            (request.reply)(Ok(r#"{"roots":[{"uri":"file:///a"}]}"#.to_owned())).await;
                        }
                        StreamItem::Event(event) => all.push(show(&event)),
                        StreamItem::Task(plan) => panic!("a task of one's own: {plan:?}"),
                    }
                }
                all
            }
        }
    }

    /// Returns the methods that the server has received since the first `from` requests; `answer ID` for an answer.
    fn sent(&self, from: usize) -> Vec<String> {
        let named = |seen: &Seen| match (seen.method(), seen.body.get("result"), seen.body.get("error")) {
            ("", Some(_), _) => format!("answer {}", seen.body["id"]),
            ("", _, Some(error)) => format!("refusal {} {}", seen.body["id"], error["code"]),
            (method, ..) => method.to_owned(),
        };
        self.net.seen().iter().skip(from).map(named).collect()
    }

    fn count(&self, method: &str) -> usize {
        self.net.methods().iter().filter(|seen| *seen == method).count()
    }

    /// Lets time pass, in which the reader works.
    fn wait(&self, ms: u64) {
        self.net.run(self.net.sleep(ms));
    }
}

fn answer(seen: &Seen, pieces: &impl Fn() -> Vec<Piece>) -> Reply {
    match seen.method() {
        "GET" => stream(pieces()),
        "DELETE" => response(204, "text/plain", ""),
        "" | "notifications/roots/list_changed" => response(202, "text/plain", ""),
        "tools/call" => stream(vec![Piece::Wait(300), last(seen, &json!({"content": []}))]),
        _ => result(seen, json!({})),
    }
}

fn question(id: i64) -> Piece {
    event(&json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"}))
}

fn notification(method: &str, params: Value) -> Piece {
    event(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

const RESULT: &str = r#"result {"content":[]}"#;

/// The server asks when its session begins: before the call, and on a stream that is open before the session is ready.
#[test]
fn l1_roots_that_a_server_asks_for_at_the_start_are_answered_before_the_first_call() {
    let client = Client::new(json!({"roots": {"listChanged": true}}), || vec![question(0), Piece::Hang]);
    let events = client.net.run(client.call());
    assert_eq!(events, ["asked roots/list", RESULT]);
    assert_eq!(
        client.sent(1),
        // The gateway's own session, and that of the client.
        [
            "initialize",
            "notifications/initialized",
            "initialize",
            "GET",
            "notifications/initialized",
            "ping",
            "answer 0",
            "tools/call"
        ]
    );
    let declared = &client.net.last("initialize").unwrap().body["params"]["capabilities"];
    assert_eq!(*declared, json!({"roots": {"listChanged": true}}));
    // Later calls wait for nothing.
    let before = client.net.seen().len();
    assert_eq!(client.net.run(client.call()).len(), 1);
    assert_eq!(client.sent(before), ["tools/call"]);
}

/// What the server says besides asking belongs to the call.
#[test]
fn l1_messages_beside_the_request_for_roots_reach_the_first_call() {
    let log = || notification("notifications/message", json!({"level": "info", "data": "x"}));
    let client = Client::new(json!({"roots": {}}), move || vec![log(), question(0), log(), Piece::Hang]);
    let events = client.net.run(client.call());
    assert_eq!(events.len(), 4, "{events:?}");
    assert_eq!((events[0].as_str(), events[3].as_str()), ("asked roots/list", RESULT));
}

/// Without an open stream of the client, nobody could answer before the next call.
#[test]
fn l1_changed_roots_reach_the_server_before_the_next_call() {
    let client = Client::new(json!({"roots": {"listChanged": true}}), || {
        vec![Piece::Wait(5_000), question(1), Piece::Hang]
    });
    client.net.run(client.call());
    client.gateway.roots_changed(&client.net, &HeaderValue::from_static("one"), false);
    client.gateway.roots_changed(&client.net, &HeaderValue::from_static("another"), false);
    client.wait(4_000);
    let before = client.net.seen().len();
    client.net.run(client.call());
    assert_eq!(client.sent(before)[..2], ["notifications/roots/list_changed", "ping"]);
    assert_eq!(client.count("notifications/roots/list_changed"), 1);
    // With one, the server is notified at once.
    client.gateway.roots_changed(&client.net, &HeaderValue::from_static("one"), true);
    client.wait(1);
    assert_eq!(client.count("notifications/roots/list_changed"), 2);
}

/// A request that reaches no client is refused at once, whether or not a call is in progress.
#[test]
fn l7_requests_that_no_client_can_answer_are_refused_at_once() {
    for (capabilities, at_ms) in [(json!({}), 200), (json!({}), 2_000), (json!({"roots": {}}), 2_000)] {
        let client = Client::new(capabilities, move || vec![Piece::Wait(at_ms), question(5), Piece::Hang]);
        client.net.run(client.call());
        client.wait(3_000);
        assert!(client.sent(0).contains(&"refusal 5 -32601".to_owned()), "{at_ms}: {:?}", client.sent(0));
    }
}

#[test]
fn l4_messages_of_the_stream_reach_the_call_in_progress() {
    let log = || notification("notifications/message", json!({"level": "info", "data": "x"}));
    let progress =
        |token: i64| notification("notifications/progress", json!({"progressToken": token, "progress": 1}));
    let client = Client::new(json!({}), move || {
        vec![Piece::Wait(100), log(), progress(7), Piece::Wait(1_000), log(), Piece::Hang]
    });
    let events = client.net.run(client.call());
    assert_eq!(events.len(), 3, "{events:?}");
    assert!(events[0].contains("notifications/message"), "{events:?}");
    assert!(events[1].contains("notifications/progress"), "{events:?}");
}

#[test]
fn a_stream_is_read_for_half_a_minute_after_its_last_use() {
    let client = Client::new(json!({}), || vec![Piece::Hang]);
    client.net.run(client.call());
    client.wait(20_000);
    client.net.run(client.call());
    assert_eq!(client.count("GET"), 1);
    client.wait(60_000);
    client.net.run(client.call());
    assert_eq!((client.count("GET"), client.count("initialize")), (2, 2));
    assert_eq!(client.count("DELETE"), 0, "the session is kept");
    client.gateway.end_sessions(&client.net, &HeaderValue::from_static("one"));
    client.wait(6_000);
    assert_eq!(client.count("DELETE"), 1);
}

/// Proxies close idle streams.
#[test]
fn a_stream_that_closes_is_opened_again_while_it_is_used() {
    let client = Client::new(json!({}), || vec![Piece::Wait(4_000)]);
    client.net.run(client.call());
    client.wait(25_000);
    let opened = client.count("GET");
    assert!((3..=7).contains(&opened), "{opened}");
    client.wait(60_000);
    let opened = client.count("GET");
    client.wait(60_000);
    assert_eq!(client.count("GET"), opened, "nothing uses the session");
}
