//! Tasks of upstream servers. Each is stored as a task of ours, by whose id its owner knows it. Ids of different
//! servers cannot collide, and a server that does not distinguish callers exposes no tasks of others.

use std::{pin::pin, rc::Rc};

use futures_util::{
    StreamExt,
    future::{self, Either, select},
    stream,
};
use mcp_sieve::{
    json::{self, Members, Number, Object, Raw},
    revision::Era,
    task::{Direction, OrderKey, Query, Scan, Status, TaskFilter},
};

use crate::object::{ReadObject, deserialize_bytes};

use crate::task_record::{Event, MAX_QUESTIONS, Refusal, Remote, Task};
use serde_json::{Value, json};

use crate::{
    caller::identity::Caller,
    host::{
        Answer, Call, Event as CallEvent, Host, StreamItem,
        store::{Applied, MAX_TTL_MS, TaskStore},
    },
    protocol::{
        error::{INVALID_PARAMS, RpcError},
        request_state,
    },
    request::context::Context,
};

/// The key of `_meta` that names the task of a message.
pub(crate) const RELATED: &str = "io.modelcontextprotocol/related-task";
/// Number of upstream tasks that are refreshed at the same time before a list.
const MAX_PARALLEL: usize = 50;
/// Maximum number of upstream tasks that are refreshed before a list. Each takes up to three requests, and a Worker may
/// send a thousand for each that it answers. Tasks beyond that are listed as they were.
const MAX_REFRESHED: usize = 300;
/// Number of open tasks that are read at the same time before a list.
const BATCH: usize = 500;
/// Maximum time, in milliseconds, for which upstream tasks are refreshed before a list. Tasks that are not refreshed by
/// then are listed as they were.
pub(crate) const REFRESH_MS: u64 = 5_000;
/// Delay, in milliseconds, between two polls if the server sets none.
const POLL_MS: u64 = 1_000;

/// Requests to upstream servers about their tasks, on behalf of a caller.
#[derive(Debug, Clone)]
pub(crate) struct UpstreamTasks<H> {
    pub host: H,
    pub caller: Caller<'static>,
}

/// Returns the delay, in milliseconds, between two polls of a task.
pub(crate) fn pause(task: &Task) -> u64 {
    task.poll.unwrap_or(POLL_MS).max(100)
}

impl<H: Host> UpstreamTasks<H> {
    pub fn new(context: &Context<'_, H>) -> Self {
        let caller = context.caller.detached(context.exchange.request.uri().query());
        Self { host: context.exchange.host.clone(), caller }
    }

