//! Clients show the fields of a form in the order in which the server wrote them.

use futures_util::StreamExt;
use mcp_sieve_gateway::server::Body;
use serde_json::{Value, json};

use crate::{
    client::{Client, frame, frames_of, modern, send_as},
    host::World,
    tasks::{Caller, world},
    upstream_server::far,
};

/// The parameters of a question whose members are in no other order, and spell their numbers in their own way.
const FORM: &str = r#"{"requestedSchema":{"type":"object","properties":{"surname":{"type":"string"},"name":{"type":"string"},"age":{"type":"number","default":1.0}}},"message":"Who?"}"#;

/// Returns the text of a result, or of the next message on a stream.
fn text_of(world: &World, body: Body) -> String {
    match body {
        Body::Json(json) => String::from_utf8(json).unwrap(),
        body => {
            // A stream begins with an event without data.
            let mut frames =
                frames_of(body).filter_map(async |bytes| frame(&bytes).data.map(|_| bytes)).boxed_local();
            String::from_utf8(world.run(frames.next()).unwrap()).unwrap()
        }
    }
}

fn assert_holds_form(text: &str, path: &str) {
    assert!(text.contains(FORM.trim_end_matches('}')), "{path}: {text}");
}

#[test]
fn questions_of_a_call_keep_the_order_of_their_fields() {
    let capabilities = json!({"elicitation": {}});
    // The first server has sessions. The second asks in its result.
    for tool in ["interview", "quiz"] {
        let client = Client::open("2025-11-25", &capabilities);
        let params = json!({"name": tool, "arguments": {"form": FORM}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let text = text_of(&client.world, client.post(&body).1);
        assert_holds_form(&text, &format!("{tool}, with a session"));
        let world = World::named("asking");
        let body = send_as(&world, None, &modern("tools/call", params, &capabilities)).1;
        assert_holds_form(&text_of(&world, body), &format!("{tool}, without a session"));
    }
}

/// An answer whose members are in no other order, and spell their numbers in their own way.
const ANSWER: &str = r#"{"content":{"name":"Ada","n":1.0,"e":[2e0]},"action":"accept"}"#;

#[test]
fn answers_of_a_call_keep_the_order_of_their_members() {
    let capabilities = json!({"elicitation": {}});
    // The first server has sessions, and repeats what it received. The second asks in its result.
    for tool in ["interview", "quiz"] {
        let client = Client::open("2025-11-25", &capabilities);
        let mut frames = frames_of(client.call(1, tool));
        let question = loop {
            if let Some(question) = client.next(&mut frames).unwrap().data {
                break question["id"].to_string();
            }
        };
        client.post_text([r#"{"jsonrpc":"2.0","id":"#, &question, r#","result":"#, ANSWER, "}"].concat());
        let rest: Vec<Vec<u8>> = client.world.run(frames.collect());
        let received = match tool {
            "interview" => String::from_utf8(rest.concat()).unwrap(),
            _ => client.world.forwarded.borrow().last().unwrap().clone(),
        };
        assert!(received.contains(ANSWER), "{tool}, with a session: {received}");
    }

    // Without a session, the client answers in its next request.
    let world = World::named("asking");
    let params = json!({"name": "interview"});
    let asked = send_as(&world, None, &modern("tools/call", params.clone(), &capabilities)).1;
    let asked: Value = serde_json::from_str(&text_of(&world, asked)).unwrap();
    let mut again = params;
    again["requestState"] = asked["result"]["requestState"].clone();
    again["inputResponses"] = "ANSWERS".into();
    let mut request = modern("tools/call", again, &capabilities);
    let answers = [r#"{"question-1":"#, ANSWER, "}"].concat();
    let body = String::from_utf8(request.body().clone()).unwrap().replace(r#""ANSWERS""#, &answers);
    *request.body_mut() = body.into_bytes();
    let received = text_of(&world, send_as(&world, None, &request).1);
    assert!(received.contains(ANSWER), "without a session: {received}");
}

#[test]
fn questions_of_a_task_keep_the_order_of_their_fields() {
    let (world, _) = world("tasks");
    let modern = Caller::modern(&world, Some("alice-token"));
    let legacy = Caller::legacy(&world, "2025-11-25", Some("alice-token"));
    for (at, caller) in [&modern, &legacy].into_iter().enumerate() {
        let id = caller.begin("far-modern");
        let fields = [
            r#"{"taskId":"far","status":"input_required","createdAt":"2027-01-01T00:00:00Z","lastUpdatedAt":"2027-01-01T00:00:00Z","#,
            r#""ttlMs":null,"inputRequests":{"who":{"method":"elicitation/create","params":"#,
            FORM,
            "}}}",
        ];
        far::become_(at + 1, json!({"verbatim": fields.concat()}));
        let text = text_of(&world, modern.open("tasks/get", json!({"taskId": id})));
        assert_holds_form(&text, "tasks/get");
        if at == 1 {
            let text = text_of(&world, legacy.open("tasks/result", json!({"taskId": id})));
            assert_holds_form(&text, "tasks/result");
            let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
            let question: Value = serde_json::from_str(data).unwrap();
            let task = &question["params"]["_meta"]["io.modelcontextprotocol/related-task"];
            assert_eq!(task, &json!({"taskId": id}));
        }
    }
}
