//! Events on open streams: requests to the client, cancellations, changes, and resumption. Rows cannot test these,
//! because their replies are complete.

use serde_json::{Value, json};

use crate::{
    behind::LINES,
    client::{Client, frames_of, json_of},
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
    let asked = client.next(&mut frames).unwrap();
    drop(frames);
    client.answer(asked.data.as_ref().unwrap(), json!({"result": {"action": "decline"}}));
    let all = client.rest(client.get(Some(&prime)));
    assert_eq!(all.len(), 2, "the question and the response");
    assert_eq!(all[0], asked.data.unwrap());
    assert_eq!(all[1]["result"]["answers"], json!({"who": {"action": "decline"}}));
    // The stream can be resumed once more after the request.
    assert_eq!(client.rest(client.get(asked.id.as_deref())), all[1..]);
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