    /// Returns the caller of a task. A server with sessions may know the task only in the session of the call that
    /// created it, which depends on the capabilities of that call.
    pub fn caller_of(&self, remote: &Remote) -> Caller<'static> {
        let mut caller = self.caller.clone();
        if remote.era == Era::Session {
            caller.capabilities = serde_json::from_str(&remote.capabilities).unwrap_or_default();
        }
        caller
    }

    /// Sends a request to the server of a task, and returns its result or error. `params` is the text of an object, to
    /// which the id of the task is added.
    ///
    /// # Errors
    /// The outer error: the server cannot be reached or ends without a response.
    pub async fn ask(
        &self,
        remote: &Remote,
        method: &str,
        params: &str,
    ) -> Result<Result<Value, RpcError>, RpcError> {
        let answer = self.ask_raw(remote, method, params).await?;
        Ok(answer.and_then(|result| deserialize_bytes(&result).map_err(|_| unreadable())))
    }

    /// Sends the client's answers to questions of a task, the text of each by its key.
    ///
    /// # Errors
    /// The server's error, and those of [`Self::ask`].
    pub async fn update(&self, remote: &Remote, answers: &[(String, String)]) -> Result<(), RpcError> {
        let params = ["{\"inputResponses\":", &request_state::responses_text(answers), "}"].concat();
        self.ask(remote, "tasks/update", &params).await?.map(drop)
    }

    /// Like [`Self::ask`], with the JSON of the result.
    async fn ask_raw(
        &self,
        remote: &Remote,
        method: &str,
        params: &str,
    ) -> Result<Result<Vec<u8>, RpcError>, RpcError> {
        let mut written = Vec::new();
        let mut object = Object::open(&mut written);
        object.keep(&Members::parse(params).unwrap_or_default(), &["taskId"]);
        object.text("taskId", &remote.id);
        object.close();
        let params = String::from_utf8(written).unwrap_or_default();
        let caller = self.caller_of(remote);
        let caller = caller.calling("tools/call");
        let call = Call {
            method,
            params: Raw::parse(&params).ok().and_then(ReadObject::read),
            servers: std::slice::from_ref(&remote.server),
            caller: &caller,
            accepts_requests: true,
            streams: None,
            task: None,
            passthrough: None,
        };
        let last = match self.host.forward(&call).await? {
            Answer::Result(result) => CallEvent::Result(result),
            Answer::Error(failure) => CallEvent::Error(failure),
            Answer::Passthrough(_) => return Err(cut()),
            Answer::Events(mut events) => loop {
                match events.next().await {
                    Some(event) if !event.is_last() => {}
                    Some(last) => break last,
                    None => return Err(cut()),
                }
            },
            Answer::Dialog(mut turns) => loop {
                match turns.next().await {
                    Some(StreamItem::Event(event)) if !event.is_last() => {}
                    Some(StreamItem::Event(last)) => break last,
                    // Questions cannot be answered here; they are sent to a client that waits for the result.
                    _ => return Err(cut()),
                }
            },
        };
        Ok(match last {
            CallEvent::Result(result) => Ok(result),
            CallEvent::Error(failure) => Err(without_id(failure, method, remote)),
            CallEvent::Notification(_) | CallEvent::Paused(_) | CallEvent::Passthrough(_) => {
                return Err(cut());
            }
        })
    }

    /// Returns the task in its current state at its server. If the server cannot be reached, the task is returned
    /// unchanged.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn refresh(&self, store: &Rc<dyn TaskStore>, task: Task) -> Result<Task, RpcError> {
        let Some(remote) = task.remote.as_ref().filter(|_| !task.state.ended()) else { return Ok(task) };
        let Ok(got) = self.ask_raw(remote, "tasks/get", "{}").await else { return Ok(task) };
        let event = match got {
            Ok(got) => self.event(remote, &got).await,
            // A server that does not know the task has lost it. Other errors do not concern the task.
            Err(failure) if failure.code == INVALID_PARAMS => Some(failed(&failure)),
            // The task waits for an answer that it will not get.
            Err(failure) if failure.reason() == Some("questions_refused") => {
                self.cancel(remote).await;
                Some(failed(&failure))
            }
            Err(_) => None,
        };
        let Some(event) = event else { return Ok(task) };
        let open = matches!(event, Event::Report { .. });
        let applied = store.apply(&task.owner, &task.id, event).await;
        // What the server reports cannot be stored.
        let failure = match applied {
            Err(failure) if failure.reason() == Some("task_too_large") => failure,
            Ok(Some(Applied { changed: Err(refusal @ Refusal::TooManyQuestions), .. })) => {
                let message = format!("the upstream server has more than {MAX_QUESTIONS} open questions");
                RpcError::internal(refusal.code(), message)
            }
            applied => return Ok(applied?.map_or(task, |applied| applied.task)),
        };
        if open {
            self.cancel(remote).await;
        }
        let applied = store.apply(&task.owner, &task.id, failed(&failure)).await;
        Ok(applied?.map_or(task, |applied| applied.task))
    }

    /// Cancels a task at its server, whose response does not matter.
    pub async fn cancel(&self, remote: &Remote) {
        let _ = self.ask(remote, "tasks/cancel", "{}").await;
    }

    /// Returns the event that leads to the state that a task's server reports.
    async fn event(&self, remote: &Remote, source: &[u8]) -> Option<Event> {
        let Ok(got) = deserialize_bytes::<Value>(source) else { return Some(failed(&unreadable())) };
        let text = |key: &str| got.get(key).and_then(Value::as_str);
        let status = text("status").and_then(Status::named)?;
        let message = text("statusMessage").map(str::to_owned);
        let event = match (status, remote.era) {
            // The server sends its questions on a stream that a stateless client cannot open.
            (Status::InputRequired, Era::Session) if remote.client == Era::Stateless => {
                self.cancel(remote).await;
                let message = "the upstream server asks the client in `tasks/result`, which the client's revision does \
                               not define";
                return Some(failed(&RpcError::internal("client_stream", message)));
            }
            (Status::Working | Status::InputRequired, era) => {
                let requests = got.get("inputRequests").and_then(Value::as_object);
                let requests = requests.filter(|_| status == Status::InputRequired).into_iter().flatten();
                // The server's text, in which a form has its fields in order.
                let members = std::str::from_utf8(source).ok().and_then(Members::parse).unwrap_or_default();
                let texts = members.get("inputRequests").and_then(Members::read).unwrap_or_default();
                let question = |(key, _): (&String, _)| Some((key.clone(), texts.get(key)?.get().into()));
                return Some(Event::Report {
                    message,
                    waits: status == Status::InputRequired && era == Era::Session,
                    questions: requests.take(MAX_QUESTIONS + 1).filter_map(question).collect(),
                });
            }
            (Status::Cancelled, _) => Event::Cancel,
            (_, Era::Stateless) => match (got.get("result"), got.get("error")) {
                (Some(result), _) => completed(result),
                (None, error) => Event::Fail(error.cloned().unwrap_or_else(lost).to_string()),
            },
            (_, Era::Session) => match self.ask(remote, "tasks/result", "{}").await.ok()? {
                Ok(result) => completed(&result),
                Err(failure) => failed(&failure),
            },
        };
        Some(match message {
            Some(message) => Event::End { event: Box::new(event), message },
            None => event,
        })
    }

    /// Refreshes an owner's upstream tasks that have not ended, before they are listed: the newest first, at most
    /// [`MAX_REFRESHED`], for at most [`REFRESH_MS`].
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn refresh_all(&self, store: &Rc<dyn TaskStore>, owner: &str) -> Result<(), RpcError> {
        let late = pin!(self.host.sleep(REFRESH_MS));
        match select(pin!(self.refresh_open(store, owner)), late).await {
            Either::Left((refreshed, _)) => refreshed,
            Either::Right(_) => Ok(()),
        }
    }

    async fn refresh_open(&self, store: &Rc<dyn TaskStore>, owner: &str) -> Result<(), RpcError> {
        let open = [Status::Working, Status::InputRequired].map(|status| status.name().to_owned());
        let filter = TaskFilter {
            status: open.to_vec(),
            // Refreshing changes the time of the last update, and would move tasks between the batches.
            order_by: Some(OrderKey::Created),
            order: Some(Direction::Descending),
            ..TaskFilter::default()
        };
        let query = Query::new(&filter, Era::Stateless);
        let mut scan = Scan { query, from: None, limit: BATCH, now: self.host.now() };
        let mut left = MAX_REFRESHED;
        loop {
            let found = store.list(owner, scan.clone()).await?;
            scan.from = found.last().map(|last| scan.behind(last, scan.began(found.first())));
            let last = found.len() < BATCH;
            let remote: Vec<Task> =
                found.into_iter().filter(|task| task.remote.is_some()).take(left).collect();
            left -= remote.len();
            let refreshed = stream::iter(remote).map(|task| self.refresh(store, task));
            // A task that cannot be refreshed is listed as it was.
            refreshed.buffer_unordered(MAX_PARALLEL).for_each(|_| future::ready(())).await;
            if last || left == 0 {
                return Ok(());
            }
        }
    }
}

