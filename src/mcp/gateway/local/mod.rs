//! Tools, prompts and resources of your own, served beside or instead of an upstream server.
//!
//! A [`LocalServer`] is written once and serves both protocol eras. If it needs input from the client, it returns the
//! questions in its [`Reply`] and is called again with the answers. Clients of the stateless revision get the questions
//! in a result and send a sealed state back; clients with a session get them as requests.
//!
//! Long work is done in steps: a [`Reply::Continue`] contains the state to remember, and the server is called again
//! with it. Nothing else is kept between two steps. Work therefore continues wherever its last state was stored: in a
//! task if the caller accepts one, otherwise in this process, step after step.

pub(crate) mod request;

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::{Map, Value, json};

pub use crate::mcp::gateway::local::request::{LocalRequest, ProgressSender};

pub use crate::mcp::host::{TaskPlan, TaskRequest};

use crate::{
    catalog::{Kind, Lists},
    json::{self, Members, Raw},
    mcp::{
        call::generate::generate,
        host::{Answer, Call, Event, StreamItem, forward::YEAR_MS},
        protocol::{error::RpcError, method::Method},
    },
    seal::Key,
    small_collect::small_collect,
};

/// Maximum number of steps of one request.
#[doc(hidden)]
pub const MAX_STEPS: u32 = 10_000;

/// Longest delay before a step of work that is no task, in milliseconds: 24 days, the longest that timers of JavaScript take.
const MAX_WAIT_MS: u64 = i32::MAX as u64;

/// The tools, prompts and resources that a Worker itself provides. The crate `sieve-worker` serves them.
///
/// ```
/// use futures_util::{FutureExt, future::LocalBoxFuture};
/// use mcp_sieve::mcp::{RpcError, local::{LocalRequest, LocalServer, Reply}};
/// use serde_json::json;
///
/// struct Greeter;
///
/// impl LocalServer for Greeter {
///     fn lists(&self) -> String {
///         r#"{"tools":[{"name":"greet","inputSchema":{"type":"object"}}]}"#.to_owned()
///     }
///
///     fn answer(&self, _: LocalRequest) -> LocalBoxFuture<'static, Result<Reply, RpcError>> {
///         let result = json!({"content": [{"type": "text", "text": "Hello!"}]});
///         async { Ok(Reply::Result(result)) }.boxed_local()
///     }
/// }
/// ```
pub trait LocalServer: 'static {
    /// Returns the results of the lists, as JSON: one object, or an array of several.
    fn lists(&self) -> String;

    /// Returns the lifetime of the lists in milliseconds. By default they are valid for the life of the process.
    fn ttl_ms(&self) -> u64 {
        u64::MAX
    }

    /// Returns the default configuration of the server, in the format of `sieve.jsonc`. It applies if the operator
    /// provides none.
    fn config(&self) -> &str {
        "{}"
    }

    /// Answers `tools/call`, `prompts/get`, `resources/read` or `completion/complete`. `skills/get` is answered from
    /// the lists.
    fn answer(&self, ask: LocalRequest) -> LocalBoxFuture<'static, Result<Reply, RpcError>>;
}

/// The answer of a [`LocalServer`].
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The result of the request.
    Result(Value),
    /// A question that the client has to answer first.
    Input(Input),
    /// More work to do. It continues as a task if the caller supports tasks.
    Continue(Continue),
    /// The work continues as a task. Return this only if [`LocalRequest::task`] is present; other callers get an error
    /// that names the missing capability.
    Task(TaskPlan),
}

impl Reply {
    /// Rejects a reply that no client could read.
    ///
    /// # Errors
    /// Returns `reply` for a result that is not an object, and for questions without a key of their own or without anything
    /// to ask or to remember.
    pub(crate) fn checked(self) -> Result<Self, RpcError> {
        let fault = match &self {
            Self::Result(result) if !result.is_object() => "a result that is not an object",
            Self::Input(input) if input.requests.is_empty() && input.state.is_none() => {
                "no question and no state"
            }
            Self::Input(input) if input.repeats_key() => "two questions with the same key",
            _ => return Ok(self),
        };
        Err(RpcError::internal("reply", format!("the Worker's own server replied with {fault}")))
    }
}

