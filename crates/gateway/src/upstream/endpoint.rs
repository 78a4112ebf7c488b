//! The settings of an upstream connection, and the errors of sending a request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, HeaderName, Uri, header};
use serde_json::Value;

use crate::{
    config::{AuthKind, Capabilities, ConcernUse, NameMap},
    protocol::error::RpcError,
    upstream::{oddities::Oddities, reply_memory::ReplyMemory},
};

/// The operator's settings for a server.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(super) uri: Uri,
    pub(super) name: String,
    /// The role of the server in messages: `upstream` or `middleware server`.
    pub(super) role: &'static str,
    pub(super) headers: HeaderMap,
    /// The references in `headers` to variables that are not set. If there are any, no request is sent.
    pub(super) unset: Vec<UnsetVariable>,
    /// The names of the callers' headers that are forwarded.
    pub(super) passed: Vec<HeaderName>,
    /// The source of its credentials.
    pub(super) auth: AuthKind,
    /// Whether all requests are in the name of one caller.
    pub(super) is_of_caller: bool,
    pub(super) timeout_ms: u64,
    pub(super) list_timeout_ms: u64,
    pub(super) call_timeout_ms: u64,
    pub(super) ttl_ms: u64,
    pub(super) min_ttl_ms: u64,
    pub(super) max_pages: usize,
    /// The capabilities with which the server is listed in addition to its listing without any.
    pub(super) capabilities: Capabilities,
    /// Whether primitives that it lists only to clients with some capabilities are hidden from others.
    pub(super) hides_conditional: bool,
    /// The use of the concerns that the server declares.
    pub(super) concerns: ConcernUse,
    /// The operator's names for these concerns. Those without a name are left out.
    pub(super) concern_names: NameMap,
    /// Whether the server is a handler in the same process.
    pub(super) in_process: bool,
    /// Whether all callers share their sessions at the server.
    pub(super) shares_sessions: bool,
    /// Whether only one person can reach the gateway.
    pub(super) one_user: bool,
    /// Whether the gateway has other servers too.
    pub(super) is_one_of_several: bool,
    /// Whether the server may send requests to clients.
    pub(super) questions: bool,
    /// The peculiarities of the server that the operator is told of.
    pub(super) oddities: Arc<Oddities>,
    /// The memory for the replies of all servers.
    pub(super) replies: Arc<ReplyMemory>,
}

/// A reference to a variable that is not set.
#[derive(Debug, Clone)]
pub(crate) struct UnsetVariable {
    /// The name of the header whose value refers to it.
    pub header: String,
    /// The name of the variable.
    pub name: String,
}

impl Endpoint {
    /// Returns whether requests need an access token of [`Fetch::authorization`](crate::upstream::Fetch::authorization).
    /// Requests for all callers have none of a caller.
    pub(super) fn needs_tokens(&self) -> bool {
        let has_subject = self.is_of_caller || !self.auth.is_of_caller();
        has_subject && self.auth.needs_tokens()
    }

    /// Returns the headers of a caller that the server gets.
    pub(super) fn passed_of(&self, headers: &HeaderMap) -> HeaderMap {
        let token = Some(header::AUTHORIZATION).filter(|_| self.auth == AuthKind::Pass);
        let mut passed = HeaderMap::new();
        for name in self.passed.iter().chain(&token) {
            headers.get_all(name).iter().for_each(|value| _ = passed.append(name, value.clone()));
        }
        passed
    }

    /// Notes, for the operator, which callers share a session at a server that keeps sessions.
    pub(super) fn note_sessions(&self) {
        let rule = match (self.shares_sessions, self.one_user) {
            (true, _) => "all callers share one, as its setting `\"sessions\": \"shared\"` says",
            (false, true) => {
                "each session of a client has one of its own, and stateless requests share one, because only this machine reaches the gateway"
            }
            (false, false) => {
                "each session of a client has one of its own, and so have the stateless requests of each principal; a stateless request without a principal has one for itself, unless only one machine reaches the gateway"
            }
        };
        self.oddities.report(format!("`{}` keeps sessions", self.name), rule);
    }
}

/// The client of a call, to which the server may send requests.
#[derive(Debug, Clone)]
pub(crate) struct AskableClient {
    /// The requests that the client declared to answer.
    pub(super) capabilities: Value,
    /// Whether a request reaches the client.
    pub(super) reachable: bool,
}

impl AskableClient {
    /// Returns whether the client is reachable and answers some request.
    pub fn can_be_asked(&self) -> bool {
        self.reachable && self.capabilities.as_object().is_some_and(|capabilities| !capabilities.is_empty())
    }
}

/// The reason why a request failed.
pub(crate) enum SendFailure {
    /// The connection is no longer valid. The error is returned if a new connection does not help.
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

/// Locks a value. Locks are never held across an await, and a panic elsewhere leaves the value consistent.
pub(crate) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
