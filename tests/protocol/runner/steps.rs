//! The order of steps, their state, and their results.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures_util::{FutureExt, future};
use mcp_sieve::task::TaskState;
use mcp_sieve_gateway::{
    error::RpcError,
    local::{Continue, Input, LocalRequest, LocalServer, Progress, Reply, TaskPlan},
    tasks::MAX_TTL_MS,
};
use serde_json::json;

use super::server::{Server, advance, alice, at_once, outcome, question, result, run, store};
use crate::tasks::{Caller, world};

#[test]
fn steps_follow_each_other_with_what_they_remember_when_their_time_has_come() {
    let store = store(&["report"]);
    let runner = store.runner();
    let states = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&states);
    let server = at_once(move |ask| {
        assert_eq!((ask.method.as_str(), ask.principal.as_deref()), ("tools/call", Some("alice")));
        assert_eq!(ask.claims, Some(alice()));
        assert_eq!((&ask.params, ask.task), (&json!({"name": "report"}), None));
        seen.borrow_mut().push(ask.state.clone());
        let message = "half of it".to_owned();
        Ok(match ask.state.as_deref() {
            None => Reply::Continue(
                Continue::new(b"one").after(500).with_progress(Progress::new(1.0, message).of(2.0)),
            ),
            Some(b"one") => Reply::Task(TaskPlan::default().with_state(b"two").after(70)),
            _ => result("all of it"),
        })
    });
    run(&runner, &server);
    let task = store.named("report");
    assert_eq!((task.state, task.message.as_deref()), (TaskState::Working, Some("half of it")));
    assert_eq!(store.due("report"), Some(1_000_500));
    advance(&store, 499);
    run(&runner, &server);
    assert_eq!(states.borrow().len(), 1, "a step before its time");
    advance(&store, 1);
    run(&runner, &server);
    assert_eq!((store.due("report"), store.named("report").message), (Some(1_000_570), None));
    advance(&store, 70);
    run(&runner, &server);
    assert_eq!(*states.borrow(), [None, Some(b"one".to_vec()), Some(b"two".to_vec())]);
    let task = store.named("report");
    assert_eq!((task.state, task.updated), (TaskState::Completed, 1_000_570));
    assert_eq!(outcome(&store, "report")["content"][0]["text"], "all of it");
    assert!(store.steps.borrow().is_empty(), "what has ended needs no work");
}

#[test]
fn steps_without_a_wait_follow_in_one_run_until_the_next_has_to_wait() {
    let store = store(&["report"]);
    let count = Rc::new(Cell::new(0_u32));
    let counted = Rc::clone(&count);
    let server = at_once(move |_| {
        counted.set(counted.get() + 1);
        Ok(Reply::Continue(Continue::default()))
    });
    run(&store.runner(), &server);
    assert_eq!(count.get(), 64, "the rest is for the next run");
    assert_eq!((store.named("report").state, store.due("report")), (TaskState::Working, Some(1_000_000)));
}

#[test]
fn an_error_of_the_tool_is_a_result_and_a_failure_is_none() {
    let store = store(&["erred", "failed"]);
    let server = at_once(|ask| match ask.params["name"].as_str() {
        Some("erred") => Ok(Reply::Result(json!({"content": [], "isError": true}))),
        _ => Err(RpcError::relayed(-31000, "broke", Some(json!([1])))),
    });
    run(&store.runner(), &server);
    assert_eq!(store.named("erred").state, TaskState::Erred);
    assert_eq!(store.named("failed").state, TaskState::Failed);
    assert_eq!(outcome(&store, "failed"), json!({"code": -31000, "message": "broke", "data": [1]}));
}

#[test]
fn a_step_that_asks_nothing_is_followed_at_once_with_its_state() {
    let store = store(&["import"]);
    let server = at_once(|ask| match ask.state {
        None => Ok(Reply::Input(Input::default().state("asked nothing"))),
        Some(state) => Ok(result(std::str::from_utf8(&state).unwrap())),
    });
    run(&store.runner(), &server);
    assert_eq!(outcome(&store, "import")["content"][0]["text"], "asked nothing");
}

#[test]
fn sixteen_steps_run_side_by_side_and_the_rest_behind_them() {
    let names: Vec<String> = (0..40).map(|at| format!("job-{at:02}")).collect();
    let store = store(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let (now, most) = (Rc::new(Cell::new(0_u32)), Rc::new(Cell::new(0_u32)));
    let (running, largest) = (Rc::clone(&now), Rc::clone(&most));
    let server = Server(move |_| {
        running.set(running.get() + 1);
        largest.set(largest.get().max(running.get()));
        let (running, mut polls) = (Rc::clone(&running), 0);
        future::poll_fn(move |context| {
            polls += 1;
            if polls < 3 {
                context.waker().wake_by_ref();
                return std::task::Poll::Pending;
            }
            running.set(running.get() - 1);
            std::task::Poll::Ready(Ok(result("done")))
        })
        .boxed_local()
    });
    let runner = store.runner();
    let mut done = Box::pin(runner.run_due(Ok(&server)));
    while (&mut done).now_or_never().is_none() {
        assert!(now.get() <= 16);
    }
    assert_eq!((now.get(), most.get()), (0, 16));
    assert!(store.tasks.borrow().values().all(|task| task.state == TaskState::Completed));
}

/// A client can start a task over the protocol, answer its requests there, and read its result.
#[test]
fn the_work_of_a_call_goes_on_from_its_clients_answers_to_its_result() {
    let (world, store) = world("tasks");
    let caller = Caller::modern(&world, None);
    let id = caller.begin("import");
    store.clock.set(world.clock.get());
    let runner = store.runner();
    let server = at_once(|ask| {
        Ok(match ask.answers.get("who") {
            None => {
                assert_eq!(ask.state.as_deref(), Some(&b"begun"[..]));
                Reply::Input(Input::default().ask("who", "elicitation/create", question("Who?")))
            }
            Some(answer) => result(&format!("for {}", answer["content"]["name"])),
        })
    });
    run(&runner, &server);
    let task = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(task["result"]["status"], "input_required");
    assert_eq!(task["result"]["inputRequests"]["who"]["params"], question("Who?"));
    let answers = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
    caller.ask("tasks/update", json!({"taskId": id, "inputResponses": answers}));
    run(&runner, &server);
    let done = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(done["result"]["status"], "completed");
    assert_eq!(done["result"]["result"]["content"][0]["text"], "for \"Ada\"");
}

#[test]
fn delays_are_bounded() {
    const YEAR_MS: u64 = 366 * 24 * 60 * 60 * 1000;
    let plan = TaskPlan::default().after(u64::MAX).with_poll_interval(u64::MAX).with_ttl(u64::MAX);
    assert_eq!((plan.wait_ms, plan.poll, plan.ttl), (YEAR_MS, Some(YEAR_MS), Some(MAX_TTL_MS)));
    assert_eq!(Continue::new(b"x").after(u64::MAX).wait_ms, YEAR_MS);
}

/// The author of a server can test it without a gateway.
#[test]
fn a_server_is_tested_with_a_request_of_its_own() {
    let server = at_once(|ask| Ok(result(ask.params["name"].as_str().unwrap())));
    let request = LocalRequest::new("tools/call", json!({"name": "greet"}));
    request.sender.progress(f64::NAN, None, None);
    assert_eq!(server.answer(request).now_or_never().unwrap().unwrap(), result("greet"));
}