/// Returns an error of a task's server without the server's id of the task, which is none of the client's. The error of
/// the call itself, which `tasks/result` returns, is kept unless it says that the task is unknown.
pub(crate) fn without_id(failure: RpcError, method: &str, remote: &Remote) -> RpcError {
    let about_task = method != "tasks/result" || failure.code == INVALID_PARAMS;
    let names = |text: &str| text.contains(&remote.id);
    if !about_task
        || !(names(&failure.message) || failure.data.as_ref().is_some_and(|data| names(&data.to_string())))
    {
        return failure;
    }
    RpcError {
        message: format!("the upstream server answered `{method}` with an error"),
        data: None,
        ..failure
    }
}

fn failed(failure: &RpcError) -> Event {
    Event::Fail(failure.to_json().to_string())
}

fn completed(result: &Value) -> Event {
    let is_error = result.get("isError") == Some(&Value::Bool(true));
    let mut result = result.clone();
    // It contains the upstream server's id of the task.
    if let Some(meta) = result.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.remove(RELATED);
    }
    Event::Complete { result: result.to_string(), is_error }
}

fn lost() -> Value {
    json!({"code": -32603, "message": "the upstream server returned no result"})
}

/// Returns the error for a result that is no value, because it nests too deeply or has numbers beyond all ranges.
fn unreadable() -> RpcError {
    let message = format!(
        "the upstream server sent a result that cannot be read, or of more than {} levels",
        Raw::MAX_DEPTH
    );
    RpcError::internal("upstream_not_mcp", message)
}

