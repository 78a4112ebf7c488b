//! The work of tasks, step after step.

use std::{cell::RefCell, collections::BTreeSet, pin::pin, time::Duration};

use futures_util::future::{Either, join_all, select};
use mcp_sieve::{
    mcp::{
        RpcError,
        local::{Input, Question, Reply, TaskPlan},
        small_collect,
    },
    task::{Event, Task},
};
use serde_json::{Map, Value, json};
use worker::{Delay, Env};

use super::{Stored, TaskService, now, store::Step};
use crate::deployment::local_server;

/// Steps that are done side by side.
const PARALLEL: usize = 16;
/// Rounds of such steps for one alarm; what is left then, the next alarm goes on with.
const ROUNDS: usize = 64;
/// The longest that one step may take.
const STEP: Duration = Duration::from_secs(60);
/// How often a step is begun that comes to no end, before the task fails.
const MAX_TRIES: u64 = 10;
/// Milliseconds before a step that failed for want of storage is tried again; twice as many after each.
const BACKOFF_MS: u64 = 250;

/// The steps under way. An alarm that is run again finds what the one before is still at.
#[derive(Debug, Default)]
pub(super) struct RunningSteps(RefCell<BTreeSet<String>>);

impl TaskService {
    /// Does the steps that are due, and clears away the tasks whose time is over.
    pub(super) async fn work(&self, env: &Env) -> Stored<()> {
        for _ in 0..ROUNDS {
            let due = self.store.all_due(now(), PARALLEL)?;
            let due: Vec<String> =
                due.into_iter().filter(|id| self.running.0.borrow_mut().insert(id.clone())).collect();
            if due.is_empty() {
                break;
            }
            let done = join_all(due.iter().map(|id| self.step(env, id))).await;
            due.iter().for_each(|id| _ = self.running.0.borrow_mut().remove(id));
            done.into_iter().collect::<Stored<()>>()?;
        }
        self.store.forget_expired(now())
    }

    /// Does one step of a task, and writes what came of it.
    async fn step(&self, env: &Env, id: &str) -> Stored<()> {
        let Some(step) = self.store.begin(id)? else { return Ok(()) };
        let Some(task) = self.store.load(id, now())?.filter(|task| !task.state.ended()) else {
            return self.store.end_work(id);
        };
        if step.tries >= MAX_TRIES {
            let message = format!("a step of the work was begun {MAX_TRIES} times and never came to an end");
            return self.settle(id, Err(RpcError::internal("task_stuck", message)), &step);
        }
        let own = match local_server(env) {
            Ok(own) => own,
            Err(failure) => return self.settle(id, Err(failure), &step),
        };
        let answers = answers(&task, &step.asked);
        let asked = own.answer(step.work.clone().ask(&task.method, answers));
        let reply = match select(asked, pin!(Delay::from(STEP))).await {
            Either::Left((reply, _)) => reply,
            Either::Right(_) => {
                let message = format!("a step of the work took longer than {} seconds", STEP.as_secs());
                Err(RpcError::internal("task_step", message))
            }
        };
        self.settle(id, reply, &step)
    }

    /// Writes what came of a step; nothing in it waits. The task may have ended meanwhile.
    fn settle(&self, id: &str, reply: Result<Reply, RpcError>, step: &Step) -> Stored<()> {
        let now = now();
        let Some(task) = self.store.load(id, now)?.filter(|task| !task.state.ended()) else {
            return self.store.end_work(id);
        };
        let settled = match reply {
            Ok(Reply::Result(result)) => {
                let is_error = result.get("isError") == Some(&Value::Bool(true));
                self.advance(task, Event::Complete { result: result.to_string(), is_error }, now)
            }
            Ok(Reply::Continue(more)) => self.go_on(task, more.into(), now),
            Ok(Reply::Task(plan)) => self.go_on(task, plan, now),
            Ok(Reply::Input(input)) => self.ask(task, input, step, now),
            // The place where the work is done may be back soon.
            Err(failure) if failure.reason() == Some("storage") && step.tries < MAX_TRIES => {
                let pause = BACKOFF_MS << u32::try_from(step.tries).unwrap_or(0);
                return self.store.due(id, Some(now.saturating_add(pause)));
            }
            Err(failure) => self.advance(task, Event::Fail(failure.to_json().to_string()), now),
        };
        match settled {
            // What cannot be kept ends the task, with the reason.
            Err(failure) if failure.reason() == Some("task_too_large") => {
                let Some(task) = self.store.load(id, now)? else { return Ok(()) };
                self.advance(task, Event::Fail(failure.to_json().to_string()), now)
            }
            settled => settled,
        }
    }

    /// There is more to do.
    fn go_on(&self, task: Task, TaskPlan { state, wait_ms, message, .. }: TaskPlan, now: u64) -> Stored<()> {
        self.store.step(&task.id, state, &json!({}), Some(now.saturating_add(wait_ms)))?;
        self.advance(task, Event::Progress(message), now)
    }

    /// Has the task's client asked. A key is good once in a task's life, whatever its tool calls its questions.
    fn ask(&self, task: Task, input: Input, step: &Step, now: u64) -> Stored<()> {
        if let Err(failure) = input.able(&step.work.capabilities) {
            return self.advance(task, Event::Fail(failure.to_json().to_string()), now);
        }
        let (mut asked, mut questions) = (Map::new(), Vec::new());
        for (key, Question { method, params }) in input.requests {
            let used = |name: &str| {
                task.questions.iter().any(|question| question.key == name) || asked.contains_key(name)
            };
            let mut name = key.clone();
            let mut number = 2;
            while used(&name) {
                name = format!("{key}-{number}");
                number += 1;
            }
            questions.push((name.clone(), json!({ "method": method, "params": params }).to_string()));
            asked.insert(name, key.into());
        }
        let due = questions.is_empty().then_some(now);
        self.store.step(&task.id, input.state, &asked.into(), due)?;
        self.advance(task, Event::Ask(questions), now)
    }

    /// Applies an event of the work itself; one that cannot happen ends the task.
    fn advance(&self, mut task: Task, event: Event, now: u64) -> Stored<()> {
        match task.apply(event, now) {
            Ok(true) => self.keep(&task),
            Ok(false) => Ok(()),
            Err(refusal) => {
                let message = format!("the work asks for what a task cannot do: {}", refusal.code());
                let failure = RpcError::internal(refusal.code(), message);
                _ = task.apply(Event::Fail(failure.to_json().to_string()), now);
                self.keep(&task)
            }
        }
    }
}

/// The client's answers to what was asked last, by the tool's own keys.
fn answers(task: &Task, asked: &Value) -> Map<String, Value> {
    let asked = asked.as_object().into_iter().flatten();
    let answered = asked.filter_map(|(name, key)| {
        let question = task.questions.iter().find(|question| question.key == *name)?;
        Some((key.as_str()?.to_owned(), serde_json::from_str(question.answer.as_deref()?).ok()?))
    });
    small_collect(answered)
}
