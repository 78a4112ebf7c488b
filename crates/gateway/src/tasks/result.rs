//! `tasks/result` of revision 2025-11-25: waits for the end of a task, and meanwhile sends its questions to the client.

use std::{
    collections::BTreeMap,
    pin::pin,
    rc::Rc,
    task::{Context as PollContext, Poll},
};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, Either, LocalBoxFuture, select},
    stream::LocalBoxStream,
};
use http::Response;
use mcp_sieve::{
    json::{self, Members, Object, Raw},
    revision::Era,
    task::TaskState,
};

use crate::task_record::{Event, Remote, Task};
use serde_json::{Value, json};

use crate::{
    call::{
        invoke,
        pending::PendingCall,
        rounds,
        upstream::{RELATED, UpstreamTasks, pause, without_id},
    },
    host::{Event as CallEvent, Host, store::TaskStore},
    protocol::{
        error::RpcError,
        generate::{Emitter, generate},
        response::Body,
    },
    request::context::Context,
    session::session_streams::SessionStreams,
    tasks::{
        lookup::{FoundTask, named, unknown},
        watch::follow,
    },
};

/// Answers `tasks/result` with the outcome of a task, once it has ended.
///
/// # Errors
/// A task that is unknown, expires or has no result, and the error of its call.
pub(crate) async fn wait<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let FoundTask { store, owner, task, .. } = named(&context).await?;
    let host = context.exchange.host.clone();
    let live = context.session.as_ref().and_then(|(id, _)| host.live(id));
    let questions_stream = live.filter(|_| context.exchange.streams());
    let relay = UpstreamTasks::new(&context);
    if let Some(remote) =
        task.remote.clone().filter(|remote| remote.era == Era::Session && !task.state.ended())
    {
        let events = handed_on(relay, remote, pause(&task), questions_stream, task.id);
        return invoke::attend(context, events).await;
    }
    let events = generate(move |out| {
        let waiter = Waiter { relay, store, owner, live: questions_stream, out };
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

/// The wait for the end of a stored task.
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
        // An expired task is deleted without a report.
        let host = &self.relay.host;
        let lifetime = task.expires().map(|at| at.saturating_sub(host.now()));
        let mut expired = pin!(async move {
            match lifetime {
                Some(ms) => host.sleep(ms).await,
                None => future::pending().await,
            }
        });
        let mut pending = AskedQuestions::default();
        loop {
            if task.state.ended() {
                return ended(&task);
            }
            self.ask(&mut pending, &task)?;
            let answered = future::poll_fn(|context| pending.poll(context));
            task = match select(select(answered, news.next()), &mut expired).await {
                Either::Left((Either::Left((answer, _)), _)) => self.answered(task, answer).await?,
                // A reported state may be older than the answers, and lacks the outcome.
                Either::Left((Either::Right(_), _)) => {
                    self.store.load(&self.owner, &task.id).await?.ok_or_else(|| unknown(&task.id))?
                }
                Either::Right(_) => return Err(unknown(&task.id)),
            };
        }
    }

    /// Sends the open questions to the client that it was not sent yet. Those that are no longer open are withdrawn.
    fn ask(&self, pending: &mut AskedQuestions, task: &Task) -> Result<(), RpcError> {
        let Some(live) = &self.live else { return Ok(()) };
        pending.0.retain(|key, _| task.open_questions().any(|question| question.key == *key));
        for question in task.open_questions() {
            if pending.0.contains_key(&question.key) {
                continue;
            }
            let request = Members::parse(&question.request).unwrap_or_default();
            let method = request.get("method").and_then(json::Raw::text).unwrap_or_default().into_owned();
            let params = related(request.get("params").map_or("{}", Raw::get), &task.id);
            let (message, answer) = live.create_request(&method, &params)?;
            self.out.push(CallEvent::Notification(message));
            let answer = async move { rounds::or_cancelled(&method, answer.await) };
            pending.0.insert(question.key.clone(), answer.boxed_local());
        }
        Ok(())
    }

    /// Applies the client's answer to a question, and returns the task after it.
    ///
    /// # Errors
    /// The client's refusal of a request other than an elicitation, and the errors of store and server.
    async fn answered(&self, task: Task, (key, answer): ClientAnswer) -> Result<Task, RpcError> {
        let answers = vec![(key, answer?)];
        if let Some(remote) = &task.remote {
            self.relay.update(remote, &answers).await?;
        }
        let applied = self.store.apply(&self.owner, &task.id, Event::Answer(answers)).await?;
        // A task that has been deleted meanwhile cannot end.
        Ok(applied.ok_or_else(|| unknown(&task.id))?.task)
    }
}

