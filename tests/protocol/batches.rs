//! Batches of requests that take time to answer.

use futures_util::future;
use mcp_sieve_gateway::{server::MAX_BATCH_RESPONSES, session::MAX_EVENT};
use serde_json::{Map, Value, json};

use crate::{
    client::{Client, frames_of},
    host::World,
};

fn call(id: &str, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}})
}

/// Returns the ids of responses, in the order received.
fn answered(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter_map(|message| message["id"].as_str()).collect()
}

#[test]
fn a_question_of_a_batch_is_answered_in_another_and_responses_come_in_the_order_of_the_requests() {
    let client = Client::open("2025-03-26", &json!({"elicitation": {}}));
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    let batch = json!([call("q", "quiz"), call("c", "chatter"), call("x", "unknown"), ping]);
    let mut frames = frames_of(client.post(&batch).1);
    client.world.settle(future::pending::<()>());
    let (mut question, mut chatter) = (None, 0);
    while let Some(frame) = client.ready(&mut frames) {
        let message = frame.data.unwrap();
        match message["method"].as_str() {
            Some("elicitation/create") => question = Some(message["id"].clone()),
            Some(_) => chatter += 1,
            None => panic!("a response before its turn: {message}"),
        }
    }
    assert_eq!(chatter, 2, "notifications wait for no response");
    let answer = json!([{"jsonrpc": "2.0", "id": question, "result": {"action": "decline"}}]);
    assert_eq!(client.post(&answer).0.status, 202);
    let rest = client.rest(frames);
    assert_eq!(answered(&rest), ["q", "c", "x", "p"]);
    assert_eq!(rest[0]["result"]["answers"], json!({"who": {"action": "decline"}}));
}

#[test]
fn a_request_of_a_batch_is_cancelled_alone_and_holds_up_no_other() {
    let client = Client::open("2025-03-26", &json!({}));
    let batch = json!([call("a", "unknown"), call("e", "endless"), call("x", "unknown")]);
    let mut frames = frames_of(client.post(&batch).1);
    assert_eq!(client.next(&mut frames).unwrap().data.unwrap()["id"], "a");
    assert_eq!(client.next(&mut frames).unwrap().data.unwrap()["method"], "notifications/message");
    assert_eq!(client.ready(&mut frames), None);
    let cancelled =
        json!([{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "e"}}]);
    assert_eq!(client.post(&cancelled).0.status, 202);
    assert_eq!(answered(&client.rest(frames)), ["x"]);
}

#[test]
fn the_stream_of_a_batch_is_taken_up_where_it_was_left() {
    let client = Client::open("2025-03-26", &json!({}));
    let mut frames = frames_of(client.post(&json!([call("a", "chatter"), call("b", "chatter")])).1);
    let first = client.next(&mut frames).unwrap();
    let rest = client.rest(frames);
    assert_eq!(rest.len(), 5, "two log messages and a response for each");
    assert_eq!(answered(&rest), ["a", "b"]);
    assert_eq!(client.rest(client.get(first.id.as_deref())), rest);
}

#[test]
fn a_response_that_is_too_long_for_the_journal_reaches_the_client_that_waits() {
    let tool =
        json!({"name": "long", "description": "x".repeat(MAX_EVENT), "inputSchema": {"type": "object"}});
    let world = World::listing(json!({"tools": [tool]}), Map::new());
    let client = Client::of(world, "2025-03-26", &json!({}));
    let list = json!({"jsonrpc": "2.0", "id": "l", "method": "tools/list"});
    let responses = client.rest(frames_of(client.post(&json!([list])).1));
    assert_eq!(responses[0]["result"]["tools"], json!([tool]));
}

/// A hundred lists of a megabyte would be in memory together.
#[test]
fn long_responses_end_a_batch() {
    let description = "x".repeat(MAX_BATCH_RESPONSES / 2);
    let tool = json!({"name": "long", "description": description, "inputSchema": {"type": "object"}});
    let list = |id: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
    let client = Client::of(World::listing(json!({"tools": [tool]}), Map::new()), "2025-03-26", &json!({}));
    let batch = json!([list("a"), list("b"), list("c"), call("d", "long")]);
    let responses = client.rest(frames_of(client.post(&batch).1));
    assert_eq!(answered(&responses), ["a", "b", "c", "d"]);
    assert!(responses[..2].iter().all(|response| response["error"].is_null()));
    for refused in &responses[2..] {
        assert_eq!(refused["error"]["data"]["reason"], "batch_limit", "{refused}");
    }
    assert!(client.world.forwarded.take().is_empty(), "a call that is refused is not made");
    let alone = client.rest(frames_of(client.post(&json!([list("c")])).1));
    assert!(alone[0]["error"].is_null());
}

/// A batch would otherwise be a way around the limit of a caller.
#[test]
fn no_more_calls_of_a_batch_are_under_way_than_a_caller_may_have() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let config = json!({"limits": {"concurrent": 2}});
    let lists = json!({"tools": [tool("endless"), tool("echo")]});
    let world = World::listing(lists, config.as_object().unwrap().clone());
    let client = Client::of(world, "2025-03-26", &json!({}));
    let calls: Vec<Value> = ["a", "b", "c"].iter().map(|id| call(id, "endless")).collect();
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    let frames = frames_of(client.post(&json!([calls[0], calls[1], calls[2], ping])).1);
    client.world.settle(future::pending::<()>());
    assert_eq!(client.world.forwarded.take().len(), 2);
    let cancel = |id: &str| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    assert_eq!(client.post(&json!([cancel("a"), cancel("b")])).0.status, 202);
    let responses: Vec<Value> =
        client.rest(frames).into_iter().filter(|message| message["method"].is_null()).collect();
    assert_eq!(answered(&responses), ["c", "p"]);
    assert_eq!(responses[0]["error"]["data"]["reason"], "rate_limited");
    assert!(responses[1]["error"].is_null());
}
