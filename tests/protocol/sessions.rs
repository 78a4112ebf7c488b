//! Events on open streams: requests to the client, cancellations, changes, and resumption. Rows cannot test these,
//! because their replies are complete.

use mcp_sieve_gateway::session::{MAX_EVENT, MAX_UNREAD};
use serde_json::{Value, json};

use crate::{
    client::{Client, frames_of, json_of},
    upstream_server::{LINES, MURMUR, MURMURED, MURMURING, MURMURS},
};

fn asks() -> Value {
    json!({"elicitation": {}})
}

#[test]
fn a_question_goes_out_on_the_stream_and_its_answer_comes_in_another_request() {
    let client = Client::open("2025-11-25", &asks());
    let mut frames = frames_of(client.call(1, "quiz"));
    let prime = client.next(&mut frames).unwrap();
    assert!(prime.id.is_some() && prime.data.is_none(), "{prime:?}");
    let question = client.next(&mut frames).unwrap().data.unwrap();
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    client.answer(&question, json!({"result": answer}));
    let expected = json!({"jsonrpc": "2.0", "id": 1,
        "result": {"content": [], "answers": {"who": answer}, "state": "sealed"}});
    assert_eq!(client.rest(frames), [expected]);
}

#[test]
fn older_clients_are_not_primed() {
    let client = Client::open("2025-06-18", &asks());
    let mut frames = frames_of(client.call(1, "quiz"));
    assert!(client.next(&mut frames).unwrap().data.is_some());
}

#[test]
fn a_client_that_refuses_to_ask_has_cancelled() {
    let client = Client::open("2025-06-18", &asks());
    let mut frames = frames_of(client.call(1, "quiz"));
    let question = client.next(&mut frames).unwrap().data.unwrap();
    client.answer(&question, json!({"error": {"code": -1, "message": "no"}}));
    assert_eq!(client.rest(frames)[0]["result"]["answers"], json!({"who": {"action": "cancel"}}));
}

#[test]
fn a_client_that_cannot_be_asked_is_told_what_it_lacks() {
    let client = Client::open("2025-11-25", &json!({}));
    let (head, body) =
        client.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "quiz"}}));
    assert_eq!(head.status, 200);
    let error = &json_of(body)["error"];
    assert_eq!(error["code"], -32021);
    assert_eq!(error["data"], json!({"requiredCapabilities": {"elicitation": {}}}));
}

#[test]
fn a_stream_that_was_lost_is_taken_up_where_it_was_left() {
    let client = Client::open("2025-11-25", &asks());
    let mut frames = frames_of(client.call(1, "quiz"));
    let prime = client.next(&mut frames).unwrap().id.unwrap();
    let question = client.next(&mut frames).unwrap();
    drop(frames);
    client.answer(question.data.as_ref().unwrap(), json!({"result": {"action": "decline"}}));
    let all = client.rest(client.get(Some(&prime)));
    assert_eq!(all.len(), 2, "the question and the response");
    assert_eq!(all[0], question.data.unwrap());
    assert_eq!(all[1]["result"]["answers"], json!({"who": {"action": "decline"}}));
    // The stream can be resumed once more after the request.
    assert_eq!(client.rest(client.get(question.id.as_deref())), all[1..]);
}

#[test]
fn a_client_that_is_far_behind_gets_every_event_in_order() {
    let client = Client::open("2025-11-25", &asks());
    let mut frames = frames_of(client.call(1, "babble"));
    let prime = client.next(&mut frames).unwrap().id.unwrap();
    let heard = client.rest(frames);
    assert_eq!(heard.len(), LINES + 1);
    assert_eq!(heard[LINES], json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(client.rest(client.get(Some(&prime))), heard, "once more, from the start");
}

/// Returns the message of a frame without its text, which is replaced by its length.
fn shortened(message: &Value) -> Value {
    let mut message = message.clone();
    for pointer in ["/params/data", "/result/text"] {
        if let Some(text) = message.pointer_mut(pointer) {
            *text = text.as_str().unwrap().len().into();
        }
    }
    message
}

#[test]
fn events_that_are_too_long_for_the_log_reach_a_client_that_is_connected() {
    let client = Client::open("2025-11-25", &json!({}));
    let mut frames = frames_of(client.call(1, "shout"));
    let prime = client.next(&mut frames).unwrap().id.unwrap();
    let heard: Vec<Value> = client.rest(frames).iter().map(shortened).collect();
    let logged = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "error", "data": MAX_EVENT}});
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": {"text": MAX_EVENT}});
    assert_eq!(heard, [logged, result]);
    let later = client.rest(client.get(Some(&prime)));
    assert_eq!(later.len(), 1, "the notification was not stored");
    assert_eq!((&later[0]["id"], &later[0]["error"]["data"]), (&json!(1), &json!({"reason": "event_limit"})));
}