fn cut() -> RpcError {
    RpcError::internal("upstream_cut", "the upstream server sent no response")
}

/// The task in an upstream server's result.
struct ForeignTask<'a> {
    /// The members of the result.
    result: Members<'a>,
    /// The members of the task; `None` if they are those of the result.
    task: Option<Members<'a>>,
}

impl<'a> ForeignTask<'a> {
    fn read(result: &'a [u8]) -> Option<Self> {
        let result = Members::parse(std::str::from_utf8(result).ok()?)?;
        let task = match result.get("resultType").and_then(json::Raw::text) {
            Some(kind) if kind == "task" => None,
            _ => Some(Members::read(result.get("task")?)?),
        };
        Some(Self { result, task })
    }

    fn era(&self) -> Era {
        if self.task.is_some() { Era::Session } else { Era::Stateless }
    }

    fn text(&self, key: &str) -> Option<String> {
        self.task.as_ref().unwrap_or(&self.result).get(key).and_then(json::Raw::text).map(Into::into)
    }

    fn whole(&self, key: &str) -> Option<u64> {
        let raw = self.task.as_ref().unwrap_or(&self.result).get(key)?;
        u64::try_from(raw.get().parse::<Number>().ok().and_then(Number::whole)?).ok()
    }

    fn remote(&self, server: &str, client: Era, capabilities: &Value) -> Option<Remote> {
        Some(Remote {
            server: server.to_owned(),
            id: self.text("taskId")?,
            era: self.era(),
            client,
            capabilities: capabilities.to_string(),
        })
    }
}

/// Returns the task that an upstream server's result creates. Its state is polled later.
pub(crate) fn begun(
    result: &[u8],
    server: &str,
    client: Era,
    capabilities: &Value,
    mut task: Task,
) -> Option<Task> {
    let foreign = ForeignTask::read(result)?;
    task.remote = Some(foreign.remote(server, client, capabilities)?);
    task.message = foreign.text("statusMessage");
    let (ttl, poll) = match foreign.era() {
        Era::Stateless => ("ttlMs", "pollIntervalMs"),
        Era::Session => ("ttl", "pollInterval"),
    };
    task.ttl = foreign.whole(ttl).or(task.ttl).map(|ttl| ttl.min(MAX_TTL_MS));
    task.poll = foreign.whole(poll).or(task.poll);
    Some(task)
}

/// Returns the task that an upstream server's result creates although the call requested none. The result of a tool may
/// have a member `task` of its own beside its content.
pub(crate) fn unrequested(result: &[u8], server: &str, client: Era, capabilities: &Value) -> Option<Remote> {
    // Most results are not parsed. A name may be written with escapes.
    let text = std::str::from_utf8(result).ok()?;
    if !["taskId", "\\u"].iter().any(|part| text.contains(part)) {
        return None;
    }
    let foreign = ForeignTask::read(result)?;
    let is_result = foreign.task.is_some() && foreign.result.get("content").is_some();
    if is_result { None } else { foreign.remote(server, client, capabilities) }
}
