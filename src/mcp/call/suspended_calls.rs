//! Calls that wait between two requests of their client.
//!
//! A server with sessions asks its client while a call is open; a client of the stateless revision is asked in
//! a result, and answers in another request. Between the two the open call stays in one place, under a number
//! that the client brings back sealed.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fmt,
};

use futures_util::{future::AbortHandle, stream::LocalBoxStream};
use serde_json::{Map, Value};

use crate::{
    json,
    mcp::{
        call::{client_requests, request_state},
        host::{ServerRequest, StreamItem},
        protocol::{envelope, error::RpcError, message::Message, method::Method},
    },
    seal::Key,
};

/// Most calls that wait in one place.
pub const MAX_PARKED: usize = 64;
/// How long a call waits for its client, in milliseconds.
pub const PARKED_MS: u64 = 10 * 60 * 1000;

pub(crate) const PURPOSE: &str = "parked";
const NUMBER: usize = 16;

/// A place where calls wait.
pub struct SuspendedCalls {
    name: String,
    calls: RefCell<HashMap<[u8; NUMBER], SuspendedCall>>,
}

/// A call that waits.
pub(crate) struct SuspendedCall {
    /// What the server goes on to say.
    pub turns: LocalBoxStream<'static, StreamItem>,
    /// Questions without an answer, by the keys they went out under.
    pub questions: BTreeMap<String, ServerRequest>,
    /// How many have been asked.
    pub asked: usize,
    /// Ends it when it has waited too long.
    pub timer: Option<Timer>,
}

/// A clock that stops when nobody looks at it any more.
pub(crate) struct Timer(pub AbortHandle);

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl SuspendedCall {
    /// Hands the server the answers to its questions; those without one are asked again, answers to nothing are
    /// passed over.
    pub async fn answer(&mut self, answers: Map<String, Value>) {
        self.timer = None;
        for (key, answer) in answers {
            if let Some(question) = self.questions.remove(&key) {
                (question.reply)(Ok(answer)).await;
            }
        }
    }
}

/// Where a request of the stateless revision is to be handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallHome {
    /// Where the call waits that it goes on with.
    Known(String),
    /// Wherever a call can wait, since its client may be asked something.
    Any,
}

impl fmt::Debug for SuspendedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SuspendedCalls").field("calls", &self.calls.borrow().len()).finish_non_exhaustive()
    }
}

impl SuspendedCalls {
    /// A place of this name, where nothing waits yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), calls: RefCell::default() }
    }

    /// Lets a call wait; gives what its client is to bring back.
    ///
    /// # Errors
    /// `parked_limit`, beyond [`MAX_PARKED`].
    pub(crate) fn park(&self, number: [u8; NUMBER], call: SuspendedCall) -> Result<Vec<u8>, RpcError> {
        let mut calls = self.calls.borrow_mut();
        if calls.len() >= MAX_PARKED {
            let message =
                format!("{MAX_PARKED} calls are waiting for their clients already, try again later");
            return Err(RpcError::internal("parked_limit", message));
        }
        calls.insert(number, call);
        Ok([&number[..], self.name.as_bytes()].concat())
    }

    /// The call that a client goes on with.
    ///
    /// # Errors
    /// `handle_expired` for one that has ended, or waits elsewhere.
    pub(crate) fn take(&self, state: &[u8]) -> Result<SuspendedCall, RpcError> {
        let number = state.first_chunk::<NUMBER>();
        let call = number.and_then(|number| self.calls.borrow_mut().remove(number));
        call.ok_or_else(gone)
    }

    /// A call has waited long enough.
    pub(crate) fn expire(&self, number: &[u8; NUMBER]) {
        // What it takes with it may want to look at this place.
        let call = self.calls.borrow_mut().remove(number);
        drop(call);
    }
}

pub(crate) fn gone() -> RpcError {
    RpcError::handle("handle_expired", "the call waits no longer for its answers, make it anew")
}

/// Where a message is to be answered, if not anywhere: its call waits somewhere, or may come to wait.
pub(crate) fn home(key: &Key, message: &Message<'_>) -> Option<CallHome> {
    if !envelope::claims(message) || !message.known.is_some_and(Method::may_ask) {
        return None;
    }
    let state = message.param("requestState").and_then(json::text);
    if let Some(content) = state.and_then(|token| request_state::peek(key, PURPOSE, &token)) {
        let name = content.get(NUMBER..).and_then(|name| std::str::from_utf8(name).ok());
        return name.map(|name| CallHome::Known(name.to_owned()));
    }
    let capabilities = message.meta.get(envelope::CAPABILITIES)?;
    let capabilities: Value = serde_json::from_str(capabilities.get()).ok()?;
    let askable = client_requests::askable(&capabilities);
    askable.as_object().filter(|askable| !askable.is_empty()).map(|_| CallHome::Any)
}
