//! The client of the task store, which sends requests to the Durable Object of each owner.

use std::rc::Rc;

use futures_util::{
    FutureExt, StreamExt,
    future::{LocalBoxFuture, ready},
    stream::LocalBoxStream,
};
use mcp_sieve::{
    Error,
    task::{Scan, TaskState},
};
use mcp_sieve_gateway::tasks::{Event, Statement, Task};
use mcp_sieve_gateway::{
    error::RpcError,
    tasks::{Applied, PollTurns, TaskStore, TaskWork},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use worker::{Env, Method, Response};

use super::TaskRequest;
use crate::{
    auth::sha256,
    console,
    objects::{failure_from_json, lost, ndjson, send},
};

type Later<T> = LocalBoxFuture<'static, Result<T, RpcError>>;

/// The task store of the deployment: an object for each owner.
#[derive(Debug, Clone)]
pub(crate) struct EdgeTasks {
    pub env: Env,
    /// The turns of all streams of the isolate.
    pub polls: Rc<PollTurns>,
}

impl EdgeTasks {
    async fn post(&self, owner: &str, request: &TaskRequest) -> Result<Response, RpcError> {
        let sent = async {
            // The platform shows the names of objects, so the principal does not appear in them.
            let stub = self.env.durable_object("TASKS")?.get_by_name(&sha256(owner.as_bytes()))?;
            send(&stub, Method::Post, "/", Some(serde_json::to_string(request)?)).await
        };
        sent.await.map_err(|error| lost("the tasks", &error))
    }

    fn ask<T: DeserializeOwned + 'static>(&self, owner: &str, request: TaskRequest) -> Later<T> {
        let (tasks, owner) = (self.clone(), owner.to_owned());
        async move {
            let mut response = tasks.post(&owner, &request).await?;
            let mut reply: Value = response.json().await.map_err(|error| lost("the tasks", &error))?;
            let ok =
                failed(&reply).map_or(Ok(reply.get_mut("ok").map(Value::take).unwrap_or_default()), Err)?;
            serde_json::from_value(ok)
                .map_err(|error| RpcError::internal("storage", format!("the tasks: {error}")))
        }
        .boxed_local()
    }
}

/// Reports a task that cannot be read.
fn note(error: &Error) {
    console::warn(&format!("tasks: a task is left out, since it cannot be read: {error}"));
}

/// Returns the failure of an answer, if it is one.
fn failed(answer: &Value) -> Option<RpcError> {
    answer.get("failure").map(failure_from_json)
}

/// Returns whether a line has left out the outcome of its task.
fn lacks_outcome(task: &Task) -> bool {
    task.outcome.is_none() && task.state.ended() && task.state != TaskState::Cancelled
}

impl TaskStore for EdgeTasks {
    fn create(&self, task: Task, work: Option<TaskWork>) -> Later<()> {
        self.ask(&task.owner.clone(), TaskRequest::Create(Box::new(task), work.map(Box::new)))
    }

    fn load(&self, owner: &str, id: &str) -> Later<Option<Task>> {
        self.ask(owner, TaskRequest::Load(id.to_owned()))
    }

    fn apply(&self, owner: &str, id: &str, event: Event) -> Later<Option<Applied>> {
        self.ask(owner, TaskRequest::Apply(id.to_owned(), event))
    }

    fn list(&self, owner: &str, scan: Scan) -> Later<Vec<Task>> {
        let found = self.ask::<Vec<String>>(owner, TaskRequest::List(Statement::for_scan(&scan)));
        async move {
            let heads = found.await?;
            // One that cannot be read does not hide the others.
            let read = |head: &String| Task::read(head, None).inspect_err(note).ok();
            Ok(heads.iter().filter_map(read).collect())
        }
        .boxed_local()
    }

    fn watch(&self, owner: &str, ids: Vec<String>) -> Later<LocalBoxStream<'static, Task>> {
        let (tasks, owner) = (self.clone(), owner.to_owned());
        async move {
            let mut response = tasks.post(&owner, &TaskRequest::Watch(ids)).await?;
            let kind = response.headers().get("content-type").ok().flatten().unwrap_or_default();
            if kind.starts_with("application/json") {
                let reply: Value = response.json().await.map_err(|error| lost("the tasks", &error))?;
                return Err(
                    failed(&reply).unwrap_or_else(|| RpcError::internal("storage", "the tasks: no answer"))
                );
            }
            let pieces = response.stream().map_err(|error| lost("the tasks", &error))?;
            let changes = ndjson::read(pieces).then(move |task: Task| {
                let load = lacks_outcome(&task).then(|| tasks.load(&owner, &task.id));
                async move {
                    match load {
                        Some(load) => load.await,
                        None => Ok(Some(task)),
                    }
                }
            });
            // The reader watches again after the end of the stream.
            let intact = changes.take_while(|task| ready(task.is_ok()));
            Ok(intact.filter_map(|task| ready(task.ok().flatten())).boxed_local())
        }
        .boxed_local()
    }

    fn may_poll(&self, id: &str, now: u64, pause_ms: u64) -> bool {
        self.polls.take(id, now, pause_ms)
    }
}
