//! The conversion of a call to a task.

use std::rc::Rc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::{StreamExt, stream::LocalBoxStream};
use mcp_sieve::{
    json::{self, Members, Object, Raw},
    revision::Era,
    task::TaskState,
};

use crate::task_record::{Event as Done, Remote, Task};
use serde_json::{Value, json};

use crate::{
    call::{
        owner::owner,
        pending::PendingCall,
        upstream::{self, UpstreamTasks},
    },
    caller::identity::Caller,
    host::{
        Event, Host, StreamItem, TaskPlan, TaskRequest,
        store::{MAX_TTL_MS, TaskStore, TaskWork},
    },
    protocol::{error::RpcError, method::Method, tasks::EXTENSION},
    request::context::Context,
};

/// Poll interval, in milliseconds, of a task that sets none.
const POLL_MS: u64 = 500;

/// The data from which a task is created if the call becomes one.
#[derive(Clone)]
pub(crate) struct TaskDraft {
    /// The caller's request for a task, if it accepts one.
    pub request: Option<TaskRequest>,
    era: Era,
    id: String,
    owner: String,
    method: String,
    name: String,
    store: Rc<dyn TaskStore>,
}

impl std::fmt::Debug for TaskDraft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskDraft").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

impl TaskDraft {
    /// Returns the draft for a tool call; `None` for other calls and without a task store.
    pub fn for_call<H: Host>(
        context: &Context<'_, H>,
        request: Option<TaskRequest>,
    ) -> Result<Option<Self>, RpcError> {
        let method = context.message.method.as_ref();
        let Some(store) =
            context.exchange.host.tasks().filter(|_| context.message.known == Some(Method::CallTool))
        else {
            return Ok(None);
        };
        // A call that accepts no task becomes none, and needs no id.
        let id = match request {
            Some(_) => URL_SAFE_NO_PAD.encode(context.exchange.host.random()?),
            None => String::new(),
        };
        Ok(Some(Self {
            request,
            era: context.era(),
            owner: owner(context, &id),
            id,
            method: method.to_owned(),
            name: context.message.text_param("name")?.into_owned(),
            store,
        }))
    }

    /// Returns the items of the call. If one creates a task, here or upstream, it is replaced with a result with our
    /// task.
    pub fn begun<H: Host>(
        &self,
        host: &H,
        work: impl Fn() -> TaskWork + 'static,
        call: &PendingCall,
        turns: LocalBoxStream<'static, StreamItem>,
    ) -> LocalBoxStream<'static, StreamItem> {
        let (origin, host) = (self.clone(), host.clone());
        let server = TaskServer::of(&host, call);
        turns
            .then(move |turn| {
                let (origin, server, now) = (origin.clone(), server.clone(), host.now());
                // The work is made only when needed, because few calls become tasks and parameters can be long.
                let turn = match turn {
                    StreamItem::Task(plan) => Err((plan, work())),
                    turn => Ok(turn),
                };
                async move {
                    let begun = match turn {
                        Err((plan, work)) => origin.begin(plan, work, now).await,
                        Ok(StreamItem::Event(Event::Result(result))) => {
                            origin.adopt(result, server, now).await
                        }
                        Ok(other) => return other,
                    };
                    StreamItem::Event(begun.map_or_else(Event::Error, Event::Result))
                }
            })
            .boxed_local()
    }

    /// Stores the task and returns the result with the task.
    async fn begin(self, plan: TaskPlan, work: TaskWork, now: u64) -> Result<Vec<u8>, RpcError> {
        let mut task = self.task(now)?;
        task.message = plan.message;
        task.ttl = plan.ttl.map(|ttl| ttl.min(MAX_TTL_MS)).or(task.ttl);
        task.poll = plan.poll.or(task.poll);
        let work = TaskWork { state: plan.state, wait_ms: plan.wait_ms, ..work };
        self.store.create(task.clone(), Some(work)).await?;
        Ok(created(&task, self.era))
    }

    /// Returns the result of an upstream server, with its task replaced by a task of ours.
    async fn adopt<H: Host>(
        self,
        result: Vec<u8>,
        server: Option<TaskServer<H>>,
        now: u64,
    ) -> Result<Vec<u8>, RpcError> {
        let Some(server) = server else { return Ok(result) };
        if self.request.is_none() {
            return server.without_task(result).await;
        }
        let task = match server.begun(&result, self.task(now)?) {
            Some(task) => task,
            // A session's client that requested a task gets one even if the server returns the result at once.
            None if self.era == Era::Session && !requires_input(&result) => {
                let mut task = self.task(now)?;
                let is_error = member(&result, "isError").is_some_and(|raw| raw.get() == "true");
                let result = String::from_utf8(result).unwrap_or_default();
                // A new task can always be completed.
                let _ = task.apply(Done::Complete { result, is_error }, now);
                task
            }
            None => return Ok(result),
        };
        if let Err(failure) = self.store.create(task.clone(), None).await {
            if let Some(remote) = &task.remote {
                server.cancel(remote).await;
            }
            return Err(failure);
        }
        Ok(created(&task, self.era))
    }

    /// Creates the task, in state `working`.
    fn task(&self, now: u64) -> Result<Task, RpcError> {
        let request = self.request.ok_or_else(|| missing_support(self.era, &self.name))?;
        Ok(Task {
            id: self.id.clone(),
            owner: self.owner.clone(),
            method: self.method.clone(),
            name: self.name.clone(),
            remote: None,
            state: TaskState::Working,
            message: None,
            created: now,
            updated: now,
            ttl: Some(request.ttl.map_or(MAX_TTL_MS, |ttl| ttl.min(MAX_TTL_MS))),
            poll: Some(POLL_MS),
            questions: Vec::new(),
            outcome: None,
        })
    }
}

