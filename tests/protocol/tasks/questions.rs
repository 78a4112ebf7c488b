//! Questions of tasks to their clients.

use http::Method;
use mcp_sieve_gateway::tasks::{Event, Refusal};
use serde_json::json;

use super::{
    caller::{Caller, RELATED, world},
    events::{ask, done},
    streams::{next, respond, waiting},
};
use crate::{
    client::{frames_of, request, send_as},
    host::World,
};

#[test]
fn a_task_asks_its_client_on_the_stream_that_waits_for_it() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("import");
    store.happen("import", ask(&["who"])).unwrap();
    assert_eq!(caller.ask("tasks/get", json!({"taskId": id}))["result"]["status"], "input_required");
    let mut frames = frames_of(caller.open("tasks/result", json!({"taskId": id})));
    let question = next(&world, &mut frames);
    assert_eq!(question["params"], json!({"message": "Who?", "_meta": {RELATED: {"taskId": id}}}));
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}});
    send_as(
        &world,
        None,
        &request(Method::POST, &[("mcp-session-id", caller.session.as_deref().unwrap())], &answer),
    );
    let told = || caller.ask("tasks/get", json!({"taskId": id}))["result"]["status"].clone();
    world.settle(std::future::pending::<()>());
    assert_eq!(told(), "working");
    store.happen("import", done("imported", false)).unwrap();
    assert_eq!(next(&world, &mut frames)["result"]["content"][0]["text"], "imported");
    assert_eq!(store.happen("import", ask(&["who"])), Err(Refusal::Ended));
}

#[test]
fn a_wait_for_an_answer_ends_with_the_task() {
    let begun = || {
        let (world, store) = world("tasks");
        let world: &'static World = Box::leak(Box::new(world));
        let caller = Caller::legacy(world, "2025-11-25", Some("alice-token"));
        let id = caller.begin("import");
        store.happen("import", ask(&["who"])).unwrap();
        let (frames, _) = waiting(world, &caller, &id);
        (world, store, caller, id, frames)
    };
    let (world, _, caller, id, mut frames) = begun();
    caller.ask("tasks/cancel", json!({"taskId": id}));
    assert_eq!(next(world, &mut frames)["error"]["code"], -32602, "cancelled elsewhere");

    let (world, store, _, id, mut frames) = begun();
    let modern = Caller::modern(world, Some("alice-token"));
    modern.ask("tasks/update", json!({"taskId": id, "inputResponses": {"who": {"action": "accept"}}}));
    store.happen("import", done("imported", false)).unwrap();
    assert_eq!(next(world, &mut frames)["result"]["content"][0]["text"], "imported", "answered elsewhere");

    let (world, _, _, id, mut frames) = begun();
    world.settle(std::future::pending::<()>());
    world.advance(60_000);
    let error = next(world, &mut frames)["error"].clone();
    assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(format!("Unknown task: {id}"))));
}

/// A question is sent once, whatever else changes meanwhile.
#[test]
fn each_answer_is_applied_as_it_comes() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("import");
    store.happen("import", ask(&["who", "whom"])).unwrap();
    let (mut frames, first) = waiting(&world, &caller, &id);
    let second = next(&world, &mut frames);
    store.happen("import", Event::Progress(Some("half".to_owned()))).unwrap();
    respond(&world, &caller, &second, json!({"result": {"action": "accept"}}));
    // Of two responses, the first counts.
    respond(&world, &caller, &second, json!({"result": {"action": "decline"}}));
    let answers = || -> Vec<Option<String>> {
        store.named("import").questions.iter().map(|question| question.answer.clone()).collect()
    };
    assert_eq!(answers(), [None, Some(r#"{"action":"accept"}"#.to_owned())]);
    respond(&world, &caller, &first, json!({"error": {"code": -1, "message": "no"}}));
    assert_eq!(answers()[0].as_deref(), Some(r#"{"action":"cancel"}"#), "a refused elicitation is cancelled");
    store.happen("import", done("imported", false)).unwrap();
    assert_eq!(next(&world, &mut frames)["result"]["content"][0]["text"], "imported");
}

/// Only an elicitation can be cancelled. The task still waits, so the client may try again.
#[test]
fn a_refused_request_of_another_kind_ends_the_wait_with_the_refusal() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("import");
    let roots = json!({"method": "roots/list", "params": {}}).to_string();
    store.happen("import", Event::Ask(vec![("roots".to_owned(), roots)])).unwrap();
    let (mut frames, question) = waiting(&world, &caller, &id);
    assert_eq!(question["method"], "roots/list");
    respond(&world, &caller, &question, json!({"error": {"code": -31005, "message": "private"}}));
    let error = next(&world, &mut frames)["error"].clone();
    assert_eq!((&error["code"], &error["message"]), (&json!(-31005), &json!("private")));
    assert_eq!(caller.ask("tasks/get", json!({"taskId": id}))["result"]["status"], "input_required");
}