/// The key of a question, and the text of the client's answer.
type ClientAnswer = (String, Result<String, RpcError>);

/// The questions that wait for the client's answer, by their keys. A question that is dropped is withdrawn.
#[derive(Default)]
struct AskedQuestions(BTreeMap<String, LocalBoxFuture<'static, Result<String, RpcError>>>);

impl AskedQuestions {
    /// Removes and returns the next question that is answered.
    fn poll(&mut self, context: &mut PollContext<'_>) -> Poll<ClientAnswer> {
        let answered = self.0.iter_mut().find_map(|(key, answer)| match answer.poll_unpin(context) {
            Poll::Ready(answer) => Some((key.clone(), answer)),
            Poll::Pending => None,
        });
        let Some((key, answer)) = answered else { return Poll::Pending };
        self.0.remove(&key);
        Poll::Ready((key, answer))
    }
}

/// Returns the events of `tasks/result` at a server with sessions. Such a server sends its questions there, like the
/// gateway. If the server or a time limit ends the wait, it starts again while the task is running.
fn handed_on<H: Host>(
    relay: UpstreamTasks<H>,
    remote: Remote,
    poll_ms: u64,
    live: Option<Rc<SessionStreams>>,
    id: String,
) -> LocalBoxStream<'static, CallEvent> {
    generate(move |out| {
        async move {
            loop {
                let params = json!({"taskId": remote.id}).to_string();
                let (caller, asks) = (relay.caller_of(&remote), live.is_some());
                let pending = PendingCall::about("tasks/result", &params, &remote.server, caller, asks);
                let mut events = rounds::call_events(relay.host.clone(), pending, live.clone());
                let broken_off = loop {
                    match events.next().await {
                        Some(CallEvent::Error(failure)) if is_broken_off(&failure) => break failure,
                        Some(last) if last.is_last() => return translated(last, &remote, &id),
                        Some(event) => out.push(translated(event, &remote, &id)),
                        None => break rounds::cut(),
                    }
                };
                relay.host.sleep(poll_ms).await;
                if !matches!(relay.ask(&remote, "tasks/get", "{}").await, Ok(Ok(_))) {
                    return CallEvent::Error(broken_off);
                }
            }
        }
        .boxed_local()
    })
}

fn is_broken_off(failure: &RpcError) -> bool {
    matches!(failure.reason(), Some("upstream_timeout" | "upstream_cut"))
}

/// Replaces the server's id of the task in an event of `tasks/result`.
fn translated(event: CallEvent, remote: &Remote, id: &str) -> CallEvent {
    match event {
        CallEvent::Error(failure) => CallEvent::Error(without_id(failure, "tasks/result", remote)),
        CallEvent::Result(result) => {
            CallEvent::Result(related(std::str::from_utf8(&result).unwrap_or_default(), id))
        }
        CallEvent::Notification(message) => {
            let members = std::str::from_utf8(&message).ok().and_then(Members::parse).unwrap_or_default();
            let known = |params| Members::read(Members::read(params)?.get("_meta")?)?.get(RELATED);
            let Some(params) = members.get("params").filter(|params| known(*params).is_some()) else {
                return CallEvent::Notification(message);
            };
            let mut out = Vec::with_capacity(message.len() + 100);
            let mut object = Object::open(&mut out);
            object.keep(&members, &["params"]);
            object.raw("params", &related(params.get(), id));
            object.close();
            CallEvent::Notification(out)
        }
        event => event,
    }
}

/// Returns the result or error of the call, with the task's id in its `_meta`.
fn ended(task: &Task) -> Result<Vec<u8>, RpcError> {
    let Some(outcome) = &task.outcome else {
        let status = task.state.status(Era::Session).name();
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

/// Returns a result, or the parameters of a question, with the task's id in its `_meta`.
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
