//! Steps that fail, are cancelled or take too long, and the end of their tasks.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures_util::{FutureExt, future};
use mcp_sieve::task::TaskState;
use mcp_sieve_gateway::tasks::{Event, Refusal};
use mcp_sieve_gateway::{
    error::RpcError,
    local::{Continue, Input, Reply},
    tasks::TaskQueue,
};
use serde_json::json;

use super::server::{Server, advance, at_once, outcome, question, reason, result, run, store};

#[test]
fn a_step_whose_storage_fails_is_tried_ten_times_with_longer_and_longer_pauses() {
    let store = store(&["job"]);
    let runner = store.runner();
    let count = Rc::new(Cell::new(0_u32));
    let counted = Rc::clone(&count);
    let server = at_once(move |_| {
        counted.set(counted.get() + 1);
        Err(RpcError::internal("storage", "the disk is away"))
    });
    for tried in 0..10 {
        let now = store.clock.get();
        run(&runner, &server);
        assert_eq!(count.get(), tried + 1);
        let due = store.due("job").expect("another try");
        assert_eq!(due - now, 250 << tried, "pause {tried}");
        assert_eq!(store.named("job").state, TaskState::Working);
        advance(&store, due - now - 1);
        run(&runner, &server);
        assert_eq!(count.get(), tried + 1, "tried before the pause was over");
        advance(&store, 1);
    }
    run(&runner, &server);
    assert_eq!((count.get(), reason(&store, "job")), (10, json!("task_stuck")));
    assert!(store.steps.borrow().is_empty());
}

#[test]
fn a_step_that_comes_to_an_end_starts_the_count_anew() {
    let store = store(&["job"]);
    let runner = store.runner();
    let fails = Rc::new(Cell::new(true));
    let failing = Rc::clone(&fails);
    let server = at_once(move |_| match failing.replace(!failing.get()) {
        true => Err(RpcError::internal("storage", "the disk is away")),
        false => Ok(Reply::Continue(Continue::default().after(1))),
    });
    for _ in 0..12 {
        let now = store.clock.get();
        run(&runner, &server);
        assert_eq!(store.due("job"), Some(now + 250));
        advance(&store, 250);
        run(&runner, &server);
        assert_eq!(store.due("job"), Some(now + 251));
        advance(&store, 1);
    }
}

#[test]
fn a_process_that_ends_in_the_middle_leaves_a_step_that_is_begun_again_until_it_is_stuck() {
    let store = store(&["job"]);
    let server = Server(|_| future::pending().boxed_local());
    for _ in 0..10 {
        // Each process has a runner of its own.
        assert!(store.runner().run_due(Ok(&server)).now_or_never().is_none());
        assert_eq!(store.named("job").state, TaskState::Working);
    }
    run(&store.runner(), &server);
    assert_eq!(reason(&store, "job"), "task_stuck");
}

#[test]
fn what_cannot_be_read_fails_its_own_task_and_delays_no_other() {
    let store = store(&["step", "record", "sound"]);
    store.unreadable[0].replace(vec!["id-step".to_owned()]);
    store.unreadable[1].replace(vec!["id-record".to_owned()]);
    let runner = store.runner();
    let left = Rc::new(Cell::new(2_u32));
    let counted = Rc::clone(&left);
    let server = at_once(move |_| match counted.replace(counted.get().saturating_sub(1)) {
        0 => Ok(result("done")),
        _ => Ok(Reply::Continue(Continue::default())),
    });
    run(&runner, &server);
    assert_eq!(reason(&store, "step"), "task_unreadable");
    assert_eq!(outcome(&store, "sound")["content"][0]["text"], "done");
    // No further run begins the work of the other record.
    assert_eq!(store.named("record").state, TaskState::Working);
    assert!(store.steps.borrow().is_empty());
}

#[test]
fn a_step_has_a_minute_and_runs_once_at_a_time() {
    let store = store(&["job"]);
    let runner = store.runner();
    let count = Rc::new(Cell::new(0_u32));
    let counted = Rc::clone(&count);
    let server = Server(move |_| {
        counted.set(counted.get() + 1);
        future::pending().boxed_local()
    });
    let mut first = Box::pin(runner.run_due(Ok(&server)));
    assert!((&mut first).now_or_never().is_none());
    // A run that begins meanwhile finds the step running.
    run(&runner, &server);
    assert_eq!(count.get(), 1);
    advance(&store, 59_999);
    assert!((&mut first).now_or_never().is_none());
    advance(&store, 1);
    first.now_or_never().expect("the minute is over").unwrap();
    assert_eq!(reason(&store, "job"), "task_step");
}

