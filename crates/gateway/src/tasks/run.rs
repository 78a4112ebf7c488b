//! The work of local tasks, run step by step with a platform's storage and clock.

use std::{cell::RefCell, collections::BTreeSet};

use futures_util::future::{Either, LocalBoxFuture, join_all, select};
use mcp_sieve::task::TaskState;

use crate::small_collect::small_collect;

use crate::task_record::{Event, Task};
use serde_json::{Map, Value, json};

use crate::{
    gateway::local::{Input, InputRequest, LocalServer, Reply},
    host::{
        TaskPlan,
        store::{Applied, TaskWork},
    },
    protocol::error::RpcError,
};

/// Maximum number of steps that run at the same time.
pub const MAX_PARALLEL_STEPS: usize = 16;
/// Maximum number of rounds of such steps in one run. Steps that are still due wait for the next run.
pub const MAX_ROUNDS: usize = 64;
/// Maximum time, in milliseconds, that one step may take.
pub const STEP_MS: u64 = 60_000;
/// Maximum number of times that a step is begun before its task fails.
pub const MAX_TRIES: u64 = 10;
/// Delay, in milliseconds, before a step is retried after a storage failure. It doubles with each further attempt.
pub const BACKOFF_MS: u64 = 250;

/// Storage and clock of a [`TaskRunner`]: the tasks, and the next step of each.
///
/// Its methods do not wait, so that a platform can write everything that an event changes in one transaction. Every
/// method fails if the storage does.
pub trait TaskQueue {
    /// Returns the time in milliseconds since 1970.
    fn now(&self) -> u64;

    /// Completes after `ms` milliseconds.
    fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()>;

    /// Returns a task, unless it is unknown or has expired.
    ///
    /// # Errors
    /// `task_unreadable` if its record cannot be read, and when the storage fails.
    fn load(&self, id: &str) -> Result<Option<Task>, RpcError>;

    /// Writes a task, and reports it to those who watch it.
    ///
    /// # Errors
    /// `task_too_large` for a task that cannot be stored, and when the storage fails.
    fn save(&self, task: &Task) -> Result<(), RpcError>;

    /// Returns the ids of at most `limit` tasks whose next step is due, those due longest first.
    ///
    /// # Errors
    /// When the storage fails.
    fn due(&self, limit: usize) -> Result<Vec<String>, RpcError>;

    /// Returns the next step of a task, if it has one, and counts the attempt.
    ///
    /// # Errors
    /// `task_unreadable` if the step cannot be read, and when the storage fails.
    fn begin(&self, id: &str) -> Result<Option<TaskStep>, RpcError>;

    /// Writes the next step of a task, with no attempts made: its state, the questions it waits for, and when it is due
    /// in milliseconds since 1970. Without a time it is due once its questions are answered.
    ///
    /// # Errors
    /// `task_too_large` for a state that cannot be stored, and when the storage fails.
    fn set_step(
        &self,
        id: &str,
        state: Option<Vec<u8>>,
        question_keys: &Map<String, Value>,
        due: Option<u64>,
    ) -> Result<(), RpcError>;

    /// Sets when the next step of a task is due, in milliseconds since 1970, if the task has one.
    ///
    /// # Errors
    /// When the storage fails.
    fn set_due(&self, id: &str, at: u64) -> Result<(), RpcError>;

    /// Deletes the work of a task.
    ///
    /// # Errors
    /// When the storage fails.
    fn end_work(&self, id: &str) -> Result<(), RpcError>;

    /// Deletes the tasks that have expired.
    ///
    /// # Errors
    /// When the storage fails.
    fn delete_expired(&self) -> Result<(), RpcError>;
}

/// One step of a task's work.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskStep {
    /// The call, with the state that the previous step returned.
    pub work: TaskWork,
    /// The questions that the step waited for: task-level key → the tool's own key.
    pub question_keys: Map<String, Value>,
    /// Number of earlier attempts at this step.
    pub tries: u64,
}

/// Runs the work of tasks, and applies the events of their clients.
#[derive(Debug, Default)]
pub struct TaskRunner<Q> {
    queue: Q,
    /// The tasks whose step is running. Concurrent runs skip them.
    running: RefCell<BTreeSet<String>>,
}

