//! One request to the server behind, and what comes back.

use std::fmt;

use futures_util::{future::LocalBoxFuture, stream::LocalBoxStream};
use serde_json::Value;

use crate::{
    json::Raw,
    mcp::{protocol::error::RpcError, request::caller::Caller},
};

/// One request for the server behind.
#[derive(Debug)]
pub struct Call<'a> {
    /// The JSON-RPC method.
    pub method: &'a str,
    /// Its parameters as the caller wrote them.
    pub params: Option<Raw<'a>>,
    /// The servers to ask one after the other, by the operator's names: the one that owns the primitive, or those that
    /// may have a resource that no list mentions.
    pub servers: &'a [String],
    /// Who asks.
    pub caller: &'a Caller<'a>,
    /// Whether the caller can be asked something in the middle of it.
    pub asks: bool,
    /// That the caller takes a task for an answer, if it does.
    pub task: Option<TaskRequest>,
}

/// A caller that takes a task for an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskRequest {
    /// For how many milliseconds it would have the task kept.
    pub ttl: Option<u64>,
}

/// Work that goes on when its call has been answered.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskPlan {
    /// For how many milliseconds the task is kept, once it is made; for good, if it does not say.
    pub ttl: Option<u64>,
    /// How many milliseconds apart it is worth asking for it.
    pub poll: Option<u64>,
    /// How it stands, in words.
    pub message: Option<String>,
    /// What to remember until the next step; absent before the first.
    pub state: Option<Vec<u8>>,
    /// Milliseconds to wait before it.
    pub wait_ms: u64,
}

impl TaskPlan {
    /// Sets how long the task is kept once it is created, in milliseconds. By default it never expires.
    #[must_use]
    pub fn with_ttl(self, ms: u64) -> Self {
        Self { ttl: Some(ms), ..self }
    }

    /// Sets how often clients should poll the task, in milliseconds.
    #[must_use]
    pub fn with_poll_interval(self, ms: u64) -> Self {
        Self { poll: Some(ms), ..self }
    }

    /// Sets the status message of the task.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }

    /// Sets the state that the first step receives.
    #[must_use]
    pub fn with_state(self, state: impl Into<Vec<u8>>) -> Self {
        Self { state: Some(state.into()), ..self }
    }

    /// Sets how long to wait before the first step, in milliseconds.
    #[must_use]
    pub fn after(self, wait_ms: u64) -> Self {
        Self { wait_ms, ..self }
    }
}

/// What the server behind says.
#[allow(missing_debug_implementations, reason = "a stream has nothing to show")]
pub enum Answer {
    /// The JSON of `result`.
    Result(Vec<u8>),
    /// A JSON-RPC error.
    Error(RpcError),
    /// Notifications first, then one last event.
    Events(LocalBoxStream<'static, Event>),
    /// As [`Answer::Events`], with questions to the client among them.
    Dialog(LocalBoxStream<'static, StreamItem>),
}

/// One message on the stream of an answer that has questions.
#[derive(Debug)]
pub enum StreamItem {
    /// It goes to the client.
    Event(Event),
    /// The client is to be asked; the answer goes on meanwhile, or waits for it.
    Question(ServerRequest),
    /// The work goes on as a task of one's own. Nothing follows.
    Task(TaskPlan),
}

/// A request of the server behind to the client, in the middle of a call.
pub struct ServerRequest {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// Its parameters.
    pub params: Value,
    /// Hands the server the client's answer.
    pub reply: Reply,
}

/// Takes the client's answer, and sends it.
pub type Reply = Box<dyn FnOnce(Result<Value, RpcError>) -> LocalBoxFuture<'static, ()>>;

impl fmt::Debug for ServerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequest").field("method", &self.method).finish_non_exhaustive()
    }
}

/// One message on the stream of an answer.
#[derive(Debug)]
pub enum Event {
    /// A JSON-RPC notification, whole; to the client of a session also a request. More follow.
    Notification(Vec<u8>),
    /// The server closes its stream, and gives the rest to a client that comes back after so many milliseconds.
    Paused(u64),
    /// The JSON of `result`. Nothing follows.
    Result(Vec<u8>),
    /// A JSON-RPC error. Nothing follows.
    Error(RpcError),
}

impl Event {
    /// Whether nothing follows.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Result(_) | Self::Error(_))
    }
}