#[test]
fn a_task_that_is_cancelled_in_the_middle_of_a_step_stays_cancelled() {
    for late in [
        Ok(result("late")),
        Err(RpcError::internal("storage", "away")),
        Ok(Reply::Continue(Continue::default())),
    ] {
        let store = store(&["report"]);
        let cancels = Rc::clone(&store);
        let late = RefCell::new(Some(late));
        let server = Server(move |_| {
            let (store, late) = (Rc::clone(&cancels), late.take().expect("one step"));
            async move {
                assert_eq!(store.happen("report", Event::Cancel), Ok(true));
                late
            }
            .boxed_local()
        });
        run(&store.runner(), &server);
        let task = store.named("report");
        assert_eq!((task.state, task.outcome), (TaskState::Cancelled, None));
        assert!(store.steps.borrow().is_empty());
    }
}

#[test]
fn a_result_after_the_end_changes_nothing() {
    let store = store(&["report"]);
    let runner = store.runner();
    let ends = Rc::clone(&store);
    let server = Server(move |_| {
        let store = Rc::clone(&ends);
        async move {
            let first = Event::Complete { result: json!({"content": []}).to_string(), is_error: false };
            assert_eq!(store.happen("report", first), Ok(true));
            Ok(result("second"))
        }
        .boxed_local()
    });
    run(&runner, &server);
    assert_eq!(outcome(&store, "report"), json!({"content": []}));
    let later = runner.apply("id-report", Event::Fail("{}".to_owned())).unwrap().unwrap();
    assert_eq!(later.changed, Err(Refusal::Ended));
    assert_eq!(runner.apply("id-other", Event::Cancel).unwrap(), None);
}

#[test]
fn a_result_that_cannot_be_kept_ends_the_task_with_the_reason() {
    let store = store(&["report"]);
    store.room.set(200);
    run(&store.runner(), &at_once(|_| Ok(result(&"x".repeat(200)))));
    assert_eq!(reason(&store, "report"), "task_too_large");
}

#[test]
fn without_a_server_the_task_fails_with_the_reason() {
    let store = store(&["report"]);
    let missing = Err(RpcError::internal("upstream_missing", "there is no server"));
    store.runner().run_due(missing).now_or_never().expect("no step waits").unwrap();
    assert_eq!(reason(&store, "report"), "upstream_missing");
}

#[test]
fn a_task_whose_time_is_over_is_deleted_with_its_work() {
    let store = store(&["report"]);
    let runner = store.runner();
    run(&runner, &at_once(|_| Ok(Reply::Continue(Continue::default().after(u64::MAX)))));
    advance(&store, 3_599_999);
    run(&runner, &at_once(|_| Ok(result("early"))));
    assert_eq!(store.named("report").state, TaskState::Working);
    advance(&store, 1);
    assert_eq!(runner.queue().load("id-report").unwrap(), None);
    run(&runner, &at_once(|_| Ok(result("late"))));
    assert!(store.tasks.borrow().is_empty() && store.steps.borrow().is_empty());
}

#[test]
fn a_reply_that_no_client_could_read_fails_the_task() {
    let twice = Input::default().ask("who", "elicitation/create", question("Who?")).ask(
        "who",
        "elicitation/create",
        question("Who else?"),
    );
    let replies = [
        ("number", Reply::Result(json!(42)), "a result that is not an object"),
        ("nothing", Reply::Input(Input::default()), "no question and no state"),
        ("twice", Reply::Input(twice), "two questions with the same key"),
    ];
    for (name, reply, fault) in replies {
        let store = store(&[name]);
        run(&store.runner(), &at_once(move |_| Ok(reply.clone())));
        assert_eq!(reason(&store, name), "reply");
        assert!(outcome(&store, name)["message"].as_str().unwrap().contains(fault), "{name}");
    }
}
