//! `tasks/result` of revision 2025-11-25: waits for the end of a task, and meanwhile sends its questions to the client.

use std::rc::Rc;

use futures_util::{FutureExt, StreamExt, future::join_all, stream::LocalBoxStream};
use http::Response;
use serde_json::{Map, Value, json};

use crate::{
    json::{Members, Object},
    mcp::{
        call::{
            generate::{Emitter, generate},
            invoke,
            pending::PendingCall,
            rounds,
        },
        host::{Event as CallEvent, Host},
        http::response::Body,
        protocol::error::RpcError,
        request::context::Context,
        streams::session_streams::SessionStreams,
        tasks::{
            lookup::{FoundTask, named},
            store::TaskStore,
            upstream::{RELATED, UpstreamTasks},
            watch::follow,
        },
    },
    revision::Era,
    small_collect::small_collect,
    task::{Event, Remote, Task, TaskState},
};

pub(crate) async fn wait<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let FoundTask { store, owner, task, .. } = named(&context).await?;
    let host = context.asked.host.clone();
    let live = context.session.as_ref().and_then(|(id, _)| host.live(id));
    let asked = live.filter(|_| context.asked.streams());
    let relay = UpstreamTasks::of(&context);
    if let Some(remote) =
        task.remote.clone().filter(|remote| remote.era == Era::Session && !task.state.ended())
    {
        let events = handed_on(relay, &remote, asked, task.id);
        return invoke::attend(context, events).await;
    }
    let events = generate(move |out| {
        let waiter = Waiter { relay, store, owner, live: asked, out };
        async move {
            match waiter.run(task).await {
                Ok(result) => CallEvent::Result(result),
                Err(failure) => CallEvent::Error(failure),
            }
        }
        .boxed_local()
    });
    invoke::attend(context, events).await
}

struct Waiter<H> {
    relay: UpstreamTasks<H>,
    store: Rc<dyn TaskStore>,
    owner: String,
    /// The session whose client can be sent questions.
    live: Option<Rc<SessionStreams>>,
    out: Emitter<CallEvent>,
}

impl<H: Host> Waiter<H> {
    async fn run(self, mut task: Task) -> Result<Vec<u8>, RpcError> {
        let mut news = follow(
            self.relay.clone(),
            Rc::clone(&self.store),
            self.owner.clone(),
            vec![task.id.clone()],
            Some(&task),
        );
        loop {
            if task.state.ended() {
                // Reported changes may lack the outcome, so the whole task is loaded.
                let whole = self.store.load(&self.owner, &task.id).await?;
                return ended(&whole.unwrap_or(task));
            }
            if let (TaskState::InputRequired, Some(live)) = (task.state, &self.live) {
                let answers = self.ask(live, &task).await?;
                if let Some(remote) = &task.remote {
                    let responses = answers
                        .iter()
                        .map(|(key, answer)| (key.clone(), serde_json::from_str(answer).unwrap_or_default()));
                    let params = json!({"inputResponses": small_collect::<Map<_, _>, _>(responses)});
                    self.relay.ask(remote, "tasks/update", params).await??;
                }
                let applied = self.store.apply(&self.owner, &task.id, Event::Answer(answers)).await?;
                // A task that has been deleted meanwhile cannot end.
                task = applied.ok_or_else(|| crate::mcp::tasks::lookup::unknown(&task.id))?.task;
                if task.state != TaskState::Working {
                    continue;
                }
            }
            if let Some(changed) = news.next().await {
                task = changed;
            }
        }
    }

    /// Sends all open questions to the client and waits for all responses.
    async fn ask(&self, live: &Rc<SessionStreams>, task: &Task) -> Result<Vec<(String, String)>, RpcError> {
        let mut waiting = Vec::new();
        for question in task.open_questions() {
            let request: Value = serde_json::from_str(&question.request).unwrap_or_default();
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let mut params = request.get("params").cloned().unwrap_or_else(|| json!({}));
            if let Some(params) = params.as_object_mut() {
                let meta = params.entry("_meta").or_insert_with(|| json!({}));
                if let Some(meta) = meta.as_object_mut() {
                    meta.insert(RELATED.to_owned(), json!({"taskId": task.id}));
                }
            }
            let (message, answer) = live.create_request(method, &params)?;
            self.out.push(CallEvent::Notification(message));
            let key = question.key.clone();
            waiting.push(async move {
                // A missing response counts as cancelled.
                let answer = answer.await.unwrap_or_else(|_| json!({"action": "cancel"}));
                (key, answer.to_string())
            });
        }
        Ok(join_all(waiting).await)
    }
}

/// Returns the events of `tasks/result` at a server with sessions. Such a server sends its questions there, as we do.
fn handed_on<H: Host>(
    relay: UpstreamTasks<H>,
    remote: &Remote,
    live: Option<Rc<SessionStreams>>,
    id: String,
) -> LocalBoxStream<'static, CallEvent> {
    let params = json!({"taskId": remote.id}).to_string();
    let pending = PendingCall::about("tasks/result", &params, &remote.server, relay.caller, live.is_some());
    let events = rounds::answer(relay.host, pending, live);
    let events = events.map(move |event| match event {
        CallEvent::Result(result) => {
            CallEvent::Result(related(std::str::from_utf8(&result).unwrap_or_default(), &id))
        }
        CallEvent::Notification(message) => {
            let mut rewritten: Value = serde_json::from_slice(&message).unwrap_or_default();
            let place = format!("/params/_meta/{}/taskId", RELATED.replace('/', "~1"));
            match rewritten.pointer_mut(&place) {
                Some(known) => {
                    *known = id.as_str().into();
                    CallEvent::Notification(rewritten.to_string().into_bytes())
                }
                None => CallEvent::Notification(message),
            }
        }
        error => error,
    });
    events.boxed_local()
}

/// Returns the result or error of the call, with the task's id in its `_meta`.
fn ended(task: &Task) -> Result<Vec<u8>, RpcError> {
    let Some(outcome) = &task.outcome else {
        let status = task.state.status(crate::revision::Era::Session).name();
        return Err(RpcError::params(format!("Task {} is `{status}` and has no result", task.id)));
    };
    if task.state == TaskState::Failed {
        let error: Value = serde_json::from_str(outcome).unwrap_or_default();
        let code = error.get("code").and_then(Value::as_i64).unwrap_or(-32603);
        let message = error.get("message").and_then(Value::as_str).unwrap_or("the task failed");
        return Err(RpcError::relayed(code, message, error.get("data").cloned()));
    }
    Ok(related(outcome, &task.id))
}

/// Returns a result with the task's id in its `_meta`.
fn related(outcome: &str, id: &str) -> Vec<u8> {
    let members = Members::parse(outcome).unwrap_or_default();
    let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
    let mut out = Vec::with_capacity(outcome.len() + 100);
    let mut result = Object::open(&mut out);
    result.keep(&members, &["_meta"]);
    let mut inner = Object::open(result.value("_meta"));
    inner.keep(&meta, &[RELATED]);
    inner.raw(RELATED, json!({"taskId": id}).to_string().as_bytes());
    inner.close();
    result.close();
    out
}
