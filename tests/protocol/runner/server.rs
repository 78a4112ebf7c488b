//! A server whose replies come from a function, and a store of tasks that are due.

use std::rc::Rc;

use futures_util::{
    FutureExt,
    future::{self, LocalBoxFuture},
};
use mcp_sieve::task::TaskState;
use mcp_sieve_gateway::tasks::Task;
use mcp_sieve_gateway::{
    error::RpcError,
    local::{LocalRequest, LocalServer, Reply},
    tasks::{TaskRunner, TaskStep, TaskWork},
};
use serde_json::{Map, Value, json};

use crate::store::{Shared, Store};

type Answered = LocalBoxFuture<'static, Result<Reply, RpcError>>;

/// A server whose replies come from a function.
pub struct Server<F>(pub F);

impl<F: Fn(LocalRequest) -> Answered + 'static> LocalServer for Server<F> {
    fn lists(&self) -> String {
        "{}".to_owned()
    }

    fn answer(&self, ask: LocalRequest) -> Answered {
        (self.0)(ask)
    }
}

/// Returns a server whose replies are ready at once.
pub fn at_once(reply: impl Fn(LocalRequest) -> Result<Reply, RpcError> + 'static) -> impl LocalServer {
    Server(move |ask| future::ready(reply(ask)).boxed_local())
}

pub fn result(text: &str) -> Reply {
    Reply::Result(json!({"content": [{"type": "text", "text": text}]}))
}

/// Returns the claims of the caller whose tasks are stored.
pub fn alice() -> Map<String, Value> {
    Map::from_iter([("sub".to_owned(), json!("alice")), ("role".to_owned(), json!("editor"))])
}

/// Returns a store with tasks of these names, all of which are due.
pub fn store(names: &[&str]) -> Rc<Store> {
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
            claims: Some(alice()),
            state: None,
            wait_ms: 0,
        };
        let step = TaskStep { work, question_keys: Map::new(), tries: 0 };
        store.steps.borrow_mut().insert(task.id.clone(), (step, Some(1_000_000)));
        store.tasks.borrow_mut().insert((task.owner.clone(), task.id.clone()), task);
    }
    store
}

/// Runs all steps that are due.
#[track_caller]
pub fn run(runner: &TaskRunner<Shared>, server: &dyn LocalServer) {
    runner.run_due(Ok(server)).now_or_never().expect("no step waits").unwrap();
}

pub fn advance(store: &Store, ms: u64) {
    store.clock.set(store.clock.get() + ms);
}

pub fn question(message: &str) -> Value {
    json!({"message": message})
}

pub fn outcome(store: &Store, name: &str) -> Value {
    serde_json::from_str(&store.named(name).outcome.expect("an outcome")).unwrap()
}

/// Returns the reason why a task failed.
pub fn reason(store: &Store, name: &str) -> Value {
    assert_eq!(store.named(name).state, TaskState::Failed);
    outcome(store, name)["data"]["reason"].clone()
}