/// The server of a call, which may create a task.
#[derive(Clone)]
struct TaskServer<H> {
    host: H,
    caller: Rc<Caller<'static>>,
    name: String,
    /// The capabilities that are declared to the server with the call.
    capabilities: Value,
}

impl<H: Host> TaskServer<H> {
    fn of(host: &H, call: &PendingCall) -> Option<Self> {
        let name = call.server()?.to_owned();
        let (host, caller) = (host.clone(), Rc::clone(&call.caller));
        Some(Self { host, caller, name, capabilities: call.declared() })
    }

    /// Returns our task, if a result creates one at the server.
    fn begun(&self, result: &[u8], task: Task) -> Option<Task> {
        upstream::begun(result, &self.name, self.caller.protocol.era(), &self.capabilities, task)
    }

    /// Cancels a task of the server that the gateway does not store.
    async fn cancel(&self, remote: &Remote) {
        let (host, caller) = (self.host.clone(), Caller::clone(&self.caller));
        UpstreamTasks { host, caller }.cancel(remote).await;
    }

    /// Returns a result that is no task.
    ///
    /// # Errors
    /// `task_unrequested` for a task, which is cancelled: a client that requested none cannot reach it.
    async fn without_task(&self, result: Vec<u8>) -> Result<Vec<u8>, RpcError> {
        let Some(remote) =
            upstream::unrequested(&result, &self.name, self.caller.protocol.era(), &self.capabilities)
        else {
            return Ok(result);
        };
        self.cancel(&remote).await;
        let message = "the upstream server answered with a task, which the client did not request";
        Err(RpcError::internal("task_unrequested", message))
    }
}

/// Returns the items of a call that cannot become a task.
pub(crate) fn without_tasks<H: Host>(
    host: &H,
    call: &PendingCall,
    turns: LocalBoxStream<'static, StreamItem>,
) -> LocalBoxStream<'static, StreamItem> {
    let calls_tool = call.method == Method::CallTool.name();
    let Some(server) = TaskServer::of(host, call).filter(|_| calls_tool) else { return turns };
    let checked = turns.then(move |turn| {
        let server = server.clone();
        async move {
            match turn {
                StreamItem::Event(Event::Result(result)) => StreamItem::Event(
                    server.without_task(result).await.map_or_else(Event::Error, Event::Result),
                ),
                turn => turn,
            }
        }
    });
    checked.boxed_local()
}

fn member<'a>(result: &'a [u8], key: &str) -> Option<Raw<'a>> {
    Members::parse(std::str::from_utf8(result).ok()?)?.get(key)
}

/// Returns whether the server asks the client for input first.
fn requires_input(result: &[u8]) -> bool {
    member(result, "resultType").and_then(json::Raw::text).is_some_and(|kind| kind == "input_required")
}

/// Returns the result of a call that became a task.
fn created(task: &Task, era: Era) -> Vec<u8> {
    let mut out = Vec::new();
    let mut result = Object::open(&mut out);
    match era {
        Era::Stateless => {
            result.text("resultType", "task");
            task.show(era, &mut result);
        }
        Era::Session => {
            let mut inner = Object::open(result.value("task"));
            task.show(era, &mut inner);
            inner.close();
        }
    }
    result.close();
    out
}

/// Returns the error for a caller without task support that calls a tool which runs only as a task.
pub(crate) fn missing_support(era: Era, name: &str) -> RpcError {
    match era {
        Era::Stateless => RpcError::capability(json!({"extensions": {EXTENSION: {}}})),
        Era::Session => {
            RpcError::task_support(format!("tool `{name}` runs only as a task: call it with `task`"))
        }
    }
}
