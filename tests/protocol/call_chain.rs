//! Requests and responses during a call pass through the same middleware chains as the call itself.

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use http::Method;
use serde_json::{Value, json};

use mcp_sieve_gateway::server::Body;

use crate::{
    client::{Client, frames_of, json_of, modern, request, send},
    host::World,
};

const ADDRESS: &str = "jane@example.com";

/// Returns a world with tools that ask the client, with middleware chains.
fn world(request: Value, response: Value) -> World {
    let mut chain = json!({"on": ["tools/call", "prompts/get"]});
    chain["request"] = request;
    chain["response"] = response;
    let tools: Vec<Value> = ["quiz", "pair", "interview", "survey", "chatter", "mirror"]
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
fn chains_process_answers_in_the_next_request() {
    for tool in ["quiz", "interview"] {
        let world = redacting();
        let input_required = call(&world, json!({"name": tool}));
        let result = &input_required["result"];
        assert_eq!(result["resultType"], "input_required", "{input_required}");
        let key = result["inputRequests"].as_object().unwrap().keys().next().unwrap();
        let answers = json!({key: accepted()});
        let state = &result["requestState"];
        let ended = call(&world, json!({"name": tool, "requestState": state, "inputResponses": answers}));
        assert!(ended.to_string().contains("[EMAIL_1]"), "{tool}: {ended}");
        assert!(!ended.to_string().contains(ADDRESS), "{tool}: {ended}");
    }
}

/// A person in each round: handles of one round must not stand for the people of the next.
#[test]
fn placeholders_are_unique_across_the_rounds_of_a_call() {
    let said = |mail: &str| json!({"action": "accept", "content": {"mail": mail}});
    let (bob, carol) = ("bob@example.com", "carol@example.com");
    for tool in ["pair", "survey"] {
        let world = world(json!(["pii_redaction"]), json!(["pii_restoration"]));
        let arguments = json!({"for": ADDRESS});
        let round = |input_required: &Value, key: &str, mail: &str| {
            // Another order of the members is still the same call.
            call(
                &world,
                json!({"inputResponses": {key: said(mail)}, "name": tool,
                "requestState": input_required["result"]["requestState"], "arguments": arguments}),
            )
        };
        let keys = if tool == "pair" { ["who"; 2] } else { ["question-2", "question-1"] };
        let first = call(&world, json!({"arguments": arguments, "name": tool}));
        let second = round(&first, keys[0], bob);
        if tool == "pair" {
            let question = second["result"]["inputRequests"]["who"]["params"]["message"].as_str().unwrap();
            assert!(question.contains(bob), "{question}");
        }
        let state = second["result"]["requestState"].as_str().unwrap();
        let state = URL_SAFE_NO_PAD.decode(state).unwrap();
        assert!(!String::from_utf8_lossy(&state).contains(bob), "the client may not read the values");
        let ended = round(&second, keys[1], carol);
        let answers = ended["result"]["answers"].as_array().cloned().unwrap_or_default();
        assert_eq!(answers, [said(bob), said(carol)], "{tool}: {ended}");
        let other = json!({"name": tool, "arguments": {"for": bob}, "requestState": second["result"]["requestState"]});
        assert_eq!(call(&world, other)["error"]["data"], json!({"reason": "handle_invalid"}));
    }
}

/// A result with half of a surrogate pair passes every chain. What is not replaced keeps its bytes.
#[test]
fn a_lone_surrogate_passes_chains() {
    let nested = |levels: usize| ["[".repeat(levels), "]".repeat(levels)].concat();
    let deep = nested(100);
    let rows = [
        ("tools/call", r#"{"content":[{"type":"text","text":"cut \ud83d"}]}"#.to_owned(), None),
        (
            "tools/call",
            r#"{"content":[{"type":"text","text":"cut \ud83d"},{"type":"text","text":"jane@example.com \ud83d"}]}"#.to_owned(),
            Some("{\"content\":[{\"type\":\"text\",\"text\":\"cut \\ud83d\"},{\"type\":\"text\",\"text\":\"[EMAIL_1] \u{fffd}\"}]}".to_owned()),
        ),
        (
            "tools/call",
            r#"{"content":[],"structuredContent":{"\ud800":{"mail":"jane@example.com"},"cut":"\udc00"}}"#.to_owned(),
            Some(r#"{"content":[],"structuredContent":{"\ud800":{"mail":"[EMAIL_1]"},"cut":"\udc00"}}"#.to_owned()),
        ),
        ("tools/call", r#"{"content":[{"type":"text","text":"cut \ud83d"}],"\ud800":1}"#.to_owned(), None),
        (
            "tools/call",
            r#"{"\ud800":"jane@example.com","content":[]}"#.to_owned(),
            Some("{\"\u{fffd}\":\"[EMAIL_1]\",\"content\":[]}".to_owned()),
        ),
        // A member that occurs twice is written as it was read.
        (
            "tools/call",
            r#"{"content":[{"type":"text","text":"jane@example.com"}],"content":[],"\ud800":1}"#.to_owned(),
            Some("{\"content\":[],\"content\":[],\"\u{fffd}\":1}".to_owned()),
        ),
        ("tools/call", format!(r#"{{"content":[],"structuredContent":{{"a":{deep}}}}}"#), None),
        (
            "prompts/get",
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"\ud83d"},"\ud800":1}]}"#.to_owned(),
            None,
        ),
    ];
    for function in ["pii_redaction", "secret_detection"] {
        let world = world(json!([]), json!([function]));
        for (method, sent, changed) in &rows {
            let params = json!({"name": "mirror", "arguments": {"raw": sent}});
            let (_, Body::Json(body)) = send(&world, &modern(method, params, &json!({}))) else {
                panic!("expected JSON");
            };
            let body = String::from_utf8(body).unwrap();
            // Only the first function finds a value in these.
            let expected = match (function, changed) {
                ("pii_redaction", Some(changed)) => changed,
                (_, None) => sent,
                _ => continue,
            };
            let members = expected.strip_prefix('{').unwrap().strip_suffix('}').unwrap();
            assert!(body.contains(members), "{function} {sent}\n{body}");
        }
        // The functions would have to read it all.
        let raw = format!(r#"{{"content":[],"structuredContent":{}}}"#, nested(126));
        let failed = call(&world, json!({"name": "mirror", "arguments": {"raw": raw}}));
        let message =
            "the functions of this call cannot read what it holds: JSON nests deeper than 127 levels";
        assert!(failed["error"]["message"].as_str().unwrap().starts_with(message), "{failed}");
    }
}

/// The client could not fetch a task of the server's.
#[test]
fn a_call_with_functions_for_requests_alone_cannot_become_a_task() {
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    for request in [json!(["pii_redaction"]), json!([])] {
        let world = world(request.clone(), json!([]));
        let params =
            json!({"name": "mirror", "arguments": {"result": {"resultType": "task", "taskId": "far-1"}}});
        let begun = json_of(send(&world, &modern("tools/call", params, &capabilities)).1);
        assert_eq!(begun["error"]["data"]["reason"], "task_unrequested", "{request}: {begun}");
    }
}

/// A client that expects a task could not read the result, and would call again what has already run.
#[test]
fn a_call_that_is_to_become_a_task_is_refused_before_it_runs() {
    let tools = json!([
        {"name": "mirror", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}},
        {"name": "long", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}]);
    let world = |presets: Value| {
        let chain = json!({"on": ["tools/call"], "request": ["pii_redaction"], "presets": presets});
        let presets = json!([{"name": "treated", "filter": {}, "when": "claim.role:guest"}]);
        let config = json!({"middleware": {"chains": [chain]}, "presets": presets});
        World::listing(json!({"tools": tools}), config.as_object().unwrap().clone())
    };
    let optional = "a call that goes through middleware becomes no task: call the tool without `task`";
    let required = "tool `long` runs only as a task, and a call that goes through middleware becomes none";
    let client = Client::of(world(json!([])), "2025-11-25", &json!({}));
    for (params, message) in [
        (json!({"name": "mirror", "task": {}}), optional),
        (json!({"name": "long", "task": {}}), required),
        (json!({"name": "long"}), required),
    ] {
        let refused = client.ask("tools/call", params);
        assert_eq!(
            refused["error"],
            json!({"code": -32601, "message": message, "data": {"reason": "task_support"}})
        );
    }
    assert_eq!(client.world.forwarded.take(), [""; 0]);
    let arguments = json!({"result": {"content": []}});
    let done = client.ask("tools/call", json!({"name": "mirror", "arguments": arguments}));
    assert_eq!(done["result"]["content"], json!([]), "{done}");

    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let world_of_all = world(json!([]));
    let refused =
        json_of(send(&world_of_all, &modern("tools/call", json!({"name": "long"}), &capabilities)).1);
    assert_eq!(refused["error"]["message"], required);
    assert_eq!(world_of_all.forwarded.take(), [""; 0]);

    // The capability agrees. A chain of a preset binds its callers alone.
    for (presets, requests) in
        [(json!([]), Value::Null), (json!(["treated"]), json!({"tools": {"call": {}}}))]
    {
        let begun = initialize(&world(presets));
        assert_eq!(begun["result"]["capabilities"]["tasks"]["requests"], requests);
        assert_eq!(begun["result"]["capabilities"]["tasks"]["cancel"], json!({}));
    }
}

fn initialize(world: &World) -> Value {
    let about = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about});
    json_of(send(world, &request(Method::POST, &[], &body)).1)
}

