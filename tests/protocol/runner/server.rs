//! Running the steps of tasks, with the clock of the tests.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures_util::{
    FutureExt,
    future::{self, LocalBoxFuture},
};
use mcp_sieve::{
    mcp::{
        MAX_TTL_MS, RpcError, TaskQueue, TaskRunner, TaskStep, TaskWork,
        local::{Continue, Input, LocalRequest, LocalServer, Progress, Reply, TaskPlan},
    },
    task::{Event, MAX_QUESTIONS, Refusal, Task, TaskState},
};
use serde_json::{Map, Value, json};

use crate::{
    store::{Shared, Store},
    tasks::{Caller, world},
};

type Answered = LocalBoxFuture<'static, Result<Reply, RpcError>>;

/// A server whose replies come from a function.
struct Server<F>(F);

impl<F: Fn(LocalRequest) -> Answered + 'static> LocalServer for Server<F> {
    fn lists(&self) -> String {
        "{}".to_owned()
    }

    fn answer(&self, ask: LocalRequest) -> Answered {
        (self.0)(ask)
    }
}

/// Returns a server whose replies are ready at once.
fn at_once(reply: impl Fn(LocalRequest) -> Result<Reply, RpcError> + 'static) -> impl LocalServer {
    Server(move |ask| future::ready(reply(ask)).boxed_local())
}

fn result(text: &str) -> Reply {
    Reply::Result(json!({"content": [{"type": "text", "text": text}]}))
}

/// Returns a store with tasks of these names, all of which are due.
fn store(names: &[&str]) -> Rc<Store> {
    let store = Rc::<Store>::default();
    store.clock.set(1_000_000);
    for name in names {
        let task = Task {
            id: format!("id-{name}"),
            owner: "owner".to_owned(),
            method: "tools/call".to_owned(),
            name: (*name).to_owned(),
            remote: None,
            state: TaskState::Working,
            message: None,
            created: 1_000_000,
            updated: 1_000_000,
            ttl: Some(3_600_000),
            poll: None,
            questions: Vec::new(),
            outcome: None,
        };
        let work = TaskWork {
            params: json!({"name": name}),
            capabilities: json!({"elicitation": {}}),
            principal: Some("alice".to_owned()),
            state: None,
            wait_ms: 0,
        };
        let step = TaskStep { work, asked: Map::new(), tries: 0 };
        store.steps.borrow_mut().insert(task.id.clone(), (step, Some(1_000_000)));
        store.tasks.borrow_mut().insert((task.owner.clone(), task.id.clone()), task);
    }
    store
}

/// Runs all steps that are due.
#[track_caller]
fn run(runner: &TaskRunner<Shared>, server: &dyn LocalServer) {
    runner.run_due(Ok(server)).now_or_never().expect("no step waits").unwrap();
}

fn pass(store: &Store, ms: u64) {
    store.clock.set(store.clock.get() + ms);
}

fn question(message: &str) -> Value {
    json!({"message": message})
}

fn outcome(store: &Store, name: &str) -> Value {
    serde_json::from_str(&store.named(name).outcome.expect("an outcome")).unwrap()
}

/// Returns the reason why a task failed.
fn reason(store: &Store, name: &str) -> Value {
    assert_eq!(store.named(name).state, TaskState::Failed);
    outcome(store, name)["data"]["reason"].clone()
}

