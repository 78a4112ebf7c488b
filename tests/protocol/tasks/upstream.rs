//! Tasks of upstream servers.

use mcp_sieve_gateway::tasks::MAX_QUESTIONS;
use serde_json::{Value, json};

use super::{
    caller::{Caller, RELATED, world},
    streams::next,
};
use crate::{
    client::{frames_of, json_of, modern, send_as},
    upstream_server::far,
};

#[test]
fn tasks_of_a_server_behind_are_read_under_names_of_ours() {
    let (world, _) = world("tasks");
    let tokens = [Some("alice-token"), Some("bob-token")];
    let [alice, bob] = tokens.map(|token| Caller::legacy(&world, "2025-11-25", token));
    let (first, second) = (alice.begin("far-legacy"), bob.begin("far-legacy"));
    assert!(![&first, &second].iter().any(|id| id.starts_with("far")));
    assert_eq!(bob.ask("tasks/get", json!({"taskId": first}))["error"]["code"], -32602);
    assert_eq!(alice.ask("tasks/get", json!({"taskId": "far-2"}))["error"]["code"], -32602);
    assert_eq!(alice.ask("tasks/get", json!({"taskId": first}))["result"]["status"], "working");
    assert_eq!((alice.listed(json!({})), bob.listed(json!({}))), (vec![first.clone()], vec![second.clone()]));

    // The gateway filters the server's tasks, whether or not the server filters them.
    far::become_(1, json!({"status": "completed", "result": {"content": [], "structuredContent": {"n": 1}}}));
    far::become_(2, json!({"status": "failed", "error": {"code": -31000, "message": "broke"}}));
    assert_eq!(alice.listed(json!({"filter": {"status": ["completed"]}})), [first.as_str()]);
    assert!(bob.listed(json!({"filter": {"status": ["completed", "working"]}})).is_empty());
    let mut frames = frames_of(alice.open("tasks/result", json!({"taskId": first})));
    let expected =
        json!({"content": [], "structuredContent": {"n": 1}, "_meta": {RELATED: {"taskId": first}}});
    assert_eq!(next(&world, &mut frames)["result"], expected);
    let modern = Caller::modern(&world, Some("alice-token"));
    let got = modern.ask("tasks/get", json!({"taskId": first}));
    assert_eq!(got["result"]["result"]["structuredContent"], json!({"n": 1}));
    assert!(!got.to_string().contains("far-1"), "{got}");
    let mut frames = frames_of(bob.open("tasks/result", json!({"taskId": second})));
    assert_eq!(next(&world, &mut frames)["error"]["code"], -31000);
    let third = alice.begin("far-legacy");
    assert_eq!(alice.ask("tasks/cancel", json!({"taskId": third}))["result"]["status"], "cancelled");
    assert!(
        far::REQUESTS
            .with_borrow(|requests| requests.contains(&r#"tasks/cancel {"taskId":"far-3"}"#.to_owned()))
    );
    // The server declares no filtering, so it never receives a filter.
    assert!(!far::REQUESTS.with_borrow(|requests| requests.iter().any(|request| request.contains("filter"))));
}

/// Returns whether the server received the cancellation of its task with this number.
fn cancelled_there(number: usize) -> bool {
    let cancelled = format!(r#"tasks/cancel {{"taskId":"far-{number}"}}"#);
    far::REQUESTS.with_borrow(|requests| requests.contains(&cancelled))
}

#[test]
fn a_task_that_cannot_be_stored_is_cancelled_at_its_server() {
    let (world, store) = world("tasks");
    store.full.set(true);
    let caller = Caller::modern(&world, None);
    for (at, tool) in ["far-modern", "far-legacy"].into_iter().enumerate() {
        let refused = caller.ask("tools/call", json!({"name": tool}));
        assert_eq!(refused["error"]["data"]["reason"], "task_limit", "{tool}");
        assert!(cancelled_there(at + 1), "{tool}");
    }
}

/// A server with sessions asks in `tasks/result`, which clients of the stateless revision do not have.
#[test]
fn a_question_that_a_stateless_client_cannot_get_ends_the_task() {
    let (world, _) = world("tasks");
    let alice = Some("alice-token");
    let (legacy, modern) = (Caller::legacy(&world, "2025-11-25", alice), Caller::modern(&world, alice));
    let ids = [modern.begin("far-legacy"), legacy.begin("far-legacy")];
    [1, 2].into_iter().for_each(|at| far::become_(at, json!({"status": "input_required"})));
    let got = ids.each_ref().map(|id| modern.ask("tasks/get", json!({"taskId": id}))["result"].clone());
    assert_eq!(got[0]["status"], "failed");
    assert_eq!(got[0]["error"]["data"]["reason"], "client_stream");
    assert!(cancelled_there(1));
    // The session that began the other task can answer.
    assert_eq!(got[1]["status"], "input_required");
    assert!(!cancelled_there(2));
}

/// The task waits for an answer that it will not get.
#[test]
fn a_task_whose_question_is_refused_fails_and_is_cancelled_at_its_server() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let id = caller.begin("far-modern");
    far::become_(1, json!({"asks": true}));
    let got = caller.ask("tasks/get", json!({"taskId": id}))["result"].clone();
    assert_eq!(
        (&got["status"], &got["error"]["data"]["reason"]),
        (&json!("failed"), &json!("questions_refused"))
    );
    assert!(cancelled_there(1));
}

/// A client could not reach the task of a server that it did not request.
#[test]
fn a_task_that_was_not_requested_is_an_error_and_is_cancelled_at_its_server() {
    let (world, _) = world("tasks");
    let session = Caller::legacy(&world, "2025-11-25", None);
    let mut begun = 0;
    for tool in ["far-legacy", "far-modern"] {
        let params = json!({"name": tool, "arguments": {"unasked": true}});
        let stateless = json_of(send_as(&world, None, &modern("tools/call", params.clone(), &json!({}))).1);
        for answer in [stateless, session.ask("tools/call", params)] {
            if answer["error"]["data"]["reason"] == "task_support" || answer["error"]["code"] == -32021 {
                continue;
            }
            begun += 1;
            assert_eq!(answer["error"]["data"]["reason"], "task_unrequested", "{tool}: {answer}");
            assert!(!answer.to_string().contains("far-1") && cancelled_there(begun), "{tool}");
        }
    }
    assert_eq!(begun, 2);
}

#[test]
fn errors_do_not_name_the_task_of_the_server_behind() {
    let (world, _) = world("tasks");
    let alice = Some("alice-token");
    let (legacy, modern) = (Caller::legacy(&world, "2025-11-25", alice), Caller::modern(&world, alice));
    let id = modern.begin("far-modern");
    far::become_(1, json!({"refusal": -31007}));
    for (caller, method) in [(&modern, "tasks/cancel"), (&legacy, "tasks/cancel"), (&modern, "tasks/update")]
    {
        let refused = caller.ask(method, json!({"taskId": id, "inputResponses": {}}))["error"].clone();
        let message = format!("the upstream server answered `{method}` with an error");
        assert_eq!(refused, json!({"code": -31007, "message": message}));
    }
    // A task that has ended meanwhile cannot be cancelled.
    far::become_(1, json!({"refusal": null, "taskId": "another"}));
    let refused = legacy.ask("tasks/cancel", json!({"taskId": id}))["error"]["message"].clone();
    assert_eq!(refused, format!("Cannot cancel task {id}: it is `failed` already"));
    let got = modern.ask("tasks/get", json!({"taskId": id}))["result"].clone();
    assert_eq!(got["error"]["message"], "the upstream server answered `tasks/get` with an error");
    assert!(!got.to_string().contains("far-1"), "{got}");
}

#[test]
fn the_message_of_a_task_that_ended_at_its_server_is_that_of_the_end() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let ends = [
        (json!({"status": "completed", "result": {"content": []}}), json!(null)),
        (
            json!({"status": "completed", "result": {"content": []}, "statusMessage": "all done"}),
            json!("all done"),
        ),
        (json!({"status": "cancelled"}), json!(null)),
        (json!({"status": "failed", "error": {"code": -31000, "message": "broke"}}), json!("broke")),
    ];
    for (at, (end, message)) in ends.into_iter().enumerate() {
        let id = caller.begin("far-modern");
        let message_of = |state: Value| {
            far::become_(at + 1, state);
            caller.ask("tasks/get", json!({"taskId": id}))["result"]["statusMessage"].clone()
        };
        assert_eq!(message_of(json!({"statusMessage": "half"})), "half");
        far::become_(at + 1, json!({"statusMessage": null}));
        assert_eq!(message_of(end), message, "{at}");
    }
}

#[test]
fn a_server_behind_may_ask_again_and_again_but_not_everything_at_once() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let id = caller.begin("far-modern");
    let ask = |keys: std::ops::Range<usize>| {
        let question = json!({"method": "elicitation/create", "params": {"message": "Who?"}});
        let requests: serde_json::Map<_, _> = keys.map(|at| (format!("q{at}"), question.clone())).collect();
        far::become_(1, json!({"status": "input_required", "inputRequests": requests}));
        caller.ask("tasks/get", json!({"taskId": id}))["result"].clone()
    };
    for at in 0..=MAX_QUESTIONS {
        assert_eq!(ask(at..at + 1)["status"], "input_required", "{at}");
        let answers = json!({format!("q{at}"): {"action": "accept"}});
        caller.ask("tasks/update", json!({"taskId": id, "inputResponses": answers}));
    }
    let got = ask(100..101 + MAX_QUESTIONS);
    assert_eq!(
        (&got["status"], &got["error"]["data"]["reason"]),
        (&json!("failed"), &json!("task_questions"))
    );
    assert!(
        far::REQUESTS
            .with_borrow(|requests| requests.contains(&r#"tasks/cancel {"taskId":"far-1"}"#.to_owned()))
    );
}

#[test]
fn each_era_reads_tasks_of_a_server_of_the_other() {
    let (world, store) = world("tasks");
    let legacy = Caller::legacy(&world, "2025-11-25", Some("alice-token"));
    let modern = Caller::modern(&world, Some("alice-token"));
    // A tool of 2025-11-25 that runs only as a task is called with `task`.
    let there = modern.begin("far-legacy");
    assert_eq!(modern.ask("tasks/get", json!({"taskId": there}))["result"]["status"], "working");
    let here = legacy.begin("far-modern");
    far::become_(
        2,
        json!({"status": "input_required", "inputRequests":
        {"who": {"method": "elicitation/create", "params": {"message": "Who?"}}}}),
    );
    let got = modern.ask("tasks/get", json!({"taskId": here}));
    assert_eq!(got["result"]["inputRequests"]["who"]["params"], json!({"message": "Who?"}));
    modern.ask("tasks/update", json!({"taskId": here, "inputResponses": {"who": {"action": "accept"}}}));
    let told = r#"tasks/update {"inputResponses":{"who":{"action":"accept"}},"taskId":"far-2"}"#.to_owned();
    assert!(
        far::REQUESTS.with_borrow(|requests| requests.contains(&told)),
        "{:?}",
        far::REQUESTS.with_borrow(Clone::clone)
    );
    let mut frames = frames_of(legacy.open("tasks/result", json!({"taskId": here})));
    world.settle(std::future::pending::<()>());
    far::become_(2, json!({"status": "completed", "result": {"content": [], "isError": true}}));
    world.advance(1_000);
    assert_eq!(next(&world, &mut frames)["result"]["isError"], true);
    assert_eq!(legacy.listed(json!({"filter": {"status": ["failed"]}})), [here.as_str()]);
    // A question that the server withdraws is open no longer.
    let asking = legacy.begin("far-modern");
    let who = json!({"who": {"method": "elicitation/create", "params": {"message": "Who?"}}});
    far::become_(3, json!({"status": "input_required", "inputRequests": who}));
    let status = |id: &str| legacy.ask("tasks/get", json!({"taskId": id}))["result"]["status"].clone();
    assert_eq!(status(&asking), "input_required");
    far::become_(3, json!({"status": "working", "inputRequests": null}));
    assert_eq!(status(&asking), "working");
    // An error that does not concern the task changes nothing.
    far::become_(3, json!({"refusal": -32603}));
    assert_eq!(status(&asking), "working");
    // A server with sessions sends its questions in `tasks/result`.
    let waiting = legacy.begin("far-legacy");
    far::become_(4, json!({"status": "input_required", "statusMessage": "your turn"}));
    let got = legacy.ask("tasks/get", json!({"taskId": waiting}));
    assert_eq!(
        (&got["result"]["status"], &got["result"]["statusMessage"]),
        (&json!("input_required"), &json!("your turn"))
    );
    // A result that cannot be stored makes the task fail, and no other.
    store.room.set(1_000);
    let large = legacy.begin("far-modern");
    far::become_(5, json!({"status": "completed", "result": {"content": [], "text": "x".repeat(1_000)}}));
    assert!(legacy.listed(json!({"filter": {"status": ["failed"]}})).contains(&large));
    let got = modern.ask("tasks/get", json!({"taskId": large}));
    assert_eq!(got["result"]["error"]["data"]["reason"], "task_too_large", "{got}");
    store.room.set(0);
    // Without a token, a query states ids.
    let stranger = Caller::modern(&world, None);
    let strange = stranger.begin("far-modern");
    far::become_(6, json!({"status": "completed", "result": {"content": []}}));
    let queried = stranger.list(json!({"filter": {"taskIds": [strange]}}));
    assert_eq!(queried["result"]["tasks"][0]["status"], "completed", "{queried}");
    // A server that creates no task has done the work at once.
    let done = legacy.begin("plain");
    assert_eq!(legacy.ask("tasks/get", json!({"taskId": done}))["result"]["status"], "completed");
    // If the server loses a task, it counts as failed.
    let lost = legacy.begin("far-modern");
    far::become_(7, json!({"taskId": "another"}));
    assert_eq!(legacy.ask("tasks/get", json!({"taskId": lost}))["result"]["status"], "failed");
}
