//! Responses of an upstream server, byte for byte: JSON, an event stream, or neither.

use futures_util::StreamExt;
use http::HeaderMap;
use mcp_sieve::json::{self, Members, Raw};
use mcp_sieve_gateway::server::ReadObject;
use mcp_sieve_gateway::{
    config,
    error::RpcError,
    host::{Answer, Call, Caller, Event, Revision, StreamItem},
    upstream::Upstream,
};
use serde_json::{Value, json};

use crate::{
    corpus,
    net::{Net, Piece, Reply, Seen},
    refusal, server,
    target::Target,
};

pub const TARGET: Target = Target { mutations: 6_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "200 application/json\n",
    "200 text/event-stream\n",
    "404 application/json\n",
    "503 text/html\n",
    "data: ",
    "event: message\n",
    "\n\n",
    "\r\n",
    "\u{feff}",
    "~wait~",
    "~reset~",
    "~hang~",
    "\"id\":2",
    "\"jsonrpc\":\"2.0\"",
    "\"result\"",
    "\"error\"",
    "\"method\"",
    "\"params\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
];
/// A placeholder for the id of the request.
const ID: &str = "\"$id\"";

fn seeds() -> Vec<Vec<u8>> {
    let message = format!(r#"{{"jsonrpc":"2.0","id":{ID},"result":{{"content":[]}}}}"#);
    let refusal =
        format!(r#"{{"jsonrpc":"2.0","id":{ID},"error":{{"code":-1,"message":"no","data":{{}}}}}}"#);
    let progress =
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    let question = r#"{"jsonrpc":"2.0","id":"q","method":"ping"}"#;
    let told = corpus::under("body")
        .into_iter()
        .filter(Value::is_string)
        .map(|body| format!("200 text/event-stream\n{}", body.as_str().unwrap()));
    [
        format!("200 application/json\n{message}"),
        format!("200 application/json\n[{progress},{message}]"),
        format!("400 application/json\n{refusal}"),
        format!("200 text/event-stream\ndata: {message}\n\n"),
        format!("200 text/event-stream\nevent: message\ndata: {progress}\n\n~wait~data: {question}\n\ndata: {refusal}\n\n"),
        format!("200 text/event-stream\ndata: {progress}\n\n~reset~"),
        "200 text/event-stream\n: c\n\n~hang~".to_owned(),
        "503 text/html\n<h1>no</h1>".to_owned(),
        format!("200 application/json; charset=utf-8\n{}", &message[..20]),
    ]
    .into_iter()
    .chain(told)
    .map(String::into_bytes)
    .collect()
}

/// Parses an input as a reply: status and media type, then the body, with marks for delays and failures.
fn reply(input: &[u8], seen: &Seen) -> Reply {
    let input = String::from_utf8_lossy(input).replace(ID, &seen.body["id"].to_string());
    let (head, body) = input.split_once('\n').unwrap_or(("200 application/json", &input));
    let (status, media) = head.split_once(' ').unwrap_or((head, "application/json"));
    let status = status.parse().ok().filter(|status| (200..600).contains(status)).unwrap_or(200);
    let media: String = media.chars().filter(|c| matches!(c, ' '..='~')).collect();
    let mut pieces = Vec::new();
    let mut rest = body;
    while let Some(at) = rest.find('~') {
        pieces.push(Piece::Bytes(rest[..at].into()));
        let marks = [("~wait~", Piece::Wait(5_000)), ("~reset~", Piece::Reset), ("~hang~", Piece::Hang)];
        let mark = marks.into_iter().find_map(|(mark, piece)| Some((rest[at..].strip_prefix(mark)?, piece)));
        let (behind, piece) = mark.unwrap_or((&rest[at + 1..], Piece::Bytes(b"~".to_vec())));
        (rest, _) = (behind, pieces.push(piece));
    }
    pieces.push(Piece::Bytes(rest.into()));
    Reply::Response { status, headers: vec![("content-type".to_owned(), media)], body: pieces }
}

fn holds(bytes: &[u8]) -> String {
    ["modern", "legacy"].map(|era| asked(era, bytes)).join("; ")
}

fn asked(era: &str, bytes: &[u8]) -> String {
    let input = bytes.to_vec();
    let rest = move |seen: &Seen| reply(&input, seen);
    let net = match era {
        "modern" => Net::new(server::modern(json!({"tools": {}}), rest)),
        _ => Net::new(server::legacy(json!({"tools": {}}), rest)),
    };
    let settings = config::Upstream { url: "http://127.0.0.1/mcp".to_owned(), ..Default::default() };
    let upstream = Upstream::new(&settings, &|_| None).unwrap();
    let headers = HeaderMap::new();
    let caller = Caller::new(&headers, Revision::LATEST_WITH_SESSIONS, "tools/call");
    let params = Raw::parse(r#"{"name":"a"}"#).ok().and_then(ReadObject::read);
    let call = Call {
        method: "tools/call",
        params,
        servers: &[],
        caller: &caller,
        accepts_requests: false,
        streams: None,
        task: None,
        passthrough: None,
    };
    // The clock advances whenever nothing else can; the network panics if time would not help.
    match net.run(upstream.call(&net, &call)) {
        Ok(Answer::Passthrough(_)) => panic!("the call reads its result"),
        Ok(Answer::Result(result)) => result_of(&result),
        Ok(Answer::Error(failure)) | Err(failure) => failed(&failure),
        Ok(Answer::Events(_)) => panic!("an upstream server may always have a question"),
        Ok(Answer::Dialog(turns)) => {
            let events = turns.map(|turn| match turn {
                StreamItem::Event(event) => event,
                StreamItem::Request(request) => panic!("asked by {}", request.method),
                StreamItem::Task(plan) => panic!("a task of one's own: {plan:?}"),
            });
            let events: Vec<Event> = net.run(events.collect());
            let (last, before) = events.split_last().expect("a stream ends with something");
            for event in before {
                match event {
                    Event::Paused(_) => {}
                    Event::Notification(message) => {
                        assert!(is_notification(message), "{}", message.escape_ascii());
                    }
                    _ => panic!("a stream goes on behind its end"),
                }
            }
            let end = match last {
                Event::Result(result) => result_of(result),
                Event::Error(failure) => failed(failure),
                Event::Notification(_) | Event::Paused(_) => panic!("a stream ends with a response"),
                Event::Passthrough(_) => panic!("the call reads its result"),
            };
            format!("{} events, {end}", before.len().min(3))
        }
    }
}

/// Returns whether a message is a notification. It may hold numbers that a `Value` cannot.
fn is_notification(message: &[u8]) -> bool {
    let members = std::str::from_utf8(message).ok().and_then(Members::parse);
    let id = |members: &Members<'_>| members.get("id").is_none_or(json::Raw::is_null);
    members.is_some_and(|members| members.get("method").and_then(json::Raw::text).is_some() && id(&members))
}

fn result_of(result: &[u8]) -> String {
    let source = std::str::from_utf8(result).expect("a result is UTF-8");
    assert!(Raw::parse(source).is_ok() && source.starts_with('{'), "{source}");
    "a result".to_owned()
}

fn failed(failure: &RpcError) -> String {
    assert!(!failure.message.is_empty() || failure.code != -32603);
    let reason =
        failure.data.as_ref().and_then(|data| data.get("reason")).and_then(Value::as_str).unwrap_or("-");
    format!("{reason}: {}", refusal::plain(&failure.message))
}
