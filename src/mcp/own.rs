//! Tools, prompts and resources of one's own, served beside or instead of a server behind.
//!
//! An [`Own`] is written once and serves both eras: what it needs from the client it asks for in its
//! [`Reply`], and is asked anew with the answers. Clients of the stateless revision are asked in results
//! and bring a sealed state back; to clients with a session the same questions go as requests.

mod ask;

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture};
use serde_json::{Map, Value, json};

pub use ask::{Ask, Talk};

use super::{Answer, Call, Event, Failure, emit::emit, state};
use crate::seal::Key;

/// What the state of an [`Own`] is sealed for.
const PURPOSE: &str = "state";

/// What a Worker serves of its own.
pub trait Own: 'static {
    /// The results of the lists, as JSON: one object, or an array of several.
    fn lists(&self) -> String;

    /// How long the lists hold, in milliseconds; for as long as the process runs, unless said otherwise.
    fn ttl_ms(&self) -> u64 {
        u64::MAX
    }

    /// The rules that go with it, in the shape of `sieve.jsonc`, where the operator gives none.
    fn config(&self) -> &str {
        "{}"
    }

    /// Answers `tools/call`, `prompts/get`, `resources/read` or `completion/complete`.
    fn answer(&self, ask: Ask) -> LocalBoxFuture<'static, Result<Reply, Failure>>;
}

/// What [`Own`] says.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The result.
    Result(Value),
    /// Not yet: the client is to be asked first.
    Input(Input),
}

/// What the client is to be asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Input {
    /// Questions by a key of one's choice; the answers come back under it.
    pub requests: Vec<(String, Question)>,
    /// What to remember until then. Callers carry it, and can neither change it nor use it elsewhere.
    pub state: Option<Vec<u8>>,
}

/// A request to the client.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
}

impl Input {
    /// Asks one thing more.
    #[must_use]
    pub fn ask(mut self, key: &str, method: &'static str, params: Value) -> Self {
        self.requests.push((key.to_owned(), Question { method, params }));
        self
    }

    /// Remembers something until the answers come.
    #[must_use]
    pub fn state(mut self, state: impl Into<Vec<u8>>) -> Self {
        self.state = Some(state.into());
        self
    }
}

/// Asks what is one's own.
pub fn answer(own: &dyn Own, key: &Key, now: u64, call: &Call<'_>) -> Answer {
    let seal = state::Seal::new(key, PURPOSE, now, call);
    let (ask, out) = match Ask::read(call, &seal) {
        Ok(ask) => ask,
        Err(failure) => return Answer::Error(failure),
    };
    let capabilities = call.caller.capabilities.clone();
    let work = own.answer(ask);
    let events = emit(move |events| {
        out.set(events);
        async move {
            match work.await {
                Ok(Reply::Result(result)) => Event::Result(result.to_string().into_bytes()),
                Ok(Reply::Input(input)) => match required(input, &capabilities, &seal) {
                    Ok(result) => Event::Result(result.to_string().into_bytes()),
                    Err(failure) => Event::Error(failure),
                },
                Err(failure) => Event::Error(failure),
            }
        }
        .boxed_local()
    });
    Answer::Events(events.boxed_local())
}

/// The `InputRequiredResult`, if the client can answer all of it.
fn required(input: Input, capabilities: &Value, seal: &state::Seal) -> Result<Value, Failure> {
    super::questions::able(input.requests.iter().map(|(_, question)| question.method), capabilities)?;
    let mut result = json!({"resultType": "input_required"});
    let requests: Map<String, Value> = input
        .requests
        .into_iter()
        .map(|(key, Question { method, params })| (key, json!({"method": method, "params": params})))
        .collect();
    if let Some(object) = result.as_object_mut() {
        if !requests.is_empty() {
            object.insert("inputRequests".to_owned(), Value::Object(requests));
        }
        if let Some(state) = input.state {
            object.insert("requestState".to_owned(), seal.close(&state).into());
        }
    }
    Ok(result)
}
