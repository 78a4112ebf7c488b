//! Sessions at a server of the handshake era. A server may store data by session, and the requests that a client answers
//! are fixed when its session begins. So each session of a client, and each principal of stateless requests, has a
//! session of its own.

use std::{collections::VecDeque, iter, sync::Arc};

use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    call::client_requests,
    config::Transport,
    host::Call,
    protocol::{headers::SESSION_ID, method::Method},
    upstream::{AskableClient, Endpoint, connection::Connection},
};

/// Maximum number of sessions at one server. Of those without a call or an open stream, the least recently used one is
/// ended to make room.
pub const MAX_SESSIONS: usize = 1_024;
/// Maximum number of sessions of one principal, so that no principal can displace the sessions of others.
pub const MAX_PRINCIPAL_SESSIONS: usize = 16;
/// Maximum number of sessions of all callers without a principal.
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
    scope: Scope,
    principal: Option<String>,
    /// A hash of the credentials that a handler sees; `None` for a server over the network.
    credentials: Option<[u8; 32]>,
    /// The capabilities to declare: the requests that the client answers, and configured extensions. An empty object
    /// for none.
    pub capabilities: Value,
    /// The headers of the caller that are forwarded. The server may identify the caller by them.
    pub headers: HeaderMap,
    /// The concerns that are forwarded to the server, as JSON. They are fixed when the session begins.
    pub concerns: Option<String>,
}

/// The calls that run in a session, of those that have its principal.
#[derive(Debug, Clone, PartialEq)]
enum Scope {
    /// The calls in one session of a client, by its `Mcp-Session-Id`.
    Client(HeaderValue),
    /// The stateless calls of the principal.
    Principal,
    /// The stateless calls of the only person who can reach the gateway, or of the only client, over stdio.
    OneUser,
    /// The calls of several clients, to none of which the server can send a request outside a call.
    Shared,
    /// One call. Nothing shows that two calls come from the same caller.
    Call,
}

/// The open sessions by owner, the most recently used last.
#[derive(Debug, Default)]
pub(crate) struct SessionPool(VecDeque<(SessionOwner, Arc<Connection>)>);

/// The places for sessions that are all in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// Those of the principal.
    Principal,
    /// Those of all callers without a principal.
    Anonymous,
    /// Those at the server.
    Server,
}

impl Full {
    /// Returns a description of the sessions, with their maximum number.
    pub fn description(self) -> String {
        match self {
            Self::Principal => format!("{MAX_PRINCIPAL_SESSIONS} sessions of this caller"),
            Self::Anonymous => format!("{MAX_ANONYMOUS_SESSIONS} sessions of callers without a token"),
            Self::Server => format!("{MAX_SESSIONS} sessions"),
        }
    }
}

impl SessionOwner {
    /// Returns the owner of the session for a call. The owner declares those configured capabilities that its client
    /// declares.
    pub fn new(call: &Call<'_>, headers: HeaderMap, endpoint: &Endpoint) -> Self {
        let (caller, in_process) = (call.caller, endpoint.in_process);
        let is_stateless = caller.protocol.is_stateless();
        let principal: Option<String> = caller.principal().map(Into::into);
        // The header is not verified in stateless requests.
        let session = caller.headers.get(SESSION_ID).filter(|_| !is_stateless);
        // The capabilities of a caller's session do not depend on the request that begins it. Handlers are an exception,
        // because their host may be unable to ask any client.
        let asks_nothing = || Method::named(call.method).is_some_and(|method| !method.may_ask());
        let may_ask_later = session.is_some() || is_stateless && asks_nothing();
        let reachable = call.accepts_requests || may_ask_later && !in_process && !endpoint.shares_sessions;
        let client =
            AskableClient { capabilities: client_requests::askable(&caller.capabilities), reachable };
        let scope = match session {
            _ if endpoint.shares_sessions => Scope::Shared,
            Some(session) => Scope::Client(session.clone()),
            None if principal.is_some() => Scope::Principal,
            None if in_process => Scope::Call,
            None if caller.transport == Transport::Stdio => Scope::OneUser,
            None if endpoint.one_user && client.can_be_asked() => Scope::OneUser,
            // Such calls can use the gateway's own session.
            None if endpoint.one_user => Scope::Shared,
            None => Scope::Call,
        };
        let principal = principal.filter(|_| scope != Scope::Shared);
        let mut capabilities = match reachable {
            true => client_requests::normalized(&caller.capabilities),
            false => Value::Object(serde_json::Map::new()),
        };
        // Stateless clients have no notification for it.
        if is_stateless {
            client_requests::without_changed_roots(&mut capabilities);
        }
        let can_be_asked = capabilities.as_object().is_some_and(|askable| !askable.is_empty());
        if can_be_asked && !is_stateless {
            client_requests::add_tasks(&mut capabilities, &caller.capabilities);
        }
        client_requests::add_extensions(
            &mut capabilities,
            &caller.capabilities,
            &endpoint.capabilities.parts,
        );
        let credentials = in_process.then(|| credentials(&caller.headers));
        Self { scope, principal, credentials, capabilities, headers, concerns: None }
    }