impl From<Continue> for TaskPlan {
    fn from(more: Continue) -> Self {
        Self {
            message: more.progress.map(|progress| progress.message),
            state: Some(more.state),
            wait_ms: more.wait_ms,
            ..Self::default()
        }
    }
}

/// Work that continues with another step.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Continue {
    /// The state that the next step receives.
    pub state: Vec<u8>,
    /// Delay before the next step, in milliseconds.
    pub wait_ms: u64,
    /// The progress of the work.
    pub progress: Option<Progress>,
}

impl Continue {
    /// Continues with a step that receives `state`.
    pub fn new(state: impl Into<Vec<u8>>) -> Self {
        Self { state: state.into(), ..Self::default() }
    }

    /// Sets how long to wait before the step, in milliseconds, at most a year; for work that is no task at most 24 days.
    #[must_use]
    pub fn after(self, wait_ms: u64) -> Self {
        Self { wait_ms: wait_ms.min(YEAR_MS), ..self }
    }

    /// Reports the progress of the work.
    #[must_use]
    pub fn with_progress(self, progress: Progress) -> Self {
        Self { progress: Some(progress), ..self }
    }
}

/// The progress of some work.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The amount that is done, which only grows.
    pub done: f64,
    /// The amount at which the work is complete, if it is known.
    pub total: Option<f64>,
    /// The message, in words.
    pub message: String,
}

impl Progress {
    /// Returns the progress `done`, which only grows, with a message in words.
    pub fn new(done: f64, message: impl Into<String>) -> Self {
        Self { done, total: None, message: message.into() }
    }

    /// Sets the amount at which the work is complete.
    #[must_use]
    pub fn of(self, total: f64) -> Self {
        Self { total: Some(total), ..self }
    }
}

/// Questions to the client.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Input {
    /// The questions by keys of your choice; the answers come back under the same keys.
    pub requests: Vec<(String, InputRequest)>,
    /// The state to restore with the answers. The client carries it, and can neither change it nor use it elsewhere.
    pub state: Option<Vec<u8>>,
}

/// A request to the client.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequest {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: &'static str,
    /// The parameters of the request.
    pub params: Value,
}

impl Input {
    /// Adds a question.
    #[must_use]
    pub fn ask(mut self, key: &str, method: &'static str, params: Value) -> Self {
        self.requests.push((key.to_owned(), InputRequest { method, params }));
        self
    }

    /// Sets the state to restore with the answers.
    #[must_use]
    pub fn state(mut self, state: impl Into<Vec<u8>>) -> Self {
        self.state = Some(state.into());
        self
    }

    fn repeats_key(&self) -> bool {
        let mut keys = self.requests.iter().map(|(key, _)| key);
        keys.any(|key| self.requests.iter().filter(|(other, _)| other == key).count() > 1)
    }

    /// Checks that a client with these capabilities can answer all questions.
    ///
    /// # Errors
    /// Returns an error with the capabilities that the client lacks.
    pub fn able(&self, capabilities: &Value) -> Result<(), RpcError> {
        crate::mcp::call::client_requests::able(
            self.requests.iter().map(|(_, question)| question.method),
            capabilities,
        )
    }
}

/// A function that waits for a number of milliseconds.
#[doc(hidden)]
pub type Sleep = fn(u64) -> LocalBoxFuture<'static, ()>;

