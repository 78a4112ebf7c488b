//! Callers that may see a task.

use mcp_sieve_gateway::tasks::Event;
use serde_json::{Value, json};

use super::{
    caller::{Caller, EXTENSION, world},
    events::ask,
    streams::next,
};
use crate::client::{Client, frames_of, json_of, modern, send_as};

#[test]
fn the_extension_is_for_clients_that_declare_it() {
    let (world, store) = world("tasks");
    let caller = Caller::modern(&world, None);
    let begun = caller.ask("tools/call", json!({"name": "import"}));
    let id = begun["result"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(begun["result"]["resultType"], "task");
    assert_eq!(begun["result"]["ttlMs"], 604_800_000);
    assert_eq!(begun["result"]["pollIntervalMs"], 500);
    let plain = |method: &str, params: Value| {
        let mut sent = modern(method, params.clone(), &json!({}));
        if let Some(id) = params["taskId"].as_str() {
            sent.headers_mut().insert("mcp-name", id.parse().unwrap());
        }
        send_as(&world, None, &sent)
    };
    for method in ["tasks/get", "tasks/update", "tasks/cancel", "dev.mcpsieve/tasks/query"] {
        let (head, body) = plain(method, json!({"taskId": id}));
        let error = &json_of(body)["error"];
        assert_eq!((head.status.as_u16(), &error["code"]), (400, &json!(-32021)), "{method}");
        assert_eq!(error["data"], json!({"requiredCapabilities": {"extensions": {EXTENSION: {}}}}));
    }
    assert_eq!(json_of(plain("tools/call", json!({"name": "job"})).1)["error"]["code"], -32021);
    assert!(
        json_of(plain("tools/call", json!({"name": "report", "task": {}})).1)["result"]["content"].is_array()
    );
    for method in ["tasks/list", "tasks/result"] {
        let (head, body) = plain(method, json!({"taskId": id}));
        assert_eq!(
            (head.status.as_u16(), &json_of(body)["error"]["code"]),
            (404, &json!(-32601)),
            "T-37: {method}"
        );
    }

    store.happen("import", ask(&["a", "b"])).unwrap();
    let got = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(got["result"]["inputRequests"]["a"]["method"], "elicitation/create");
    let answered = json!({"taskId": id, "inputResponses": {"a": {"action": "accept"}, "z": {}}});
    assert!(caller.ask("tasks/update", answered)["result"]["status"].is_null());
    let got = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(got["result"]["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["b"]);
    assert_eq!(got["result"]["status"], "input_required");
    caller.ask(
        "tasks/update",
        json!({"taskId": id, "inputResponses": {"a": {"action": "decline"}, "b": {"action": "accept"}}}),
    );
    let got = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(
        (&got["result"]["status"], &got["result"]["inputRequests"]),
        (&json!("working"), &Value::Null)
    );
    let kept = store.tasks.borrow().values().next().unwrap().questions.clone();
    assert_eq!(kept[0].answer.as_deref(), Some(r#"{"action":"accept"}"#));
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let unknown = caller.ask(method, json!({"taskId": "unknown", "inputResponses": {}}));
        assert_eq!(unknown["error"]["code"], -32602, "{method}");
    }
    assert_eq!(
        caller.ask("tasks/update", json!({"taskId": id, "inputResponses": {"a": 1}}))["error"]["code"],
        -32602
    );
    // The header must name the task of the request.
    let mut sent = modern("tasks/get", json!({"taskId": id}), &json!({"extensions": {EXTENSION: {}}}));
    sent.headers_mut().insert("mcp-name", "another".parse().unwrap());
    assert_eq!(json_of(send_as(&world, None, &sent).1)["error"]["code"], -32020);
    // A task of a session needs it as well: the capability `tasks` of sessions is unknown to this revision.
    let session = Caller::legacy(&world, "2025-11-25", Some("alice-token"));
    let id = session.begin("report");
    for (capabilities, code) in [
        (json!({"tasks": {"list": {}}}), json!(-32021)),
        (json!({"extensions": {EXTENSION: {}}}), Value::Null),
    ] {
        let mut sent = modern("tasks/get", json!({"taskId": id}), &capabilities);
        sent.headers_mut().insert("mcp-name", id.parse().unwrap());
        let reply = json_of(send_as(&world, Some("alice-token"), &sent).1);
        assert_eq!(reply["error"]["code"], code, "{capabilities}");
    }
}

#[test]
fn nobody_reads_the_tasks_of_others() {
    let (world, _) = world("tasks");
    let tokens = [None, Some("alice-token"), Some("bob-token")];
    let sessions: Vec<_> =
        tokens.iter().chain([&None]).map(|token| Caller::legacy(&world, "2025-11-25", *token)).collect();
    let begun: Vec<String> = sessions.iter().map(|caller| caller.begin("report")).collect();
    for (at, caller) in sessions.iter().enumerate() {
        assert_eq!(caller.listed(json!({})), [begun[at].as_str()], "T-19");
        for (other, id) in begun.iter().enumerate() {
            let got = caller.ask("tasks/get", json!({"taskId": id}));
            assert_eq!(got["error"]["code"] == -32602, at != other, "{got}");
            assert_eq!(caller.listed(json!({"taskIds": [id]})).len(), usize::from(at == other), "T-24");
            if at != other {
                assert_eq!(caller.ask("tasks/cancel", json!({"taskId": id}))["error"]["code"], -32602);
            }
        }
    }
    // A token identifies the same caller in every session and era.
    let alice = Caller::modern(&world, Some("alice-token"));
    assert_eq!(alice.listed(json!({})), [begun[1].as_str()]);
    let stranger = Caller::modern(&world, None);
    let refused = stranger.list(json!({}));
    assert_eq!(refused["error"]["data"]["reason"], "task_ids_required");
    let own = stranger.begin("report");
    assert_eq!(stranger.listed(json!({"filter": {"taskIds": [own, begun[0], begun[1]]}})), [own]);
}

#[test]
fn a_task_of_what_is_hidden_is_neither_listed_nor_got() {
    let (world, _) = world("tasks");
    let mut caller = Caller::legacy(&world, "2025-11-25", None);
    caller.member = true;
    let id = caller.begin("secret");
    assert_eq!(caller.listed(json!({})), [id.as_str()]);
    caller.member = false;
    assert!(caller.listed(json!({})).is_empty(), "T-35");
    assert!(caller.listed(json!({"filter": {"taskIds": [id]}})).is_empty(), "T-35");
    let words = |id: &str| {
        caller.ask("tasks/get", json!({"taskId": id}))["error"]["message"].as_str().unwrap().replace(id, "ID")
    };
    assert_eq!(words(&id), words("AAAAAAAAAAAAAAAAAAAAAA"));
}

/// T-35 in the stateless revision.
#[test]
fn a_task_of_what_is_hidden_is_hidden_without_a_session_too() {
    let (world, _) = world("tasks");
    let mut caller = Caller::modern(&world, Some("alice-token"));
    caller.member = true;
    let id = caller.begin("secret");
    assert_eq!(caller.listed(json!({})), [id.as_str()]);
    caller.member = false;
    assert!(caller.listed(json!({})).is_empty());
    assert!(caller.listed(json!({"filter": {"taskIds": [id]}})).is_empty());
    let words = |id: &str| {
        caller.ask("tasks/get", json!({"taskId": id}))["error"]["message"].as_str().unwrap().replace(id, "ID")
    };
    assert_eq!(words(&id), words("AAAAAAAAAAAAAAAAAAAAAA"));
}

/// The policy shows the tool to calls alone. A caller that may make a call may follow its task.
#[test]
fn a_task_is_shown_to_callers_that_may_call_its_tool() {
    let (world, _) = world("called-tasks");
    let legacy = Caller::legacy(&world, "2025-11-25", None);
    let id = legacy.begin("report");
    assert_eq!(legacy.listed(json!({})), [id.as_str()]);
    assert_eq!(legacy.ask("tasks/cancel", json!({"taskId": id}))["result"]["status"], "cancelled");

    let modern = Caller::modern(&world, None);
    let id = modern.begin("report");
    assert_eq!(modern.listed(json!({"filter": {"taskIds": [id]}})), [id.as_str()]);
    let selectors = json!({"notifications": {"taskIds": [id]}});
    let mut frames = frames_of(modern.open("subscriptions/listen", selectors));
    assert_eq!(next(&world, &mut frames)["params"]["notifications"], json!({"taskIds": [id]}));

    let (world, store) = self::world("called-tasks");
    let client = Client::of(world.clone(), "2025-11-25", &json!({}));
    let mut feed = client.get(None);
    client.next(&mut feed).unwrap();
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "report", "task": {}}});
    client.post(&call);
    drop(world.settle(async { futures_util::StreamExt::next(&mut feed).await }));
    store.happen("report", Event::Progress(Some("half".to_owned()))).unwrap();
    assert_eq!(next(&world, &mut feed)["params"]["statusMessage"], "half");
}