impl<Q: TaskQueue> TaskRunner<Q> {
    /// Creates a runner over a queue.
    pub fn new(queue: Q) -> Self {
        Self { queue, running: RefCell::default() }
    }

    /// Returns the queue.
    pub fn queue(&self) -> &Q {
        &self.queue
    }

    /// Applies an event to a task and stores the result; `None` for an unknown task. Once every question of a task is
    /// answered, its next step is due.
    ///
    /// # Errors
    /// When the task cannot be stored.
    pub fn apply(&self, id: &str, event: Event) -> Result<Option<Applied>, RpcError> {
        let Some(mut task) = self.queue.load(id)? else { return Ok(None) };
        let answers = matches!(event, Event::Answer(_));
        let now = self.queue.now();
        let changed = task.apply(event, now);
        if changed == Ok(true) {
            self.keep(&task)?;
            if answers && task.state == TaskState::Working {
                self.queue.set_due(id, now)?;
            }
        }
        Ok(Some(Applied { task, changed }))
    }

    /// Runs the steps that are due on `server`, then deletes the tasks that have expired. Without a server, tasks whose
    /// step is due fail with the given error.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn run_due(&self, server: Result<&dyn LocalServer, RpcError>) -> Result<(), RpcError> {
        for _ in 0..MAX_ROUNDS {
            let due = self.queue.due(MAX_PARALLEL_STEPS)?;
            let due: Vec<String> =
                due.into_iter().filter(|id| self.running.borrow_mut().insert(id.clone())).collect();
            if due.is_empty() {
                break;
            }
            let done = join_all(due.iter().map(|id| self.step(&server, id))).await;
            due.iter().for_each(|id| _ = self.running.borrow_mut().remove(id));
            done.into_iter().collect::<Result<(), RpcError>>()?;
        }
        self.queue.delete_expired()
    }

    /// Runs one step of a task, and stores its result.
    async fn step(&self, server: &Result<&dyn LocalServer, RpcError>, id: &str) -> Result<(), RpcError> {
        let read = self.queue.begin(id).and_then(|step| Ok((step, self.live(id)?)));
        let (step, task) = match read {
            Ok((Some(step), Some(task))) => (step, task),
            Ok((None, _)) => return Ok(()),
            Ok((_, None)) => return self.queue.end_work(id),
            Err(failure) if failure.reason() == Some("task_unreadable") => return self.abandon(id, &failure),
            Err(failure) => return Err(failure),
        };
        if step.tries >= MAX_TRIES {
            let message = format!("a step of the work was begun {MAX_TRIES} times and never came to an end");
            return self.settle(id, Err(RpcError::internal("task_stuck", message)), &step);
        }
        let server = match server {
            Ok(server) => server,
            Err(failure) => return self.settle(id, Err(failure.clone()), &step),
        };
        let answers = answers(&task, &step.question_keys);
        let reply = server.answer(step.work.clone().ask(&task.method, answers));
        let reply = match select(reply, self.queue.sleep(STEP_MS)).await {
            Either::Left((reply, _)) => reply,
            Either::Right(_) => {
                let message = format!("a step of the work took longer than {} seconds", STEP_MS / 1000);
                Err(RpcError::internal("task_step", message))
            }
        };
        self.settle(id, reply, &step)
    }

    /// Stores the result of a step, without waiting in between. The task may have ended meanwhile.
    fn settle(&self, id: &str, reply: Result<Reply, RpcError>, step: &TaskStep) -> Result<(), RpcError> {
        let Some(task) = self.live(id)? else { return self.queue.end_work(id) };
        let settled = match reply.and_then(Reply::checked) {
            Ok(Reply::Result(result)) => {
                let is_error = result.get("isError") == Some(&Value::Bool(true));
                self.advance(task, Event::Complete { result: result.to_string(), is_error })
            }
            Ok(Reply::Continue(more)) => self.proceed(task, more.into()),
            Ok(Reply::Task(plan)) => self.proceed(task, plan),
            Ok(Reply::Input(input)) => self.ask(task, input, step),
            // The storage that the work needs may be back soon.
            Err(failure) if failure.is_storage() && step.tries < MAX_TRIES => {
                let pause = BACKOFF_MS << u32::try_from(step.tries).unwrap_or(0);
                return self.queue.set_due(id, self.queue.now().saturating_add(pause));
            }
            Err(failure) => self.advance(task, Event::Fail(failure.to_json().to_string())),
        };
        match settled {
            // A result that is too large to be stored makes the task fail.
            Err(failure) if failure.reason() == Some("task_too_large") => {
                let Some(task) = self.queue.load(id)? else { return Ok(()) };
                self.advance(task, Event::Fail(failure.to_json().to_string()))
            }
            settled => settled,
        }
    }

    /// Ends the work of a task if its step or its record cannot be read. Another attempt would fail too, and would
    /// delay other tasks.
    fn abandon(&self, id: &str, failure: &RpcError) -> Result<(), RpcError> {
        match self.live(id) {
            Ok(Some(task)) => self.advance(task, Event::Fail(failure.to_json().to_string())),
            _ => self.queue.end_work(id),
        }
    }

    /// Stores the next step, and the status message of the previous one.
    fn proceed(
        &self,
        task: Task,
        TaskPlan { state, wait_ms, message, .. }: TaskPlan,
    ) -> Result<(), RpcError> {
        let due = self.queue.now().saturating_add(wait_ms);
        self.queue.set_step(&task.id, state, &Map::new(), Some(due))?;
        self.advance(task, Event::Progress(message))
    }

    /// Asks the client of a task. A key is used once in a task's life, so a key that the tool repeats gets a number.
    fn ask(&self, task: Task, input: Input, step: &TaskStep) -> Result<(), RpcError> {
        if let Err(failure) = input.able(&step.work.capabilities) {
            return self.advance(task, Event::Fail(failure.to_json().to_string()));
        }
        let (mut question_keys, mut questions) = (Map::new(), Vec::new());
        for (key, InputRequest { method, params }) in input.requests {
            let used = |name: &str| {
                task.questions.iter().any(|question| question.key == name) || question_keys.contains_key(name)
            };
            let mut name = key.clone();
            let mut number = 2;
            while used(&name) {
                name = format!("{key}-{number}");
                number += 1;
            }
            questions.push((name.clone(), json!({ "method": method, "params": params }).to_string()));
            question_keys.insert(name, key.into());
        }
        let due = questions.is_empty().then(|| self.queue.now());
        self.queue.set_step(&task.id, input.state, &question_keys, due)?;
        self.advance(task, Event::Ask(questions))
    }

    /// Applies an event of the work itself. An event that is not possible makes the task fail.
    fn advance(&self, mut task: Task, event: Event) -> Result<(), RpcError> {
        let now = self.queue.now();
        match task.apply(event, now) {
            Ok(true) => self.keep(&task),
            Ok(false) => Ok(()),
            Err(refusal) => {
                let message =
                    format!("the work requested an impossible change of the task: {}", refusal.code());
                let failure = RpcError::internal(refusal.code(), message);
                _ = task.apply(Event::Fail(failure.to_json().to_string()), now);
                self.keep(&task)
            }
        }
    }

    /// Stores a task. One that has ended needs no more work.
    fn keep(&self, task: &Task) -> Result<(), RpcError> {
        self.queue.save(task)?;
        if task.state.ended() { self.queue.end_work(&task.id) } else { Ok(()) }
    }

    /// Returns a task that has not ended.
    fn live(&self, id: &str) -> Result<Option<Task>, RpcError> {
        Ok(self.queue.load(id)?.filter(|task| !task.state.ended()))
    }
}

/// Returns the client's answers to the questions of a step, by the tool's own keys.
fn answers(task: &Task, question_keys: &Map<String, Value>) -> Map<String, Value> {
    let answered = question_keys.iter().filter_map(|(name, key)| {
        let question = task.questions.iter().find(|question| question.key == *name)?;
        Some((key.as_str()?.to_owned(), serde_json::from_str(question.answer.as_deref()?).ok()?))
    });
    small_collect(answered)
}