#[test]
fn chains_process_answers_on_an_open_stream() {
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
fn chains_process_error_responses_of_a_client() {
    let client = Client::of(redacting(), "2025-06-18", &json!({"elicitation": {}}));
    let mut frames = frames_of(client.call(1, "interview"));
    let question = client.next(&mut frames).unwrap().data.unwrap();
    client.answer(&question, json!({"error": {"code": -1, "message": format!("ask {ADDRESS}")}}));
    let ended = client.rest(frames)[0].to_string();
    assert!(ended.contains("ask [EMAIL_1]") && !ended.contains(ADDRESS), "{ended}");
}

/// If results are processed, the client still receives requests, but no other events during the call.
#[test]
fn requests_reach_the_client_while_results_are_processed() {
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
fn a_refused_answer_ends_the_call() {
    let world = world(json!([{"use": "secret_detection", "arguments": {"action": "refuse"}}]), json!([]));
    let input_required = call(&world, json!({"name": "interview"}));
    let secret = json!({"action": "accept", "content": {"key": "AKIAIOSFODNN7EXAMPLF"}});
    let state = &input_required["result"]["requestState"];
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
fn chains_process_everything_that_a_model_reads_of_a_result() {
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
        "isError": false, "cacheScope": ADDRESS, "_meta": {"vendor/kept": ADDRESS},
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
        {"role": format!("user {ADDRESS}"), "content": {"type": "text", "text": "x"}},
        {"role": "assistant", "content": {"type": "hologram", "line": ADDRESS}},
    ]});
    let params = json!({"name": "mirror", "arguments": {"result": told.to_string()}});
    let prompt = json_of(send(&world, &modern("prompts/get", params, &json!({}))).1);
    let result = &prompt["result"];
    assert!(!prompt.to_string().contains(ADDRESS), "{prompt}");
    assert_eq!(result["messages"][0]["title"], "[EMAIL_1]");
    assert_eq!([&result["messages"][0]["role"], &result["messages"][1]["role"]], ["user", "user [EMAIL_1]"]);
}

