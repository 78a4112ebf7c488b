//! Sessions at a server of the handshake era. The requests that a client answers are fixed when its session begins, and
//! a server may store data by session. Callers that differ in either therefore have a session each. A server may also
//! send a request that names no call, so clients that can be asked share a session only if nothing distinguishes them.

use std::{collections::VecDeque, iter, sync::Arc};

use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    call::client_requests, config::Transport, host::Call, protocol::headers::SESSION_ID,
    upstream::connection::Connection,
};

/// Maximum number of sessions at one server. The least recently used session is removed to make room.
pub const MAX_SESSIONS: usize = 1_024;
/// Maximum number of sessions of one principal, so that no principal can displace the sessions of others. One person's
/// clients have separate sessions if they differ in their capabilities or in forwarded headers.
pub const MAX_PRINCIPAL_SESSIONS: usize = 16;
/// Maximum number of sessions of all callers without a principal, who cannot be distinguished.
pub const MAX_ANONYMOUS_SESSIONS: usize = 512;

/// The headers by which a handler may identify its caller. `passHeaders` adds others.
const CREDENTIALS: [HeaderName; 4] = [
    header::AUTHORIZATION,
    header::COOKIE,
    header::PROXY_AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
];

/// The owner of a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SessionOwner {
    principal: Option<String>,
    /// The client's own session, of a caller without a principal who can be asked or who calls a handler. Nothing else
    /// shows that two calls come from the same caller. `None` for a stateless call.
    session: Option<HeaderValue>,
    /// A hash of the credentials that a handler sees; `None` for a server over the network.
    credentials: Option<[u8; 32]>,
    /// Whether all calls come from one client.
    has_one_client: bool,
    /// The capabilities to declare: the requests that the client answers, and configured extensions. An empty object
    /// for none.
    pub capabilities: Value,
    /// The headers of the caller that are forwarded. The server may identify the caller by them.
    pub headers: HeaderMap,
}

/// The open sessions by owner, the most recently used last.
#[derive(Debug, Default)]
pub(crate) struct SessionPool(VecDeque<(SessionOwner, Arc<Connection>)>);

impl SessionOwner {
    /// Returns the owner of the session for a call. `in_process` states that the server is a handler that receives the
    /// caller's headers. The owner declares those `configured` capabilities that its client declares.
    pub fn new(call: &Call<'_>, headers: HeaderMap, in_process: bool, configured: &[String]) -> Self {
        let principal: Option<String> = call.caller.principal().map(Into::into);
        let mut capabilities = match call.accepts_requests {
            true => client_requests::normalized(&call.caller.capabilities),
            false => Value::Object(serde_json::Map::new()),
        };
        let can_be_asked = capabilities.as_object().is_some_and(|askable| !askable.is_empty());
        client_requests::add_extensions(&mut capabilities, &call.caller.capabilities, configured);
        // The header is not verified in stateless requests.
        let distinguished = principal.is_none() && !call.caller.protocol.is_stateless();
        let session = call.caller.headers.get(SESSION_ID).filter(|_| distinguished);
        let session = session.filter(|_| in_process || can_be_asked).cloned();
        let credentials = in_process.then(|| credentials(&call.caller.headers));
        let has_one_client = call.caller.transport == Transport::Stdio;
        Self { principal, session, credentials, has_one_client, capabilities, headers }
    }

    /// Returns the owner for the gateway itself, and for callers about whom the server learns nothing.
    pub fn gateway() -> Self {
        let capabilities = Value::Object(serde_json::Map::new());
        let (principal, session, credentials, has_one_client) = Default::default();
        Self { principal, session, credentials, has_one_client, capabilities, headers: HeaderMap::new() }
    }

    /// Returns the owner for the gateway when it lists for clients with these capabilities, given as JSON.
    pub fn lister(capabilities: &str) -> Self {
        let capabilities = serde_json::from_str(capabilities).unwrap_or_default();
        Self { capabilities, ..Self::gateway() }
    }

