//! Calls that become tasks, and their ends.

use mcp_sieve_gateway::tasks::{Event, Refusal};
use serde_json::{Value, json};

use super::{
    caller::{Caller, RELATED, world},
    events::done,
    streams::next,
};
use crate::{
    client::{Client, frames_of},
    upstream_server::far,
};

#[test]
fn a_call_with_task_is_answered_at_once_and_its_result_is_waited_for() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let begun = caller
        .ask("tools/call", json!({"name": "report", "arguments": {"of": "May"}, "task": {"ttl": 60_000}}));
    let task = begun["result"]["task"].clone();
    let id = task["taskId"].as_str().unwrap();
    let expected = json!({"taskId": id, "status": "working", "createdAt": "2027-01-15T08:00:00.000Z",
        "lastUpdatedAt": "2027-01-15T08:00:00.000Z", "ttl": 60_000, "pollInterval": 500});
    assert_eq!(task, expected);
    assert!(id.len() >= 22, "{id}");
    let work = store.work.borrow()[0].1.clone().unwrap();
    assert_eq!(
        (work.params["arguments"].clone(), work.state),
        (json!({"of": "May"}), Some(b"begun".to_vec()))
    );
    assert_eq!(caller.ask("tasks/get", json!({"taskId": id}))["result"], expected);

    let mut frames = frames_of(caller.open("tasks/result", json!({"taskId": id})));
    world.advance(10);
    store.clock.set(world.clock.get());
    assert_eq!(store.happen("report", done("all of May", false)), Ok(true));
    let answer = next(&world, &mut frames);
    let result = json!({"content": [{"type": "text", "text": "all of May"}],
        "_meta": {"vendor/kept": 1, RELATED: {"taskId": id}}});
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 7, "result": result}));
    let told = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(told["result"]["status"], "completed");
    assert_eq!(told["result"]["lastUpdatedAt"], "2027-01-15T08:00:00.010Z");
    assert_eq!(store.happen("report", Event::Progress(Some("more".into()))), Err(Refusal::Ended));
}

#[test]
fn a_tool_is_called_the_way_it_says() {
    let (world, _) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let call = |params: Value| caller.ask("tools/call", params)["error"]["code"].clone();
    assert_eq!(call(json!({"name": "quick", "task": {}})), -32601);
    assert_eq!(call(json!({"name": "job"})), -32601);
    assert_eq!(call(json!({"name": "job", "task": 1})), -32602);
    assert_eq!(call(json!({"name": "job", "task": {"ttl": "long"}})), -32602);
    assert_eq!(call(json!({"name": "report"})), Value::Null);
    assert_eq!(call(json!({"name": "secret", "task": {}})), -32602, "what is hidden is unknown");
    // Older clients do not support tasks.
    let older = Caller::legacy(&world, "2025-06-18", None);
    assert!(older.ask("tools/call", json!({"name": "report", "task": {}}))["result"]["content"].is_array());
    assert_eq!(older.ask("tasks/list", json!({}))["error"]["code"], -32601);
}

#[test]
fn an_error_of_the_tool_has_failed_in_one_era_and_completed_in_the_other() {
    let (world, store) = world("tasks");
    let (legacy, modern) = (
        Caller::legacy(&world, "2025-11-25", Some("alice-token")),
        Caller::modern(&world, Some("alice-token")),
    );
    let id = legacy.begin("import");
    store.happen("import", done("no", true)).unwrap();
    assert_eq!(legacy.ask("tasks/get", json!({"taskId": id}))["result"]["status"], "failed");
    let got = modern.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(got["result"]["status"], "completed");
    assert_eq!(got["result"]["result"]["isError"], true);
    assert_eq!(legacy.listed(json!({"filter": {"status": ["failed"]}})), [id.as_str()]);
    assert_eq!(modern.listed(json!({"filter": {"status": ["completed"]}})), [id.as_str()]);
    assert!(modern.listed(json!({"filter": {"status": ["failed"]}})).is_empty());
}

