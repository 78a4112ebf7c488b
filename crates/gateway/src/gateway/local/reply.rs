//! The replies of a local server.

use serde_json::Value;

use crate::{
    call::client_requests,
    host::{TaskPlan, forward::YEAR_MS},
    protocol::error::RpcError,
};

/// The answer of a [`LocalServer`](super::LocalServer).
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The result of the request.
    Result(Value),
    /// A question that the client has to answer first.
    Input(Input),
    /// More work to do. It continues as a task if the caller supports tasks.
    Continue(Continue),
    /// The work continues as a task. Return this only if [`LocalRequest::task`](super::LocalRequest::task) is present;
    /// other callers get an error that names the missing capability.
    Task(TaskPlan),
}

impl Reply {
    /// Rejects a reply that no client could read.
    ///
    /// # Errors
    /// Returns `reply` for a result that is not an object, and for questions without a key of their own or without
    /// anything to ask or to remember.
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

    /// Sets how long to wait before the step, in milliseconds, at most a year; for work that is no task at most 24
    /// days.
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
        let questions = self.requests.iter().map(|(_, question)| (question.method, &question.params));
        client_requests::able(questions, capabilities)
    }
}
