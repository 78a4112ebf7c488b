//! Batches whose answers take their time.

use serde_json::{Value, json};

use crate::client::{Client, frames_of};

fn call(id: &str, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}})
}

#[test]
fn a_question_of_a_batch_is_answered_in_another_and_every_response_comes_on_its_stream() {
    let client = Client::open("2025-03-26", &json!({"elicitation": {}}));
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    let mut frames = frames_of(client.post(&json!([call("q", "quiz"), call("c", "chatter"), ping])).1);
    let mut seen = Vec::new();
    let question = loop {
        let message = client.next(&mut frames).unwrap().data.unwrap();
        if message["method"] == "elicitation/create" {
            break message;
        }
        seen.push(message);
    };
    let answer = json!([{"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}]);
    assert_eq!(client.post(&answer).0.status, 202);
    seen.extend(client.rest(frames));
    let mut answered: Vec<&str> = seen.iter().filter_map(|message| message["id"].as_str()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ["c", "p", "q"]);
    let quiz = seen.iter().find(|message| message["id"] == "q").unwrap();
    assert_eq!(quiz["result"]["answers"], json!({"who": {"action": "decline"}}));
}

#[test]
fn a_request_of_a_batch_is_cancelled_alone() {
    let client = Client::open("2025-03-26", &json!({}));
    let mut frames = frames_of(client.post(&json!([call("e", "endless"), call("x", "unknown")])).1);
    assert_eq!(client.next(&mut frames).unwrap().data.unwrap()["id"], "x");
    assert_eq!(client.next(&mut frames).unwrap().data.unwrap()["method"], "notifications/message");
    let cancelled =
        json!([{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "e"}}]);
    assert_eq!(client.post(&cancelled).0.status, 202);
    assert_eq!(client.rest(frames), Vec::<Value>::new());
}

#[test]
fn the_stream_of_a_batch_is_taken_up_where_it_was_left() {
    let client = Client::open("2025-03-26", &json!({}));
    let mut frames = frames_of(client.post(&json!([call("a", "chatter"), call("b", "chatter")])).1);
    let first = client.next(&mut frames).unwrap();
    let rest = client.rest(frames);
    assert_eq!(rest.len(), 5, "two log messages and a response for each");
    assert_eq!(client.rest(client.get(first.id.as_deref())), rest);
}
