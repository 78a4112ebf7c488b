//! The memory for replies: its limit, and its release on every path.

use std::{cell::Cell, pin::pin, rc::Rc};

use futures_util::{
    StreamExt,
    future::{Either, join_all, select},
};
use http::HeaderMap;
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::server::ReadObject;
use mcp_sieve_gateway::{
    config,
    host::{Answer, Call, Caller, Revision},
    upstream::{Fetch, Gateway, MAX_REPLIES, Upstream},
};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, settings, upstream},
    net::{Net, Piece, Reply, Seen},
    server::{event, last, legacy, response, result, stream},
};

const MIB: usize = 1024 * 1024;

/// Returns an answer in JSON of about this many MiB, of which one arrives each millisecond.
fn large(seen: &Seen, mib: usize) -> Reply {
    let Reply::Response { status, headers, .. } = response(200, "application/json", "") else {
        panic!("a response")
    };
    let begin = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[],"x":""#, seen.body["id"]);
    let mut body = vec![Piece::Bytes(begin.into_bytes())];
    body.extend((0..mib).flat_map(|_| [Piece::Bytes(vec![b'x'; MIB]), Piece::Wait(1)]));
    body.push(Piece::Bytes(b"\"}}".to_vec()));
    Reply::Response { status, headers, body }
}

/// Returns a server that answers calls of tools named by a number with so many MiB, and all others at once.
fn server() -> Net {
    Net::new(legacy(json!({"tools": {}}), |seen: &Seen| match seen.body["params"]["name"].as_str() {
        Some("stalled") => {
            let Reply::Response { status, headers, mut body } = large(seen, 15) else { panic!("a response") };
            body.insert(20, Piece::Hang);
            Reply::Response { status, headers, body }
        }
        Some("broken") => {
            let Reply::Response { status, headers, mut body } = large(seen, 15) else { panic!("a response") };
            body.insert(20, Piece::Reset);
            Reply::Response { status, headers, body }
        }
        Some("event") => {
            let unfinished = Piece::Bytes([b"data: ".as_slice(), &vec![b'x'; 15 * MIB]].concat());
            stream(vec![event(&progress()), Piece::Wait(5), unfinished, Piece::Hang])
        }
        Some("events") => {
            let long = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x".repeat(10 * MIB)}});
            stream(vec![event(&long), event(&long), Piece::Wait(50), last(seen, &json!({"content": []}))])
        }
        Some(name) if name.parse::<usize>().is_ok() => large(seen, name.parse().unwrap()),
        _ => result(seen, json!({"content": []})),
    }))
}

fn progress() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 7, "progress": 1}})
}

/// Calls a tool, and returns the length of its result or its error.
async fn call(net: &Net, upstream: &Upstream, name: &str) -> Result<usize, Value> {
    let params = json!({"name": name}).to_string();
    match Asker::legacy().ask(net, upstream, "tools/call", &params).await {
        Ok(Answer::Result(result)) => Ok(result.len()),
        Ok(Answer::Dialog(events)) => Ok(events.count().await),
        Ok(_) => panic!("a result or its events"),
        Err(failure) => Err(failure.to_json()),
    }
}

/// Runs `work`, and returns the most bytes of replies that were held meanwhile, and in the end.
fn measured<T>(net: &Net, upstream: &Upstream, work: impl Future<Output = T>) -> (T, usize, usize) {
    let most = Rc::new(Cell::new(0));
    let (clock, seen) = (net.clone(), Rc::clone(&most));
    let watch = async {
        loop {
            seen.set(upstream.reply_bytes().max(seen.get()));
            clock.sleep(1).await;
        }
    };
    let done = net.run(async {
        match select(pin!(work), pin!(watch)).await {
            Either::Left((done, _)) => done,
            Either::Right((never, _)) => never,
        }
    });
    net.run(net.sleep(1));
    (done, most.get(), upstream.reply_bytes())
}

#[test]
fn replies_at_once_take_no_more_than_their_memory() {
    let (net, upstream) = (server(), upstream());
    net.run(call(&net, &upstream, "small")).unwrap();
    let calls = async { join_all((0..12).map(|_| call(&net, &upstream, "15"))).await };
    let (done, most, left) = measured(&net, &upstream, calls);
    let served = done.iter().filter(|done| done.is_ok()).count();
    assert!((1..=2).contains(&served), "{done:?}");
    assert!(most <= MAX_REPLIES && most > 15 * MIB, "{most}");
    assert_eq!(left, 0);
    let refused: Vec<_> = done.into_iter().filter_map(Result::err).collect();
    for failure in &refused {
        assert_eq!(failure["data"], json!({"reason": "reply_limit", "retryAfter": 1}), "{failure}");
    }
    // The limit is the gateway's own, so the server is not paused.
    assert!(net.run(call(&net, &upstream, "15")).unwrap() > 15 * MIB);
}

#[test]
fn small_replies_are_read_while_large_ones_leave_no_room() {
    let (net, upstream) = (server(), upstream());
    net.run(async {
        let stalled = join_all((0..4).map(|_| call(&net, &upstream, "stalled")));
        let small = async {
            net.sleep(100).await;
            assert_eq!(call(&net, &upstream, "1").await.unwrap_err()["data"]["reason"], "reply_limit");
            assert!(call(&net, &upstream, "small").await.is_ok());
        };
        let Either::Right(_) = select(pin!(stalled), pin!(small)).await else { panic!("they stall") };
    });
    assert_eq!(upstream.reply_bytes(), 0, "dropping the calls releases their memory");
}

/// A reply releases its memory if it breaks off, if its caller leaves, and if its messages have been passed on.
#[test]
fn memory_is_released_on_every_path() {
    for (name, held) in
        [("broken", 8 * MIB), ("stalled", 8 * MIB), ("event", 15 * MIB), ("events", 0), ("7", 4 * MIB)]
    {
        let (net, upstream) = (server(), upstream());
        let leaving = async {
            let left = net.sleep(40);
            select(pin!(call(&net, &upstream, name)), pin!(left)).await;
        };
        let ((), most, left) = measured(&net, &upstream, leaving);
        assert!(most >= held && most <= MAX_REPLIES, "{name}: {most}");
        assert_eq!(left, 0, "{name}");
    }
}

#[test]
fn the_servers_of_a_gateway_share_the_memory() {
    let net = server();
    let named = |name: &str| config::Upstream { name: name.to_owned(), ..settings() };
    let gateway = Gateway::new(&[named("up"), named("other")], &|_| None).unwrap();
    let headers = HeaderMap::new();
    let caller = Caller::new(&headers, Revision::V2025_11_25, "tools/call");
    let forward = async |server: &str, params: &str| {
        let servers = [server.to_owned()];
        let params = ReadObject::read(Raw::parse(params).unwrap());
        let call = Call {
            method: "tools/call",
            params,
            servers: &servers,
            caller: &caller,
            accepts_requests: false,
            streams: None,
            task: None,
            passthrough: None,
        };
        gateway.forward(&net, &call).await.err().map(|failure| failure.to_json())
    };
    net.run(async {
        let stalled = join_all((0..2).map(|_| forward("up", r#"{"name":"stalled"}"#)));
        let other = async {
            net.sleep(100).await;
            assert_eq!(forward("other", r#"{"name":"1"}"#).await.unwrap()["data"]["reason"], "reply_limit");
            assert_eq!(forward("other", r#"{"name":"small"}"#).await, None);
        };
        let Either::Right(_) = select(pin!(stalled), pin!(other)).await else { panic!("they stall") };
        assert_eq!(forward("other", r#"{"name":"1"}"#).await, None);
    });
}