#[test]
fn a_call_waits_for_a_client_that_reads_slowly() {
    let client = Client::open("2025-11-25", &json!({}));
    let mut frames = frames_of(client.call(1, "murmur"));
    let prime = client.next(&mut frames).unwrap().id.unwrap();
    client.world.advance(1);
    let (is_near, mut read) = (|read: usize| (MURMURED.get() - read) * MURMUR < 2 * MAX_UNREAD, 0);
    assert!(MURMURED.get() * MURMUR > MAX_UNREAD && is_near(0), "{} events", MURMURED.get());
    while let Some(frame) = client.next(&mut frames) {
        assert!(frame.data.is_some() && is_near(read), "{read} of {}", MURMURED.get());
        read += 1;
    }
    assert_eq!(read, MURMURS + 1);
    assert_eq!(client.rest(client.get(Some(&prime))).len(), read, "all of them are stored");
}

#[test]
fn a_call_does_not_wait_for_a_client_that_is_gone() {
    let client = Client::open("2025-11-25", &json!({}));
    let mut frames = frames_of(client.call(1, "murmur"));
    let first = client.next(&mut frames).unwrap().id.unwrap();
    client.world.advance(1);
    assert!(MURMURED.get() < MURMURS);
    drop(frames);
    client.world.advance(1);
    assert_eq!(MURMURED.get(), MURMURS);
    assert_eq!(client.rest(client.get(Some(&first))).len(), MURMURS + 1);
}

#[test]
fn a_call_that_waits_for_its_client_can_be_cancelled() {
    let client = Client::open("2025-11-25", &json!({}));
    let mut frames = frames_of(client.call(1, "murmur"));
    client.next(&mut frames);
    client.world.advance(1);
    let waiting = MURMURED.get();
    assert!(waiting < MURMURS);
    let body = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert_eq!(client.post(&body).0.status, 202);
    client.world.advance(1);
    assert!(!MURMURING.get(), "the response of the server is dropped although the client has read nothing");
    let heard = client.rest(frames);
    assert_eq!(heard.len(), waiting, "every event that was sent, and no response");
}

#[test]
fn a_stream_is_read_on_its_last_connection_alone() {
    let client = Client::open("2025-11-25", &asks());
    let mut frames = frames_of(client.call(1, "quiz"));
    let prime = client.next(&mut frames).unwrap().id.unwrap();
    let mut resumed = client.get(Some(&prime));
    assert_eq!(client.rest(frames), [Value::Null; 0], "the new connection gets what was not read");
    let question = client.next(&mut resumed).unwrap().data.unwrap();
    client.answer(&question, json!({"result": {"action": "decline"}}));
    assert_eq!(client.rest(resumed).len(), 1);
}

#[test]
fn a_stream_that_is_not_stored_cannot_be_resumed() {
    let client = Client::open("2025-11-25", &json!({}));
    for id in ["7-9", "1", "", "1-", "-1", "1-1-1", "99999999999999999999-1", "0x1-1"] {
        let error = &json_of(client.try_get(Some(id)))["error"];
        assert_eq!(error["data"]["reason"], "last_event_id", "{id}: {error}");
    }
}

#[test]
fn a_cancelled_request_gets_no_response() {
    let client = Client::open("2025-06-18", &json!({}));
    let mut frames = frames_of(client.call(7, "endless"));
    assert!(client.next(&mut frames).is_some());
    let again = client
        .post(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "endless"}}));
    assert_eq!(json_of(again.1)["error"]["message"], "a request with the id 7 is under way");
    let params = json!({"requestId": 7, "reason": "changed my mind"});
    let body = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    assert_eq!(client.post(&body).0.status, 202);
    assert_eq!(client.rest(frames), Vec::<Value>::new());
}

#[test]
fn log_messages_below_the_level_are_not_sent() {
    let client = Client::open("2025-06-18", &json!({}));
    let levels = || -> Vec<Value> {
        let all = client.rest(frames_of(client.call(1, "chatter")));
        all.iter().filter_map(|message| message.pointer("/params/level").cloned()).collect()
    };
    assert_eq!(levels(), ["info", "error"], "the server's choice");
    assert_eq!(client.ask("logging/setLevel", json!({"level": "warning"}))["result"], json!({}));
    assert_eq!(levels(), ["error"]);
    let refused = client.ask("logging/setLevel", json!({"level": "loud"}));
    assert_eq!(refused["error"]["code"], -32602);
}