#[test]
fn steps_follow_each_other_with_what_they_remember_when_their_time_has_come() {
    let store = store(&["report"]);
    let runner = store.runner();
    let asked = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&asked);
    let server = at_once(move |ask| {
        assert_eq!((ask.method.as_str(), ask.principal.as_deref()), ("tools/call", Some("alice")));
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
    pass(&store, 499);
    run(&runner, &server);
    assert_eq!(asked.borrow().len(), 1, "a step before its time");
    pass(&store, 1);
    run(&runner, &server);
    assert_eq!((store.due("report"), store.named("report").message), (Some(1_000_570), None));
    pass(&store, 70);
    run(&runner, &server);
    assert_eq!(*asked.borrow(), [None, Some(b"one".to_vec()), Some(b"two".to_vec())]);
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
fn questions_have_one_key_for_life_and_answers_come_back_under_the_tools_own() {
    let store = store(&["import"]);
    let runner = store.runner();
    let seen = Rc::new(RefCell::new(Vec::new()));
    let told = Rc::clone(&seen);
    let server = at_once(move |ask| {
        told.borrow_mut().push(Value::Object(ask.answers.clone()));
        let input = Input::default().ask("who", "elicitation/create", question("Who?"));
        Ok(match ask.state.as_deref() {
            None => Reply::Input(input.state("first")),
            Some(b"first") => {
                // The second key is the name that the first would be changed to.
                let input = Input::default().ask("who-2", "elicitation/create", question("Which?"));
                Reply::Input(input.ask("who", "elicitation/create", question("And who?")).state("second"))
            }
            _ => result("imported"),
        })
    });
    let keys = || store.named("import").open_questions().map(|open| open.key.clone()).collect::<Vec<_>>();
    let answer = |key: &str, text: &str| {
        let answer = (key.to_owned(), json!({"action": text}).to_string());
        runner.apply("id-import", Event::Answer(vec![answer])).unwrap().unwrap()
    };
    run(&runner, &server);
    assert_eq!((store.named("import").state, store.due("import")), (TaskState::InputRequired, None));
    assert_eq!(keys(), ["who"]);
    let request: Value = serde_json::from_str(&store.named("import").questions[0].request).unwrap();
    assert_eq!(request, json!({"method": "elicitation/create", "params": {"message": "Who?"}}));
    pass(&store, 10_000);
    run(&runner, &server);
    assert_eq!(seen.borrow().len(), 1, "a step before its answers");

    assert_eq!(answer("what", "none").changed, Ok(false), "no such question");
    assert_eq!(store.due("import"), None);
    let applied = answer("who", "alice");
    assert_eq!((applied.changed, applied.task.state), (Ok(true), TaskState::Working));
    assert_eq!(store.due("import"), Some(1_010_000));
    run(&runner, &server);
    assert_eq!(keys(), ["who-2", "who-3"]);

    answer("who-3", "carol");
    assert_eq!(store.due("import"), None, "one is open still");
    assert_eq!(answer("who", "mallory").changed, Ok(false), "answered before");
    answer("who-2", "bob");
    run(&runner, &server);
    let expected = [
        json!({}),
        json!({"who": {"action": "alice"}}),
        json!({"who": {"action": "carol"}, "who-2": {"action": "bob"}}),
    ];
    assert_eq!(*seen.borrow(), expected);
    assert_eq!(store.named("import").state, TaskState::Completed);
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
fn what_a_client_cannot_be_asked_ends_the_task() {
    let store = store(&["import", "curious"]);
    let server = at_once(|ask| {
        let ask_all = |input: Input, at| input.ask(&format!("q{at}"), "elicitation/create", question("?"));
        Ok(Reply::Input(match ask.params["name"].as_str() {
            Some("import") => Input::default().ask("sum", "sampling/createMessage", json!({})),
            _ => (0..=MAX_QUESTIONS).fold(Input::default(), ask_all),
        }))
    });
    run(&store.runner(), &server);
    assert_eq!(store.named("import").state, TaskState::Failed);
    assert_eq!(outcome(&store, "import")["data"]["requiredCapabilities"], json!({"sampling": {}}));
    assert_eq!(reason(&store, "curious"), "task_questions");
    assert!(store.named("curious").questions.is_empty());
    assert!(store.steps.borrow().is_empty());
}

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
        pass(&store, due - now - 1);
        run(&runner, &server);
        assert_eq!(count.get(), tried + 1, "tried before the pause was over");
        pass(&store, 1);
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
        pass(&store, 250);
        run(&runner, &server);
        assert_eq!(store.due("job"), Some(now + 251));
        pass(&store, 1);
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
    pass(&store, 59_999);
    assert!((&mut first).now_or_never().is_none());
    pass(&store, 1);
    first.now_or_never().expect("the minute is over").unwrap();
    assert_eq!(reason(&store, "job"), "task_step");
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
    pass(&store, 3_599_999);
    run(&runner, &at_once(|_| Ok(result("early"))));
    assert_eq!(store.named("report").state, TaskState::Working);
    pass(&store, 1);
    assert_eq!(runner.queue().load("id-report").unwrap(), None);
    run(&runner, &at_once(|_| Ok(result("late"))));
    assert!(store.tasks.borrow().is_empty() && store.steps.borrow().is_empty());
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
    let asked = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(asked["result"]["status"], "input_required");
    assert_eq!(asked["result"]["inputRequests"]["who"]["params"], question("Who?"));
    let answers = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
    caller.ask("tasks/update", json!({"taskId": id, "inputResponses": answers}));
    run(&runner, &server);
    let done = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(done["result"]["status"], "completed");
    assert_eq!(done["result"]["result"]["content"][0]["text"], "for \"Ada\"");
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
