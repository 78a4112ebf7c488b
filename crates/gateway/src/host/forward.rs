//! Requests to upstream servers, and their answers.

use std::{fmt, rc::Rc};

use crate::object::ReadObject;
use futures_util::{future::LocalBoxFuture, stream::LocalBoxStream};

use crate::{
    caller::identity::Caller,
    host::{Passthrough, PassthroughTerms, store::MAX_TTL_MS},
    protocol::error::RpcError,
    session::session_streams::SessionStreams,
};

/// A request to an upstream server.
#[derive(Debug)]
pub struct Call<'a> {
    /// The JSON-RPC method.
    pub method: &'a str,
    /// The parameters, as the caller wrote them.
    pub params: Option<ReadObject<'a>>,
    /// The operator's names of the servers to try, in order: the server that owns the primitive, or those that may have
    /// a resource that is not listed.
    pub servers: &'a [String],
    /// The caller.
    pub caller: &'a Caller<'a>,
    /// Whether the server can send requests to the caller during the call.
    pub accepts_requests: bool,
    /// The streams of the caller's session, if this process holds them. They take what the server sends outside calls.
    pub streams: Option<&'a Rc<SessionStreams>>,
    /// The terms on which the caller accepts a task in place of a result; `None` if it accepts none.
    pub task: Option<TaskRequest>,
    /// The terms on which the response passes through unread; `None` if something has to read it.
    pub passthrough: Option<&'a Rc<PassthroughTerms>>,
}

/// The terms on which a caller accepts a task in place of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskRequest {
    /// The lifetime that the caller requests for the task, in milliseconds.
    pub ttl: Option<u64>,
}

/// Longest delay, interval or lifetime of a task, in milliseconds. Times beyond those of a clock could not be stored.
pub(crate) const YEAR_MS: u64 = 366 * 24 * 60 * 60 * 1000;

/// The plan of a task that continues the work of a call after the call has been answered.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskPlan {
    /// The lifetime of the task after its creation, in milliseconds: at most 7 days ([`MAX_TTL_MS`]). `None` is the
    /// lifetime that the caller requested, or 7 days.
    pub ttl: Option<u64>,
    /// The interval at which clients should poll the task, in milliseconds.
    pub poll: Option<u64>,
    /// The status message of the task.
    pub message: Option<String>,
    /// The state that the next step receives; `None` before the first step.
    pub state: Option<Vec<u8>>,
    /// Delay before the next step, in milliseconds.
    pub wait_ms: u64,
}

impl TaskPlan {
    /// Sets how long the task is kept after its creation, in milliseconds: at most 7 days ([`MAX_TTL_MS`]). By default
    /// the caller decides.
    #[must_use]
    pub fn with_ttl(self, ms: u64) -> Self {
        Self { ttl: Some(ms.min(MAX_TTL_MS)), ..self }
    }

    /// Sets how often clients should poll the task, in milliseconds, at most a year.
    #[must_use]
    pub fn with_poll_interval(self, ms: u64) -> Self {
        Self { poll: Some(ms.min(YEAR_MS)), ..self }
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

    /// Sets how long to wait before the first step, in milliseconds, at most a year.
    #[must_use]
    pub fn after(self, wait_ms: u64) -> Self {
        Self { wait_ms: wait_ms.min(YEAR_MS), ..self }
    }
}

/// The answer of an upstream server.
#[allow(missing_debug_implementations, reason = "a stream has nothing to show")]
pub enum Answer {
    /// The JSON of `result`.
    Result(Vec<u8>),
    /// A JSON-RPC error.
    Error(RpcError),
    /// The complete response, which nothing has read.
    Passthrough(Passthrough),
    /// Notifications, then one final event.
    Events(LocalBoxStream<'static, Event>),
    /// Like [`Answer::Events`], but with requests to the client among the events.
    Dialog(LocalBoxStream<'static, StreamItem>),
}

/// A message on the stream of an answer that may contain requests to the client.
#[derive(Debug)]
pub enum StreamItem {
    /// A message for the client.
    Event(Event),
    /// A request to the client. The answer may continue meanwhile or wait for the response.
    Request(ServerRequest),
    /// The work continues as a task of the gateway. No further items follow.
    Task(TaskPlan),
}

/// A request that an upstream server sends to the client during a call.
pub struct ServerRequest {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// The parameters, an object as the server wrote it: clients show the fields of a form in its order.
    pub params: String,
    /// Sends the client's response to the server.
    pub reply: Reply,
}

/// A function that takes the client's response and sends it to the server. A result is the text of an object, as the
/// client wrote it: its members keep their order.
pub type Reply = Box<dyn FnOnce(Result<String, RpcError>) -> LocalBoxFuture<'static, ()>>;

impl fmt::Debug for ServerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequest").field("method", &self.method).finish_non_exhaustive()
    }
}

/// A message on the stream of an answer.
#[derive(Debug)]
pub enum Event {
    /// A complete JSON-RPC notification; for the client of a session possibly a request. More events follow.
    Notification(Vec<u8>),
    /// The server closes its stream. It sends the rest to a client that reconnects after this many milliseconds.
    Paused(u64),
    /// The JSON of `result`. No further events follow.
    Result(Vec<u8>),
    /// A JSON-RPC error. No further events follow.
    Error(RpcError),
    /// The complete response, which nothing has read. No further events follow.
    Passthrough(Passthrough),
}

impl Event {
    /// Returns whether this is the final event.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Result(_) | Self::Error(_) | Self::Passthrough(_))
    }
}
