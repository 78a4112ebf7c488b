use futures_util::{
    FutureExt, StreamExt,
    future::{LocalBoxFuture, ready},
    stream::{self, LocalBoxStream},
};
use mcp_sieve::{
    mcp::{Applied, RpcError, TaskStore, TaskWork},
    task::{Event, Scan, Task},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use worker::{Env, Method, Response};

use super::Asked;
use crate::objects::{lost, send};

type Later<T> = LocalBoxFuture<'static, Result<T, RpcError>>;

/// The tasks of everybody, each owner's in an object of its own.
#[derive(Debug, Clone)]
pub(crate) struct EdgeTasks(pub Env);

impl EdgeTasks {
    async fn post(&self, owner: &str, asked: &Asked) -> Result<Response, RpcError> {
        let sent = async {
            // An object's name is seen by whoever runs it, and a principal's is nobody else's affair.
            let digest = Sha256::digest(owner.as_bytes());
            let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            let stub = self.0.durable_object("TASKS")?.get_by_name(&name)?;
            send(&stub, Method::Post, "/", Some(serde_json::to_string(asked)?)).await
        };
        sent.await.map_err(|error| lost("the tasks", &error))
    }

    fn ask<T: DeserializeOwned + 'static>(&self, owner: &str, asked: Asked) -> Later<T> {
        let (tasks, owner) = (self.clone(), owner.to_owned());
        async move {
            let mut response = tasks.post(&owner, &asked).await?;
            let mut said: Value = response.json().await.map_err(|error| lost("the tasks", &error))?;
            let ok =
                failed(&said).map_or(Ok(said.get_mut("ok").map(Value::take).unwrap_or_default()), Err)?;
            serde_json::from_value(ok)
                .map_err(|error| RpcError::internal("storage", format!("the tasks: {error}")))
        }
        .boxed_local()
    }
}

/// A failure as the object wrote it.
fn failed(said: &Value) -> Option<RpcError> {
    let error = said.get("failure")?;
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    Some(RpcError::relayed(code, message, error.get("data").cloned()))
}

impl TaskStore for EdgeTasks {
    fn create(&self, task: Task, work: Option<TaskWork>) -> Later<()> {
        self.ask(&task.owner.clone(), Asked::Create(Box::new(task), work.map(Box::new)))
    }

    fn load(&self, owner: &str, id: &str) -> Later<Option<Task>> {
        self.ask(owner, Asked::Load(id.to_owned()))
    }

    fn apply(&self, owner: &str, id: &str, event: Event) -> Later<Option<Applied>> {
        self.ask(owner, Asked::Apply(id.to_owned(), event))
    }

    fn list(&self, owner: &str, scan: Scan) -> Later<Vec<Task>> {
        let found = self.ask::<Vec<String>>(owner, Asked::List(scan.sql()));
        async move {
            let heads = found.await?;
            heads.iter().map(|head| Task::read(head, None).map_err(RpcError::from)).collect()
        }
        .boxed_local()
    }

    fn watch(&self, owner: &str, ids: Vec<String>) -> Later<LocalBoxStream<'static, Task>> {
        let (tasks, owner) = (self.clone(), owner.to_owned());
        async move {
            let mut response = tasks.post(&owner, &Asked::Watch(ids)).await?;
            let kind = response.headers().get("content-type").ok().flatten().unwrap_or_default();
            if kind.starts_with("application/json") {
                let said: Value = response.json().await.map_err(|error| lost("the tasks", &error))?;
                return Err(
                    failed(&said).unwrap_or_else(|| RpcError::internal("storage", "the tasks: no answer"))
                );
            }
            let pieces = response.stream().map_err(|error| lost("the tasks", &error))?;
            let mut rest = Vec::new();
            let whole = pieces.take_while(|piece| ready(piece.is_ok()));
            let changed = whole.flat_map(move |piece| {
                rest.extend(piece.unwrap_or_default());
                let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let lines: Vec<u8> = rest.drain(..whole).collect();
                let lines = lines.split(|byte| *byte == b'\n');
                stream::iter(
                    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect::<Vec<Task>>(),
                )
            });
            Ok(changed.boxed_local())
        }
        .boxed_local()
    }
}