/// Every result of the stateless revision has a `resultType`, also that within a task. Sessions do not define it.
#[test]
fn the_result_in_a_task_has_a_type_in_the_stateless_revision() {
    let (world, store) = world("tasks");
    let (legacy, modern) = (
        Caller::legacy(&world, "2025-11-25", Some("alice-token")),
        Caller::modern(&world, Some("alice-token")),
    );
    let local = legacy.begin("import");
    let mut frames =
        frames_of(modern.open("subscriptions/listen", json!({"notifications": {"taskIds": [local]}})));
    next(&world, &mut frames);
    next(&world, &mut frames);
    store.happen("import", done("yes", false)).unwrap();
    let typed = json!({"resultType": "complete", "content": [{"type": "text", "text": "yes"}],
        "_meta": {"vendor/kept": 1}});
    assert_eq!(next(&world, &mut frames)["params"]["result"], typed);
    assert_eq!(modern.ask("tasks/get", json!({"taskId": local}))["result"]["result"], typed);

    let [old, new] = ["far-legacy", "far-modern"].map(|tool| legacy.begin(tool));
    far::become_(1, json!({"status": "completed", "result": {"content": []}}));
    far::become_(2, json!({"status": "completed", "result": {"content": [], "resultType": "complete"}}));
    for id in [&local, &old, &new] {
        let got = modern.ask("tasks/get", json!({"taskId": id}));
        assert_eq!(got["result"]["result"]["resultType"], "complete", "{got}");
        let mut frames = frames_of(legacy.open("tasks/result", json!({"taskId": id})));
        let got = next(&world, &mut frames);
        assert!(got["result"]["content"].is_array() && got["result"]["resultType"].is_null(), "{got}");
    }
}

#[test]
fn what_failed_is_answered_with_its_error() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("job");
    store
        .happen("job", Event::Fail(json!({"code": -31000, "message": "broke", "data": [1]}).to_string()))
        .unwrap();
    let mut frames = frames_of(caller.open("tasks/result", json!({"taskId": id})));
    assert_eq!(next(&world, &mut frames)["error"], json!({"code": -31000, "message": "broke", "data": [1]}));
}

#[test]
fn cancelling_is_final_there_and_idempotent_here() {
    let (world, store) = world("tasks");
    let (legacy, modern) = (
        Caller::legacy(&world, "2025-11-25", Some("alice-token")),
        Caller::modern(&world, Some("alice-token")),
    );
    let id = legacy.begin("report");
    assert_eq!(legacy.ask("tasks/cancel", json!({"taskId": id}))["result"]["status"], "cancelled");
    assert_eq!(legacy.ask("tasks/cancel", json!({"taskId": id}))["error"]["code"], -32602);
    let again = modern.ask("tasks/cancel", json!({"taskId": id}));
    assert_eq!(again["result"]["resultType"], "complete");
    assert_eq!(store.happen("report", done("late", false)), Err(Refusal::Ended));
    let mut frames = frames_of(legacy.open("tasks/result", json!({"taskId": id})));
    assert_eq!(next(&world, &mut frames)["error"]["code"], -32602);
}

#[test]
fn changes_are_told_on_a_subscription_and_on_the_stream_of_a_session() {
    let (world, store) = world("tasks");
    let caller = Caller::modern(&world, None);
    let id = caller.begin("report");
    let selectors = json!({"notifications": {"taskIds": [id, "unknown"]}});
    let mut frames = frames_of(caller.open("subscriptions/listen", selectors));
    let acknowledged = next(&world, &mut frames);
    assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": [id]}));
    let told = next(&world, &mut frames);
    assert_eq!(
        (&told["method"], &told["params"]["status"]),
        (&json!("notifications/tasks"), &json!("working"))
    );
    assert_eq!(told["params"]["_meta"], json!({"io.modelcontextprotocol/subscriptionId": 0}));
    store.happen("report", done("told", false)).unwrap();
    let told = next(&world, &mut frames);
    assert_eq!((&told["params"]["status"], &told["params"]["taskId"]), (&json!("completed"), &json!(id)));
    assert_eq!(told["params"]["result"]["content"][0]["text"], "told");

    let client = Client::of(world.clone(), "2025-11-25", &json!({}));
    let mut feed = client.get(None);
    assert_eq!(client.next(&mut feed).unwrap().data, None, "the first event only has an id");
    client.post(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "import", "task": {}}}),
    );
    drop(world.settle(async { futures_util::StreamExt::next(&mut feed).await }));
    store.happen("import", Event::Progress(Some("half".to_owned()))).unwrap();
    let told = next(&world, &mut feed);
    assert_eq!(told["method"], "notifications/tasks/status");
    assert_eq!(
        (&told["params"]["statusMessage"], &told["params"]["status"]),
        (&json!("half"), &json!("working"))
    );
}

#[test]
fn what_has_expired_is_gone() {
    let (world, _) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("report");
    world.advance(59_999);
    assert_eq!(caller.listed(json!({})), [id.as_str()]);
    world.advance(1);
    assert!(caller.listed(json!({})).is_empty());
    assert_eq!(caller.ask("tasks/get", json!({"taskId": id}))["error"]["code"], -32602);
}