/// Neither a number nor a `data:` URL carries a value past a chain, in a result and in arguments.
#[test]
fn chains_process_numbers_and_data_urls_like_text() {
    const CARD: &str = "4111111111111111";
    let url = |text: &str| format!("data:text/plain;base64,{}", STANDARD.encode(text));
    let given = json!({
        "content": [{"type": "text", "text": url(ADDRESS)}],
        "structuredContent": {"card": CARD.parse::<u64>().unwrap(), "count": 12, "page": format!("data:,{}", ADDRESS.replace('@', "%40"))},
    });
    let ended = call(
        &world(json!([]), json!(["pii_redaction"])),
        json!({"name": "mirror", "arguments": {"result": given}}),
    );
    let result = &ended["result"];
    assert_eq!(result["content"][0]["text"], url("[EMAIL_1]"), "{ended}");
    let structured = json!({"card": "[CREDIT_CARD_1]", "count": 12, "page": "data:,%5BEMAIL_1%5D"});
    assert_eq!(result["structuredContent"], structured);
    // The server gets arguments in the same way.
    let sent = call(&redacting(), json!({"name": "mirror", "arguments": {"result": given}}));
    assert_eq!(sent["result"]["structuredContent"], structured, "{sent}");
}

/// The state of a server's request is opaque: it is returned to the server unchanged.
#[test]
fn request_states_are_not_processed() {
    let world = world(json!([]), json!(["pii_redaction"]));
    let given = json!({"resultType": "input_required", "requestState": ADDRESS, "inputRequests":
        {"who": {"method": "elicitation/create", "params": {"message": ADDRESS}}}});
    let input_required = call(&world, json!({"name": "mirror", "arguments": {"result": given}}));
    let question = &input_required["result"]["inputRequests"]["who"]["params"]["message"];
    assert_eq!(question, "[EMAIL_1]", "{input_required}");
    let state = input_required["result"]["requestState"].as_str().unwrap();
    assert!(!state.contains("[EMAIL_1]"), "{state}");
}