    /// Returns whether calls of this owner can use the gateway's own connection.
    pub fn is_nobody(&self, connection: &Connection) -> bool {
        let asks_nothing = self.capabilities.as_object().is_none_or(serde_json::Map::is_empty);
        match self.credentials {
            // Without a session, callers have nothing to share.
            Some(_) => asks_nothing && !connection.has_session(),
            None => asks_nothing && self.principal.is_none() && self.headers.is_empty(),
        }
    }

    /// Returns whether the session is stored for further calls. Otherwise nothing shows that two calls come from the
    /// same caller.
    pub fn is_lasting(&self) -> bool {
        self.credentials.is_none() || self.principal.is_some() || self.session.is_some()
    }

    /// Returns whether calls of different callers may run in the session.
    pub fn is_shared(&self) -> bool {
        self.is_lasting() && self.principal.is_none() && self.session.is_none() && !self.has_one_client
    }

    fn limit(&self) -> usize {
        if self.principal.is_some() { MAX_PRINCIPAL_SESSIONS } else { MAX_ANONYMOUS_SESSIONS }
    }
}

/// Returns a hash of the headers that identify a caller.
fn credentials(headers: &HeaderMap) -> [u8; 32] {
    let mut hash = Sha256::new();
    for name in &CREDENTIALS {
        for value in headers.get_all(name) {
            for part in [name.as_str().as_bytes(), value.as_bytes()] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
    }
    hash.finalize().into()
}

impl SessionPool {
    pub fn get(&mut self, owner: &SessionOwner) -> Option<Arc<Connection>> {
        let at = self.0.iter().position(|(known, _)| known == owner)?;
        let found = self.0.remove(at)?;
        let connection = Arc::clone(&found.1);
        self.0.push_back(found);
        Some(connection)
    }

    /// Stores a session. Returns the sessions that were removed to make room.
    #[must_use]
    pub fn put(&mut self, owner: SessionOwner, connection: Arc<Connection>) -> Vec<Arc<Connection>> {
        let mut gone = Vec::new();
        gone.extend(self.remove(|known| *known == owner));
        let of_holder = |known: &SessionOwner| known.principal == owner.principal;
        if self.0.iter().filter(|(known, _)| of_holder(known)).count() >= owner.limit() {
            gone.extend(self.remove(of_holder));
        }
        if self.0.len() >= MAX_SESSIONS {
            gone.extend(self.remove(|_| true));
        }
        self.0.push_back((owner, connection));
        gone
    }

    /// Removes and returns the sessions that only the client with this session of its own uses.
    #[must_use]
    pub fn remove_client(&mut self, session: &HeaderValue) -> Vec<Arc<Connection>> {
        let of_client = |known: &SessionOwner| known.session.as_ref() == Some(session);
        iter::from_fn(|| self.remove(of_client)).collect()
    }

    /// Removes and returns the first session whose owner matches.
    fn remove(&mut self, of: impl Fn(&SessionOwner) -> bool) -> Option<Arc<Connection>> {
        let at = self.0.iter().position(|(known, _)| of(known))?;
        self.0.remove(at).map(|(_, connection)| connection)
    }

    /// Removes a session that has ended.
    pub fn forget(&mut self, connection: &Arc<Connection>) {
        self.0.retain(|(_, known)| !Arc::ptr_eq(known, connection));
    }
}

/// Returns whether a call uses a session at a server that answers stateless requests. A caller with a session keeps its
/// revision, because servers can send requests to their client only in that revision. Task calls are excluded: tasks
/// are polled with stateless requests, which cannot access the tasks of a session.
pub(super) fn keeps_revision(call: &Call<'_>) -> bool {
    let of_task = call.task.is_some() || call.method.starts_with("tasks/");
    !of_task && !call.caller.protocol.is_stateless()
}
