//! What is asked and answered in the middle of a call goes through what the call itself has to.

use serde_json::{Value, json};

use crate::{
    client::{Client, frames_of, json_of, modern, send},
    host::World,
};

const ADDRESS: &str = "jane@example.com";

/// Tools that ask, behind chains.
fn world(request: Value, response: Value) -> World {
    let mut chain = json!({"on": ["tools/call"]});
    chain["request"] = request;
    chain["response"] = response;
    let tools: Vec<Value> = ["quiz", "interview", "survey", "chatter"]
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
        .to_vec();
    let config = json!({"middleware": {"chains": [chain]}});
    World::listing(json!({"tools": tools}), config.as_object().unwrap().clone())
}

fn redacting() -> World {
    world(json!(["pii_redaction"]), json!([]))
}

fn accepted() -> Value {
    json!({"action": "accept", "content": {"mail": ADDRESS}})
}

fn call(world: &World, params: Value) -> Value {
    json_of(send(world, &modern("tools/call", params, &json!({"elicitation": {}, "sampling": {}}))).1)
}

/// M-41: an answer is no way round what an argument goes through.
#[test]
fn answers_in_the_next_request_are_treated() {
    for tool in ["quiz", "interview"] {
        let world = redacting();
        let asked = call(&world, json!({"name": tool}));
        let result = &asked["result"];
        assert_eq!(result["resultType"], "input_required", "{asked}");
        let key = result["inputRequests"].as_object().unwrap().keys().next().unwrap();
        let answers = json!({key: accepted()});
        let state = &result["requestState"];
        let ended = call(&world, json!({"name": tool, "requestState": state, "inputResponses": answers}));
        assert!(ended.to_string().contains("[EMAIL_1]"), "{tool}: {ended}");
        assert!(!ended.to_string().contains(ADDRESS), "{tool}: {ended}");
    }
}

#[test]
fn answers_on_an_open_stream_are_treated() {
    for tool in ["quiz", "interview"] {
        let client = Client::of(redacting(), "2025-06-18", &json!({"elicitation": {}}));
        let mut frames = frames_of(client.call(1, tool));
        let question = client.next(&mut frames).unwrap().data.unwrap();
        client.answer(&question, json!({"result": accepted()}));
        let ended = client.rest(frames);
        assert!(ended[0].to_string().contains("[EMAIL_1]"), "{tool}: {ended:?}");
        assert!(!ended[0].to_string().contains(ADDRESS), "{tool}: {ended:?}");
    }
}

/// Who refuses to answer says so in words, and words are treated.
#[test]
fn refusals_of_a_client_are_treated() {
    let client = Client::of(redacting(), "2025-06-18", &json!({"elicitation": {}}));
    let mut frames = frames_of(client.call(1, "interview"));
    let question = client.next(&mut frames).unwrap().data.unwrap();
    client.answer(&question, json!({"error": {"code": -1, "message": format!("ask {ADDRESS}")}}));
    let ended = client.rest(frames)[0].to_string();
    assert!(ended.contains("ask [EMAIL_1]") && !ended.contains(ADDRESS), "{ended}");
}

/// Where results are treated a client hears the questions all the same, and the rest of what is said not.
#[test]
fn questions_are_heard_where_results_are_treated() {
    for tool in ["quiz", "interview"] {
        let world = world(json!(["pii_redaction"]), json!(["pii_restoration"]));
        let client = Client::of(world, "2025-06-18", &json!({"elicitation": {}}));
        let mut frames = frames_of(client.call(1, tool));
        let question = client.next(&mut frames).unwrap().data.unwrap();
        client.answer(&question, json!({"result": accepted()}));
        let ended = client.rest(frames);
        let answers = &ended[0]["result"]["answers"];
        let answer = answers.get("who").or(answers.get(0)).unwrap();
        assert_eq!(*answer, accepted(), "{tool}: what was redacted is restored");
    }
    let world = world(json!([]), json!(["pii_redaction"]));
    let client = Client::of(world, "2025-06-18", &json!({}));
    client.ask("logging/setLevel", json!({"level": "debug"}));
    assert!(json_of(client.call(1, "chatter")).get("result").is_some(), "nothing but the result");
}

/// A refusal ends the call.
#[test]
fn an_answer_that_must_not_go_on_ends_the_call() {
    let world = world(json!([{"use": "secret_detection", "arguments": {"action": "refuse"}}]), json!([]));
    let asked = call(&world, json!({"name": "interview"}));
    let secret = json!({"action": "accept", "content": {"key": "AKIAIOSFODNN7EXAMPLF"}});
    let state = &asked["result"]["requestState"];
    let ended = call(
        &world,
        json!({"name": "interview", "requestState": state, "inputResponses": {"question-1": secret}}),
    );
    assert_eq!(ended["error"]["data"]["reason"], "middleware_refused", "{ended}");

    let chain = json!([{"use": "secret_detection", "arguments": {"action": "refuse"}}]);
    let client = Client::of(self::world(chain, json!([])), "2025-06-18", &json!({"elicitation": {}}));
    let mut frames = frames_of(client.call(1, "interview"));
    let question = client.next(&mut frames).unwrap().data.unwrap();
    client.answer(&question, json!({"result": secret}));
    assert_eq!(client.rest(frames)[0]["error"]["data"]["reason"], "middleware_refused");
}
