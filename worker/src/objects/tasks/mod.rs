//! The Durable Object that stores the tasks of one owner and runs their work.
//!
//! A task is a record in SQLite. Events are applied to it one after the other. The changes of an event are written
//! without an `await` in between, so that the runtime stores all of them or none, and sends no response before they are
//! stored. The object's alarm runs the work in steps. The state of a step is written together with the task, so a
//! process that ends loses at most the current step, which is then run again.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod client;
mod store;
mod unread;
mod watchers;

use std::{cell::Cell, rc::Rc, time::Duration};

use futures_util::future::try_join;
use mcp_sieve_gateway::tasks::{Event, Statement, Task};
use mcp_sieve_gateway::{
    error::RpcError,
    tasks::{Applied, TaskQueue, TaskRunner, TaskWork},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use worker::{DurableObject, Env, Method, Request, Response, Result, State, Storage, durable_object};

pub(crate) use client::EdgeTasks;
use store::Store;

use crate::deployment::local_server;

/// A request to the object. Each is answered with `{"ok": …}` or `{"failure": …}`, both with status 200.
#[derive(Debug, Serialize, Deserialize)]
enum TaskRequest {
    /// Stores a task. The result is empty.
    Create(Box<Task>, Option<Box<TaskWork>>),
    /// A [`Task`] without its answered questions, or `null`.
    Load(String),
    /// An [`Applied`] with such a task, or `null`.
    Apply(String, Event),
    /// Returns the records that the statement selects.
    List(Statement),
    /// Returns a stream with a line for each change of these tasks, or of all tasks if none is named. A line has no
    /// long outcome.
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
    runner: TaskRunner<Store>,
    /// Milliseconds since 1970 at which the alarm is set to run, if that is known.
    rings: Cell<Option<u64>>,
}

impl DurableObject for TasksObject {
    fn new(state: State, env: Env) -> Self {
        let storage = state.storage();
        let service = TaskService {
            runner: TaskRunner::new(Store::new(storage.sql())),
            storage,
            rings: Cell::new(None),
        };
        Self { env, service: Rc::new(service) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        if request.method() != Method::Post {
            return Response::error("only POST", 405);
        }
        let outcome = match request.json().await? {
            TaskRequest::Watch(ids) => return self.service.runner.queue().watchers.open(ids),
            request => self.service.answer(request),
        };
        // The alarm is stored together with the writes before it.
        self.service.wake().await?;
        Response::from_json(&match outcome {
            Ok(ok) => json!({ "ok": ok }),
            Err(failure) => refused(&failure),
        })
    }

    async fn alarm(&self) -> Result<Response> {
        self.service.rings.set(None);
        let server = local_server(&self.env);
        self.service.runner.run_due(server.as_deref().map_err(Clone::clone)).await.map_err(fault)?;
        self.service.wake().await?;
        Response::empty()
    }
}

impl TaskService {
    /// Answers one request, without waiting in between.
    fn answer(&self, request: TaskRequest) -> Stored<Value> {
        let store = self.runner.queue();
        let outcome = match request {
            TaskRequest::Create(task, work) => {
                store.create(&task, work.map(|work| *work))?;
                store.watchers.notify(&task);
                return Ok(Value::Null);
            }
            TaskRequest::Load(id) => serde_json::to_value(store.load(&id)?.map(without_answers)),
            TaskRequest::Apply(id, event) => {
                let applied = self.runner.apply(&id, event)?;
                let applied =
                    applied.map(|applied| Applied { task: without_answers(applied.task), ..applied });
                serde_json::to_value(applied)
            }
            TaskRequest::List(statement) => serde_json::to_value(store.list(statement)?),
            TaskRequest::Watch(_) => Ok(Value::Null),
        };
        outcome.map_err(|error| RpcError::internal("storage", format!("the tasks: {error}")))
    }

    /// Sets the alarm for the next step or deletion. Without any task, all storage is deleted.
    async fn wake(&self) -> Result<()> {
        let store = self.runner.queue();
        if store.has_empty_tables().map_err(fault)? {
            self.rings.set(None);
            store.forget_tables();
            // Both begin before another request can store a task.
            return try_join(self.storage.delete_alarm(), self.storage.delete_all()).await.map(|_| ());
        }
        let Some(next) = store.next().map_err(fault)? else { return Ok(()) };
        if self.rings.get().is_some_and(|rings| rings <= next) {
            return Ok(());
        }
        self.storage.set_alarm(Duration::from_millis(next.saturating_sub(store.now()))).await?;
        self.rings.set(Some(next));
        Ok(())
    }
}

/// The result of an operation that needs the storage.
type Stored<T> = std::result::Result<T, RpcError>;

/// Returns a task without its answered questions, as the Worker gets it. Only the task's work reads the answers, which
/// can be long.
fn without_answers(mut task: Task) -> Task {
    task.questions.retain(|question| question.answer.is_none());
    task
}

fn refused(failure: &RpcError) -> Value {
    json!({ "failure": failure.to_json() })
}

/// Converts a failure for the runtime, which logs it.
fn fault(failure: RpcError) -> worker::Error {
    worker::Error::RustError(failure.message)
}