    /// Returns the owner for calls with these forwarded concerns.
    pub fn with_concerns(self, concerns: Option<&str>) -> Self {
        Self { concerns: concerns.map(str::to_owned), ..self }
    }

    /// Returns the owner for the gateway itself.
    pub fn gateway() -> Self {
        let capabilities = Value::Object(serde_json::Map::new());
        let (principal, credentials, concerns) = Default::default();
        let headers = HeaderMap::new();
        Self { scope: Scope::Shared, principal, credentials, capabilities, headers, concerns }
    }

    /// Returns whether calls of this owner can use the gateway's own connection: the server learns nothing about the
    /// caller, and keeps nothing for it.
    pub fn is_nobody(&self, connection: &Connection) -> bool {
        let has_capabilities = self.capabilities.as_object().is_some_and(|all| !all.is_empty());
        let asks_nothing = !has_capabilities && self.concerns.is_none();
        let keeps_nothing = !connection.has_session();
        match self.credentials {
            Some(_) => asks_nothing && keeps_nothing,
            None => {
                let is_shared = self.scope == Scope::Shared;
                asks_nothing && self.headers.is_empty() && (is_shared || keeps_nothing)
            }
        }
    }

    /// Returns whether the session is stored for further calls.
    pub fn is_lasting(&self) -> bool {
        self.scope != Scope::Call
    }

    /// Returns whether calls of different clients may run in the session.
    pub fn is_shared(&self) -> bool {
        self.scope == Scope::Shared
    }

    /// Returns whether the session belongs to the client with this session of its own.
    fn is_of_client(&self, session: &HeaderValue) -> bool {
        matches!(&self.scope, Scope::Client(own) if own == session)
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

    /// Makes room for another session of an owner, if it is needed. Returns the session that is to be ended for it.
    ///
    /// # Errors
    /// Returns the places that are all taken by sessions with a call or an open stream.
    pub fn make_room(&mut self, owner: &SessionOwner) -> Result<Option<Arc<Connection>>, Full> {
        let of_holder = |known: &SessionOwner| known.principal == owner.principal;
        let held = self.0.iter().filter(|(known, _)| of_holder(known)).count();
        let (most, full) = match owner.principal {
            Some(_) => (MAX_PRINCIPAL_SESSIONS, Full::Principal),
            None => (MAX_ANONYMOUS_SESSIONS, Full::Anonymous),
        };
        if held >= most {
            return self.remove_idle(of_holder).map(Some).ok_or(full);
        }
        if self.0.len() >= MAX_SESSIONS {
            return self.remove_idle(|_| true).map(Some).ok_or(Full::Server);
        }
        Ok(None)
    }

    /// Removes the least recently used session that nothing uses.
    fn remove_idle(&mut self, of: impl Fn(&SessionOwner) -> bool) -> Option<Arc<Connection>> {
        // Every use holds the connection.
        let is_idle = |connection: &Arc<Connection>| Arc::strong_count(connection) == 1;
        let at = self.0.iter().position(|(known, connection)| of(known) && is_idle(connection))?;
        self.0.remove(at).map(|(_, connection)| connection)
    }

    /// Stores a session. Returns the one that it replaces.
    #[must_use]
    pub fn put(&mut self, owner: SessionOwner, connection: Arc<Connection>) -> Option<Arc<Connection>> {
        let replaced = self.remove(|known| *known == owner);
        self.0.push_back((owner, connection));
        replaced
    }

    /// Returns the sessions of the client with this session of its own.
    pub fn of_client(&self, session: &HeaderValue) -> Vec<Arc<Connection>> {
        let own = self.0.iter().filter(|(known, _)| known.is_of_client(session));
        own.map(|(_, connection)| Arc::clone(connection)).collect()
    }

    /// Removes and returns the sessions of the client with this session of its own.
    #[must_use]
    pub fn remove_client(&mut self, session: &HeaderValue) -> Vec<Arc<Connection>> {
        iter::from_fn(|| self.remove(|known| known.is_of_client(session))).collect()
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
