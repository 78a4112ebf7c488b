//! Notifications from a server that reach the caller whose call it answers.

use std::pin::pin;

use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::{
    client::{Client, frames_of, modern, send},
    host::World,
};

/// Returns a world with a server that sends every notification, one of them about a hidden resource.
fn world() -> World {
    configured(json!({"policies": [{"name": "p", "show": "-name:payroll"}]}))
}

fn configured(config: Value) -> World {
    let tools = ["gossip", "linked"].map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
    let lists = json!({"tools": tools,
        "resources": [{"uri": "doc://open", "name": "open"}, {"uri": "doc://payroll", "name": "payroll"}]});
    World::listing(lists, config.as_object().unwrap().clone())
}

/// Returns the methods and parameters of notifications.
fn told(messages: &[Value]) -> Vec<(String, Value)> {
    let notifications = messages.iter().filter(|message| message.get("method").is_some());
    notifications
        .map(|message| {
            let method = message["method"].as_str().unwrap().trim_start_matches("notifications/");
            (method.to_owned(), message["params"].clone())
        })
        .collect()
}

/// Returns the notifications that reach the caller.
fn expected(token: &Value) -> Vec<(String, Value)> {
    [
        ("progress", json!({"progressToken": token, "progress": 1})),
        ("message", json!({"level": "error", "data": "x"})),
        ("resources/updated", json!({"uri": "doc://open"})),
    ]
    .map(|(method, params)| (method.to_owned(), params))
    .to_vec()
}

/// Without a response, nothing shows on some platforms that the client has left. A comment a second shows it soon.
#[test]
fn the_stream_of_a_silent_call_begins_within_a_second_and_is_written_to_every_second() {
    let tools = json!([{"name": "silent", "inputSchema": {"type": "object"}}]);
    let world = World::listing(json!({"tools": tools}), serde_json::Map::new());
    for (accept, begins) in [("application/json, text/event-stream", true), ("application/json", false)] {
        let mut request = modern("tools/call", json!({"name": "silent"}), &json!({}));
        request.headers_mut().insert("accept", accept.parse().unwrap());
        let mut answer = pin!(world.handle(Ok(None), &request));
        for ms in [0, 899] {
            world.advance(ms);
            assert!(world.settle(&mut answer).is_none(), "{accept}");
        }
        world.advance(1);
        let response = world.settle(&mut answer);
        assert_eq!(response.is_some(), begins, "{accept}");
        let Some(response) = response else { continue };
        let mut frames = frames_of(response.into_body());
        assert_eq!(
            world.run(frames.next()),
            Some(b": \n\n".to_vec()),
            "its head arrives with the first bytes"
        );
        assert!(world.settle(frames.next()).is_none());
        let mut comments = |tenths: u64| {
            let heard = (0..tenths).filter(|_| {
                world.advance(100);
                let is_written = world.settle(frames.next()).is_some();
                // The next silence begins when the comment is sent.
                is_written && world.settle(frames.next()).is_none()
            });
            heard.count()
        };
        assert_eq!(comments(540), 60);
        assert_eq!(comments(60), 6);
        // A call that has run for a minute is checked less often.
        assert_eq!(comments(500), 10);
    }
}

#[test]
fn a_caller_is_sent_what_concerns_its_call_and_what_it_may_see() {
    for token in [json!(7), json!("seven")] {
        let client = Client::of(world(), "2025-11-25", &json!({}));
        client.ask("logging/setLevel", json!({"level": "error"}));
        let params = json!({"name": "gossip", "_meta": {"progressToken": token}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let messages = client.rest(frames_of(client.post(&body).1));
        assert_eq!(told(&messages), expected(&token), "with a session");

        let client = Client::of(world(), "2025-11-25", &json!({}));
        let mut request = modern("tools/call", json!({"name": "gossip"}), &json!({}));
        let mut body: Value = serde_json::from_slice(request.body()).unwrap();
        body["params"]["_meta"]["progressToken"] = token.clone();
        body["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "error".into();
        *request.body_mut() = body.to_string().into_bytes();
        let messages = client.rest(frames_of(send(&client.world, &request).1));
        assert_eq!(told(&messages), expected(&token), "stateless");
    }
}

#[test]
fn a_caller_that_asked_for_no_progress_and_no_messages_is_sent_neither() {
    let client = Client::of(world(), "2025-11-25", &json!({}));
    let request = modern("tools/call", json!({"name": "gossip"}), &json!({}));
    let messages = client.rest(frames_of(send(&client.world, &request).1));
    assert_eq!(told(&messages), expected(&Value::Null)[2..]);
}

#[test]
fn a_question_that_was_answered_elsewhere_is_reported_in_its_own_call() {
    let client = Client::of(world(), "2025-11-25", &json!({"elicitation": {"url": {}}}));
    let messages = client.rest(frames_of(client.call(1, "linked")));
    let told = told(&messages);
    assert_eq!(
        told.iter().map(|(method, _)| method.as_str()).collect::<Vec<_>>(),
        ["elicitation/create", "elicitation/complete"]
    );
    assert_eq!(told[1].1, json!({"elicitationId": "e-1"}));
}

#[test]
fn where_nothing_is_hidden_updates_of_all_resources_are_sent() {
    let client = Client::of(configured(json!({})), "2025-11-25", &json!({}));
    let messages = client.rest(frames_of(client.call(1, "gossip")));
    let told = told(&messages).into_iter();
    let uris: Vec<_> = told.filter_map(|(_, params)| params.get("uri").cloned()).collect();
    assert_eq!(uris, ["doc://open", "doc://payroll", "DOC://payroll", "doc://unlisted"]);
}