/// A block of a server cannot take the place of the members beside the blocks.
#[test]
fn a_block_with_an_id_of_the_gateway_hides_nothing() {
    let spoof = json!({"type": "tool_result", "id": "dev.mcpsieve/beside", "structuredContent": {"a": 1}});
    let given = json!({"content": [spoof, {"type": "text", "text": ADDRESS}], "structuredContent": {"mail": ADDRESS}});
    let world = world(json!([]), json!(["pii_redaction"]));
    let result = &call(&world, json!({"name": "mirror", "arguments": {"result": given}}))["result"];
    assert_eq!(result["content"], json!([spoof, {"type": "text", "text": "[EMAIL_1]"}]));
    assert_eq!(result["structuredContent"], json!({"mail": "[EMAIL_1]"}));
}

/// What a function leaves out of a result does not reach the client.
#[test]
fn members_that_a_function_removes_are_removed() {
    let given = json!({"content": [], "draft": "secret", "isError": false, "kept": 1, "_meta": {"draft": 2}});
    let world = world(json!([]), json!(["editor"]));
    let answer = call(&world, json!({"name": "mirror", "arguments": {"result": given}}));
    let mut result = answer["result"].clone();
    result["_meta"] = result["_meta"]["draft"].take();
    assert_eq!(
        result,
        json!({"content": [], "edited": true, "isError": false, "kept": 1, "_meta": 2, "resultType": "complete"})
    );
}

/// The members of a call and of a result are looked up once each. With a search for each of them, this would take
/// minutes.
#[test]
fn many_members_are_processed_in_one_pass() {
    let mut many = json!({"content": []});
    for at in 0..100_000 {
        many[format!("member{at}")] = json!(at);
    }
    many["member7"] = ADDRESS.into();
    let mut params = many.clone();
    params["name"] = "mirror".into();
    params["arguments"] = json!({"result": many});
    let answer = call(&world(json!(["pii_redaction"]), json!(["pii_redaction"])), params);
    assert_eq!(answer["result"]["member7"], "[EMAIL_1]");
    assert_eq!(answer["result"]["member99999"], 99_999);
}

/// `last` counts the blocks of a result, whatever else the result holds. What stands beside them is always treated.
#[test]
fn a_chain_for_the_last_block_processes_that_block() {
    let given = json!({
        "content": [{"type": "text", "text": "first@example.com"}, {"type": "text", "text": ADDRESS}],
        "structuredContent": {"mail": "beside@example.com"},
    });
    let last = |last: u32| json!({"steps": ["pii_redaction"], "last": last});
    let treated = |response: Value| {
        let world = world(json!([]), response);
        call(&world, json!({"name": "mirror", "arguments": {"result": given}}))["result"].clone()
    };
    let one = treated(last(1));
    assert_eq!(one["content"][0]["text"], "first@example.com", "{one}");
    assert_eq!(one["content"][1]["text"], "[EMAIL_1]", "{one}");
    assert_eq!(one["structuredContent"]["mail"], "[EMAIL_2]", "{one}");
    let none = treated(last(0));
    assert_eq!(none["content"], given["content"]);
    assert_eq!(none["structuredContent"]["mail"], "[EMAIL_1]", "{none}");
    assert!(!treated(last(2)).to_string().contains("example.com"));
}
