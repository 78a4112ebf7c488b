//! A request to a local server, and the sender of its progress and log messages.

use std::{cell::RefCell, rc::Rc};

use mcp_sieve::seal::Key;
use serde_json::{Map, Value, json};

use crate::{
    host::{Call, Event, StreamItem, TaskRequest},
    protocol::{
        error::RpcError,
        generate::Emitter,
        log_level::Level,
        request_state::{StateSealer, about_values},
    },
};

/// The purpose under which the state of a [`LocalServer`](crate::local::LocalServer) is sealed.
const PURPOSE: &str = "state";

/// A request to a local server.
#[non_exhaustive]
#[derive(Debug, Clone)]
pub struct LocalRequest {
    /// The JSON-RPC method.
    pub method: String,
    /// The parameters of the request.
    pub params: Value,
    /// The capabilities that the client declared.
    pub capabilities: Value,
    /// The caller, by the `sub` of its token.
    pub principal: Option<String>,
    /// The claims of the caller's token; `None` for a caller without one. The steps of a task have those of the call
    /// that began it.
    pub claims: Option<Map<String, Value>>,
    /// The client's answers to earlier questions, by their keys. Each is an object whose content the client chose
    /// freely.
    pub answers: Map<String, Value>,
    /// The state from the last questions or the last step.
    pub state: Option<Vec<u8>>,
    /// The request for a task, if the caller supports one as the answer.
    pub task: Option<TaskRequest>,
    /// The sender of progress and log messages to the client.
    pub sender: ProgressSender,
}

/// Sends progress and log messages to the client during a request.
#[derive(Debug, Clone, Default)]
pub struct ProgressSender {
    out: MessageOutput,
    token: Option<Value>,
    level: Option<Level>,
}

/// The output for messages to the client. Messages are dropped until it is connected.
#[derive(Debug, Clone, Default)]
pub(crate) struct MessageOutput(Rc<RefCell<Option<Emitter<StreamItem>>>>);

impl MessageOutput {
    pub fn set(&self, out: Emitter<StreamItem>) {
        self.0.replace(Some(out));
    }

    fn send(&self, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
        if let Some(out) = self.0.borrow().as_ref() {
            out.push(StreamItem::Event(Event::Notification(message.into_bytes())));
        }
    }
}

impl ProgressSender {
    /// Sends the progress of the work, if the caller asked for it. Progress that is not a finite number cannot be sent,
    /// and such a total is left out.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = self.token.as_ref().filter(|_| progress.is_finite()) else { return };
        let total = total.filter(|total| total.is_finite());
        let mut params = json!({"progressToken": token, "progress": progress});
        if let Some(params) = params.as_object_mut() {
            total.into_iter().for_each(|total| _ = params.insert("total".to_owned(), total.into()));
            message.into_iter().for_each(|text| _ = params.insert("message".to_owned(), text.into()));
        }
        self.out.send("notifications/progress", &params);
    }

    /// Sends a message for the client's log, if the caller asked for messages of this level.
    pub fn log(&self, level: Level, data: impl Into<Value>) {
        if self.level.is_some_and(|wanted| level >= wanted) {
            self.out.send("notifications/message", &json!({"level": level.name(), "data": data.into()}));
        }
    }
}

impl LocalRequest {
    /// Returns a request without a caller, a state or answers, such as a test of a
    /// [`LocalServer`](crate::local::LocalServer) makes. What it needs of them can be set.
    ///
    /// ```
    /// use mcp_sieve_gateway::local::LocalRequest;
    /// use serde_json::json;
    ///
    /// let mut request = LocalRequest::new("tools/call", json!({"name": "greet", "arguments": {"name": "Ann"}}));
    /// request.principal = Some("alice".to_owned());
    /// ```
    pub fn new(method: impl Into<String>, params: Value) -> Self {
        Self {
            method: method.into(),
            params,
            capabilities: Value::Object(Map::new()),
            principal: None,
            claims: None,
            answers: Map::new(),
            state: None,
            task: None,
            sender: ProgressSender::default(),
        }
    }

    /// Reads a call.
    ///
    /// # Errors
    /// Fails if the answers are not an object of objects. Fails if the state was not sealed by this key for this caller
    /// and request, or has expired.
    pub(crate) fn read(call: &Call<'_>, key: &Key, now: u64) -> Result<(Self, MessageOutput), RpcError> {
        let params = call.params.as_ref().map_or("{}", |params| params.raw().get());
        let params: Value = serde_json::from_str(params)
            .map_err(|error| RpcError::params(format!("the parameters cannot be read: {error}")))?;
        let answers = match params.get("inputResponses") {
            None => Map::new(),
            Some(Value::Object(answers)) if answers.values().all(Value::is_object) => answers.clone(),
            Some(_) => {
                return Err(RpcError::params("`inputResponses` must be an object whose values are objects"));
            }
        };
        let token = params.get("_meta").and_then(|meta| meta.get("progressToken")).cloned();
        let out = MessageOutput::default();
        let sender = ProgressSender { out: out.clone(), token, level: call.caller.level };
        let mut ask = Self {
            method: call.method.to_owned(),
            params,
            capabilities: call.caller.capabilities.clone(),
            principal: call.caller.principal().map(Into::into),
            claims: call.caller.claims.as_deref().cloned(),
            answers,
            state: None,
            task: call.task,
            sender,
        };
        if let Some(token) = ask.params.get("requestState") {
            ask.state = Some(ask.sealer(key, now).open(token.as_str().unwrap_or_default())?);
        }
        Ok((ask, out))
    }

    /// Returns the sealer of the state that the client of this request sends back.
    pub(crate) fn sealer(&self, key: &Key, now: u64) -> StateSealer {
        let principal = self.principal.as_deref().unwrap_or_default();
        StateSealer::new(key, PURPOSE, now, about_values(principal, &self.method, &self.params))
    }
}
