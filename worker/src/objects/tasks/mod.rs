//! The Durable Object that keeps the tasks of one owner, and has their work done.
//!
//! A task is a record in SQLite; what happens to it comes here and is applied one event after the other.
//! Whatever an event changes is written without a pause in between, so that the runtime keeps all of it or
//! nothing, and sends no answer before it is kept. Work is done in steps, driven by the object's alarm: what a
//! step has to remember is written with what the task has become. So there is no moment at which a process
//! that ends loses more than the step it was at, and that one is done again.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod client;
mod runner;
mod store;
mod watchers;

use std::{cell::Cell, rc::Rc, time::Duration};

use mcp_sieve::{
    mcp::{Applied, RpcError, TaskWork},
    task::{Event, State as TaskState, Statement, Task},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use worker::{Date, DurableObject, Env, Method, Request, Response, Result, State, Storage, durable_object};

pub(crate) use client::EdgeTasks;
use runner::RunningSteps;
use store::Store;
use watchers::Watchers;

/// A request to the object. Each is answered with `{"ok": …}` or `{"failure": …}`, both with status 200.
#[derive(Debug, Serialize, Deserialize)]
enum TaskRequest {
    /// Nothing comes back.
    Create(Box<Task>, Option<Box<TaskWork>>),
    /// A [`Task`], or `null`.
    Load(String),
    /// An [`Applied`], or `null`.
    Apply(String, Event),
    /// The records that it finds.
    List(Statement),
    /// A stream of tasks, a line for each change: of these, or of all where none is named.
    Watch(Vec<String>),
}

/// The tasks of one owner. It takes `TaskRequest` as the body of a `POST`.
#[durable_object(alarm)]
#[derive(Debug)]
pub struct TasksObject {
    env: Env,
    service: Rc<TaskService>,
}

/// The state of the object, which its requests and its alarm share.
#[derive(Debug)]
struct TaskService {
    storage: Storage,
    store: Store,
    watchers: Watchers,
    running: RunningSteps,
    /// Milliseconds since 1970 at which the alarm is set to run, if that is known.
    rings: Cell<Option<u64>>,
}

impl DurableObject for TasksObject {
    fn new(state: State, env: Env) -> Self {
        let storage = state.storage();
        let service = TaskService {
            store: Store::new(storage.sql()),
            storage,
            watchers: Watchers::default(),
            running: RunningSteps::default(),
            rings: Cell::new(None),
        };
        Self { env, service: Rc::new(service) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        if request.method() != Method::Post {
            return Response::error("only POST", 405);
        }
        let said = match request.json().await? {
            TaskRequest::Watch(ids) => return self.service.watchers.open(ids),
            asked => self.service.answer(asked),
        };
        // The alarm is kept with what was written.
        self.service.wake().await?;
        Response::from_json(&match said {
            Ok(ok) => json!({ "ok": ok }),
            Err(failure) => refused(&failure),
        })
    }

    async fn alarm(&self) -> Result<Response> {
        self.service.rings.set(None);
        self.service.work(&self.env).await.map_err(fault)?;
        self.service.wake().await?;
        Response::empty()
    }
}

impl TaskService {
    /// Answers one request, without waiting in between.
    fn answer(&self, asked: TaskRequest) -> Stored<Value> {
        let now = now();
        let said = match asked {
            TaskRequest::Create(task, work) => {
                self.store.forget_expired(now)?;
                self.store.create(&task, work.map(|work| *work), now)?;
                self.watchers.tell(&task);
                return Ok(Value::Null);
            }
            TaskRequest::Load(id) => serde_json::to_value(self.store.load(&id, now)?),
            TaskRequest::Apply(id, event) => serde_json::to_value(self.apply_event(&id, event, now)?),
            TaskRequest::List(statement) => serde_json::to_value(self.store.list(statement)?),
            TaskRequest::Watch(_) => Ok(Value::Null),
        };
        said.map_err(|error| RpcError::internal("storage", format!("the tasks: {error}")))
    }

    /// Applies an event to a task, stores the result, and informs watchers.
    fn apply_event(&self, id: &str, event: Event, now: u64) -> Stored<Option<Applied>> {
        let Some(mut task) = self.store.load(id, now)? else { return Ok(None) };
        let answers = matches!(event, Event::Answer(_));
        let changed = task.apply(event, now);
        if changed == Ok(true) {
            self.keep(&task)?;
            if answers && task.state == TaskState::Working {
                self.store.due(id, Some(now))?;
            }
        }
        Ok(Some(Applied { task, changed }))
    }

    /// Writes what a task has become; one that has ended needs no more work.
    fn keep(&self, task: &Task) -> Stored<()> {
        self.store.save(task)?;
        if task.state.ended() {
            self.store.end_work(&task.id)?;
        }
        self.watchers.tell(task);
        Ok(())
    }

    /// Sets the alarm for the next thing to do.
    async fn wake(&self) -> Result<()> {
        let Some(next) = self.store.next().map_err(fault)? else { return Ok(()) };
        if self.rings.get().is_some_and(|rings| rings <= next) {
            return Ok(());
        }
        self.storage.set_alarm(Duration::from_millis(next.saturating_sub(now()))).await?;
        self.rings.set(Some(next));
        Ok(())
    }
}

/// The result of an operation that needs the storage.
type Stored<T> = std::result::Result<T, RpcError>;

fn refused(failure: &RpcError) -> Value {
    json!({ "failure": failure.to_json() })
}

/// Converts a failure for the runtime, which logs it.
fn fault(failure: RpcError) -> worker::Error {
    worker::Error::RustError(failure.message)
}

fn now() -> u64 {
    Date::now().as_millis()
}
