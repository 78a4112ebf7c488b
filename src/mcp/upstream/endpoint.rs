use std::sync::{Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, HeaderName, Uri};
use serde_json::Value;

use crate::{config::Capabilities, mcp::protocol::error::RpcError};

/// What the operator says of the server.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(super) uri: Uri,
    pub(super) name: String,
    /// What the server is to the gateway, for messages: `upstream`, or `middleware server`.
    pub(super) role: &'static str,
    pub(super) headers: HeaderMap,
    /// Headers of callers that are sent on.
    pub(super) passed: Vec<HeaderName>,
    pub(super) timeout_ms: u64,
    pub(super) list_timeout_ms: u64,
    pub(super) call_timeout_ms: u64,
    pub(super) ttl_ms: u64,
    pub(super) min_ttl_ms: u64,
    pub(super) max_pages: usize,
    /// The capabilities that it is listed with, beside what it lists without.
    pub(super) capabilities: Capabilities,
    /// Whether it is a handler in the same process.
    pub(super) in_process: bool,
}

/// The client behind a request, for servers that have a question to it.
#[derive(Debug, Clone)]
pub(crate) struct AskableClient {
    /// What it can be asked.
    pub(super) capabilities: Value,
    /// Whether a question reaches it.
    pub(super) reachable: bool,
}

impl AskableClient {
    /// Whether there is a question that reaches it.
    pub fn can_be_asked(&self) -> bool {
        self.reachable && self.capabilities.as_object().is_some_and(|capabilities| !capabilities.is_empty())
    }
}

/// Why a request has come to nothing.
pub(crate) enum SendFailure {
    /// The server wants to be asked in another way; what to say if that does not help.
    Stale(RpcError),
    Failed(RpcError),
}

impl From<RpcError> for SendFailure {
    fn from(failure: RpcError) -> Self {
        Self::Failed(failure)
    }
}

impl SendFailure {
    pub fn into_failure(self) -> RpcError {
        let (Self::Stale(failure) | Self::Failed(failure)) = self;
        failure
    }
}

/// What is locked is never held across an await, and a panic elsewhere leaves it whole.
pub(crate) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
