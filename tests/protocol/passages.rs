//! Requests and responses during a call pass through the same middleware chains as the call itself.

use serde_json::{Value, json};

use crate::{
    client::{Client, frames_of, json_of, modern, send},
    host::World,
};

const ADDRESS: &str = "jane@example.com";

/// Returns a world with tools that ask the client, with middleware chains.
fn world(request: Value, response: Value) -> World {
    let mut chain = json!({"on": ["tools/call", "prompts/get"]});
    chain["request"] = request;
    chain["response"] = response;
    let tools: Vec<Value> = ["quiz", "interview", "survey", "chatter", "mirror"]
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
        .to_vec();
    let config = json!({"middleware": {"chains": [chain]}});
    World::listing(
        json!({"tools": tools, "prompts": [{"name": "mirror"}]}),
        config.as_object().unwrap().clone(),
    )
}

/// Returns a world that redacts everything sent to the server.
fn redacting() -> World {
    world(json!(["pii_redaction"]), json!([]))
}

/// Returns an answer of a client that contains [`ADDRESS`].
fn accepted() -> Value {
    json!({"action": "accept", "content": {"mail": ADDRESS}})
}

fn call(world: &World, params: Value) -> Value {
    json_of(send(world, &modern("tools/call", params, &json!({"elicitation": {}, "sampling": {}}))).1)
}

/// M-41: an answer cannot bypass the functions that arguments pass through.
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

/// A client that rejects a request sends a message, and functions apply to this message.
#[test]
fn refusals_of_a_client_are_treated() {
    let client = Client::of(redacting(), "2025-06-18", &json!({"elicitation": {}}));
    let mut frames = frames_of(client.call(1, "interview"));
    let question = client.next(&mut frames).unwrap().data.unwrap();
    client.answer(&question, json!({"error": {"code": -1, "message": format!("ask {ADDRESS}")}}));
    let ended = client.rest(frames)[0].to_string();
    assert!(ended.contains("ask [EMAIL_1]") && !ended.contains(ADDRESS), "{ended}");
}

/// If results are processed, the client still receives requests, but no other events during the call.
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

/// A refusal by a function ends the call.
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

/// M-41: a model reads more of a result than its text items.
#[test]
fn everything_that_a_model_reads_of_a_result_is_treated() {
    let world = world(json!([]), json!(["pii_redaction"]));
    let blob = "TWFpbCBqYW5lQGV4YW1wbGUuY29tIG5vdw==";
    let annotations = json!({"audience": ["user"], "label": ADDRESS});
    let given = json!({
        "content": [
            {"type": "text", "text": "a", "note": ADDRESS, "annotations": annotations},
            {"type": "resource_link", "uri": "u:u", "name": "n", "title": ADDRESS, "description": ADDRESS},
            {"type": "resource", "resource": {"uri": "u:u", "mimeType": "text/plain", "blob": blob, "title": ADDRESS}},
            {"type": "hologram", "lines": [ADDRESS]},
        ],
        "name": ADDRESS, "uri": ADDRESS, "nextCursor": ADDRESS, "requestState": ADDRESS, "other": {"a": [ADDRESS]},
        "isError": false, "_meta": {"vendor/kept": ADDRESS},
    });
    let ended = call(&world, json!({"name": "mirror", "arguments": {"result": given}}));
    let result = &ended["result"];
    assert_eq!(result["_meta"]["vendor/kept"], ADDRESS);
    assert_eq!(result["isError"], false);
    let link = &result["content"][1];
    assert_eq!([&link["uri"], &link["title"], &link["description"]], ["u:u", "[EMAIL_1]", "[EMAIL_1]"]);
    assert_eq!(result["content"][2]["resource"]["blob"], "TWFpbCBbRU1BSUxfMV0gbm93");
    let mut told = ended.clone();
    told["result"]["_meta"] = Value::Null;
    assert!(!told.to_string().contains(ADDRESS), "{told}");

    let told = json!({"description": ADDRESS, "messages": [
        {"role": "user", "content": {"type": "text", "text": ADDRESS}, "title": ADDRESS},
        {"role": "assistant", "content": {"type": "hologram", "line": ADDRESS}},
    ]});
    let params = json!({"name": "mirror", "arguments": {"result": told.to_string()}});
    let prompt = json_of(send(&world, &modern("prompts/get", params, &json!({}))).1);
    let result = &prompt["result"];
    assert!(!prompt.to_string().contains(ADDRESS), "{prompt}");
    assert_eq!(result["messages"][0]["title"], "[EMAIL_1]");
    assert_eq!([&result["messages"][0]["role"], &result["messages"][1]["role"]], ["user", "assistant"]);
}

/// The state of a server's request is opaque: it is returned to the server unchanged.
#[test]
fn the_state_of_a_question_is_not_treated() {
    let world = world(json!([]), json!(["pii_redaction"]));
    let given = json!({"resultType": "input_required", "requestState": ADDRESS, "inputRequests":
        {"who": {"method": "elicitation/create", "params": {"message": ADDRESS}}}});
    let asked = call(&world, json!({"name": "mirror", "arguments": {"result": given}}));
    let question = &asked["result"]["inputRequests"]["who"]["params"]["message"];
    assert_eq!(question, "[EMAIL_1]", "{asked}");
    let state = asked["result"]["requestState"].as_str().unwrap();
    assert!(!state.contains("[EMAIL_1]"), "{state}");
}
