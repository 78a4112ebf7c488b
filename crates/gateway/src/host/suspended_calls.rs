//! Calls that wait between two requests of their client.
//!
//! A server with sessions sends requests to its client while a call is open. A client of the stateless revision
//! receives them in a result and responds in another request. Meanwhile the open call stays in one instance, under a
//! number that the client returns sealed.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fmt,
};

use futures_util::{future::AbortHandle, stream::LocalBoxStream};

use crate::{
    host::{ServerRequest, StreamItem},
    protocol::error::RpcError,
};

/// Maximum number of suspended calls per instance.
pub const MAX_SUSPENDED: usize = 64;
/// Time, in milliseconds, for which a call waits for its client.
pub const SUSPENDED_MS: u64 = 10 * 60 * 1000;

/// Length, in bytes, of the number of a call.
pub(crate) const NUMBER: usize = 16;

/// The suspended calls of one instance.
pub struct SuspendedCalls {
    name: String,
    calls: RefCell<HashMap<[u8; NUMBER], SuspendedCall>>,
}

/// A suspended call.
pub(crate) struct SuspendedCall {
    /// The further events of the server.
    pub turns: LocalBoxStream<'static, StreamItem>,
    /// The open requests of the server, by the keys under which they were sent.
    pub requests: BTreeMap<String, ServerRequest>,
    /// The number of requests so far.
    pub request_count: usize,
    /// The timer that ends the call when it has waited too long.
    pub timer: Option<Timer>,
}

/// A timer that is aborted when it is dropped.
pub(crate) struct Timer(pub AbortHandle);

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl SuspendedCall {
    /// Sends the client's responses, the text of each by its key, to the server. Requests without a response are sent again; unknown keys are
    /// ignored.
    pub async fn answer(&mut self, answers: Vec<(String, String)>) {
        self.timer = None;
        for (key, answer) in answers {
            if let Some(request) = self.requests.remove(&key) {
                (request.reply)(Ok(answer)).await;
            }
        }
    }
}

impl fmt::Debug for SuspendedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SuspendedCalls").field("calls", &self.calls.borrow().len()).finish_non_exhaustive()
    }
}

impl SuspendedCalls {
    /// Creates an empty set of suspended calls. `name` identifies the instance.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), calls: RefCell::default() }
    }

    /// Suspends a call and returns the state that its client must return.
    ///
    /// # Errors
    /// `parked_limit`, beyond [`MAX_SUSPENDED`].
    pub(crate) fn suspend(&self, number: [u8; NUMBER], call: SuspendedCall) -> Result<Vec<u8>, RpcError> {
        let mut calls = self.calls.borrow_mut();
        if calls.len() >= MAX_SUSPENDED {
            let message =
                format!("{MAX_SUSPENDED} calls are waiting for their clients already, try again later");
            return Err(RpcError::internal("parked_limit", message));
        }
        calls.insert(number, call);
        Ok([&number[..], self.name.as_bytes()].concat())
    }

    /// Removes and returns the call that a client resumes.
    ///
    /// # Errors
    /// `handle_expired` for a call that has ended or is suspended elsewhere.
    pub(crate) fn take(&self, state: &[u8]) -> Result<SuspendedCall, RpcError> {
        let number = state.first_chunk::<NUMBER>();
        let call = number.and_then(|number| self.calls.borrow_mut().remove(number));
        call.ok_or_else(gone)
    }

    /// Drops a call that has waited too long.
    pub(crate) fn expire(&self, number: &[u8; NUMBER]) {
        // Dropped outside the borrow, because dropping the call may access this set.
        let call = self.calls.borrow_mut().remove(number);
        drop(call);
    }
}

pub(crate) fn gone() -> RpcError {
    RpcError::handle("handle_expired", "the call waits no longer for its answers, make it anew")
}