/// Answers a call with a local server, step after step.
#[doc(hidden)]
pub fn answer(own: Rc<dyn LocalServer>, key: &Key, now: u64, rest: Sleep, call: &Call<'_>) -> Answer {
    if call.method == Method::GetSkill.name() {
        return skill(&*own, call);
    }
    let (ask, out) = match LocalRequest::read(call, key, now) {
        Ok(ask) => ask,
        Err(failure) => return Answer::Error(failure),
    };
    // A call that requests a task gets one, however short its work is.
    let at_once = ask.task.is_some() && !call.caller.protocol.is_stateless();
    let key = key.clone();
    let turns = generate(move |turns| {
        out.set(turns);
        async move {
            if at_once {
                return StreamItem::Task(TaskPlan::default());
            }
            let ended = match work(&*own, rest, ask, &key, now).await {
                Ok(Done::Result(result)) => Event::Result(result.to_string().into_bytes()),
                Ok(Done::Task(plan)) => return StreamItem::Task(plan),
                Err(failure) => Event::Error(failure),
            };
            StreamItem::Event(ended)
        }
        .boxed_local()
    });
    Answer::Dialog(turns)
}

/// Returns the entry of a skill from the lists.
fn skill(own: &dyn LocalServer, call: &Call<'_>) -> Answer {
    let uri = call.params.as_ref().and_then(|params| params.get("uri")).and_then(json::text);
    let text = own.lists();
    let lists = Lists::read(&text);
    let skills = lists.iter().flat_map(|lists| lists.of(Kind::Skill));
    let is_named = |skill: &Raw<'_>| {
        let named = Members::read(*skill).and_then(|skill| skill.get("uri")).and_then(json::text);
        named.is_some() && named == uri
    };
    match skills.into_iter().find(is_named) {
        Some(skill) => Answer::Result(["{\"skill\":", skill.get(), "}"].concat().into_bytes()),
        None => Answer::Error(RpcError::params("there is no such skill")),
    }
}

/// The result of the work that is done while the request is open.
enum Done {
    Result(Value),
    Task(TaskPlan),
}

/// Runs steps until there is a result, a question to the client, or a task.
async fn work(
    own: &dyn LocalServer,
    rest: Sleep,
    mut ask: LocalRequest,
    key: &Key,
    now: u64,
) -> Result<Done, RpcError> {
    for _ in 0..MAX_STEPS {
        match own.answer(ask.clone()).await?.checked()? {
            Reply::Result(result) => return Ok(Done::Result(result)),
            Reply::Input(input) => return required(input, &ask, key, now).map(Done::Result),
            Reply::Task(plan) => return Ok(Done::Task(plan)),
            Reply::Continue(more) if ask.task.is_some() => return Ok(Done::Task(more.into())),
            Reply::Continue(Continue { state, wait_ms, progress }) => {
                if let Some(Progress { done, total, message }) = progress {
                    ask.sender.progress(done, total, Some(&message));
                }
                // Answers are passed to one step only. A server that needs them later puts them in its state.
                ask = LocalRequest { state: Some(state), answers: Map::new(), ..ask };
                if wait_ms > 0 {
                    rest(wait_ms.min(MAX_WAIT_MS)).await;
                }
            }
        }
    }
    Err(RpcError::internal("steps", format!("the work is not done after {MAX_STEPS} steps")))
}

/// Returns the `InputRequiredResult`, if the client can answer all questions.
fn required(input: Input, ask: &LocalRequest, key: &Key, now: u64) -> Result<Value, RpcError> {
    input.able(&ask.capabilities)?;
    let mut result = json!({"resultType": "input_required"});
    let requests = input.requests.into_iter();
    let requests = requests
        .map(|(key, InputRequest { method, params })| (key, json!({"method": method, "params": params})));
    let requests: Map<String, Value> = small_collect(requests);
    if let Some(object) = result.as_object_mut() {
        if !requests.is_empty() {
            object.insert("inputRequests".to_owned(), Value::Object(requests));
        }
        if let Some(state) = input.state {
            object.insert("requestState".to_owned(), ask.sealer(key, now).close(&state).into());
        }
    }
    Ok(result)
}
