//! Sessions at a server of the handshake era. What a session's client can be asked is settled when it begins,
//! and a server may keep things by session, so callers that differ in either have one each.

use std::{collections::VecDeque, sync::Arc};

use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::mcp::{
    call::client_requests, host::Call, http::headers::SESSION_ID, upstream::connection::Connection,
};

/// Most sessions that are kept at one server; the one that has gone longest without a call makes room.
pub const MAX_SESSIONS: usize = 1_024;
/// Most of them that belong to one principal, so that no principal takes the sessions of the others: clients of one
/// person that differ in what they can be asked or in headers that are sent on.
pub const MAX_PRINCIPAL_SESSIONS: usize = 16;
/// Most of them that belong to callers without a principal, who cannot be told apart.
pub const MAX_ANONYMOUS_SESSIONS: usize = 512;

/// Headers by which a handler may know its caller. `passHeaders` adds others.
const CREDENTIALS: [HeaderName; 4] = [
    header::AUTHORIZATION,
    header::COOKIE,
    header::PROXY_AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
];

/// Whose session it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SessionOwner {
    principal: Option<String>,
    /// Set before a handler, which is shown the headers of each caller.
    shown: Option<Shown>,
    /// What its client may be asked: the capabilities to declare. An empty object for nothing.
    pub capabilities: Value,
    /// Headers of the caller that are sent on: to the server they may be who it is.
    pub headers: HeaderMap,
}

/// What a handler may know a caller by, beside the principal.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    /// A hash of the credentials.
    credentials: [u8; 32],
    /// The session of a caller without a principal, which is the only thing that makes two of its calls the same
    /// caller's. Nothing for a stateless call.
    session: Option<HeaderValue>,
}

/// Sessions by holder, the latest used last.
#[derive(Debug, Default)]
pub(crate) struct SessionPool(VecDeque<(SessionOwner, Arc<Connection>)>);

impl SessionOwner {
    /// The holder of a call's session; `in_process` if the server is a handler that is shown the caller's headers.
    /// It declares those of the `configured` capabilities that its client declares.
    pub fn new(call: &Call<'_>, headers: HeaderMap, in_process: bool, configured: &[String]) -> Self {
        let principal: Option<String> = call.caller.principal().map(Into::into);
        let mut capabilities = match call.asks {
            true => client_requests::normalized(&call.caller.capabilities),
            false => Value::Object(serde_json::Map::new()),
        };
        client_requests::add_extensions(&mut capabilities, &call.caller.capabilities, configured);
        let shown = in_process.then(|| Shown {
            credentials: credentials(&call.caller.headers),
            session: match &principal {
                // The header of a stateless request is not checked.
                None if !call.caller.protocol.is_stateless() => call.caller.headers.get(SESSION_ID).cloned(),
                _ => None,
            },
        });
        Self { principal, shown, capabilities, headers }
    }

    /// The gateway itself, and callers of whom a server may know nothing.
    pub fn gateway() -> Self {
        let capabilities = Value::Object(serde_json::Map::new());
        Self { principal: None, shown: None, capabilities, headers: HeaderMap::new() }
    }

    /// The gateway, as it lists for clients with these capabilities, in JSON.
    pub fn lister(capabilities: &str) -> Self {
        let capabilities = serde_json::from_str(capabilities).unwrap_or_default();
        Self { capabilities, ..Self::gateway() }
    }

    /// Whether its calls can go by the connection that the gateway has for itself.
    pub fn is_nobody(&self, link: &Connection) -> bool {
        let asks_nothing = self.capabilities.as_object().is_none_or(serde_json::Map::is_empty);
        match self.shown {
            // Without a session there is nothing that callers could share.
            Some(_) => asks_nothing && !link.has_session(),
            None => asks_nothing && self.principal.is_none() && self.headers.is_empty(),
        }
    }

    /// Whether its session is kept for its next call. What two calls have in common is otherwise not known to be
    /// one caller.
    pub fn is_lasting(&self) -> bool {
        self.shown.as_ref().is_none_or(|shown| self.principal.is_some() || shown.session.is_some())
    }

    fn limit(&self) -> usize {
        if self.principal.is_some() { MAX_PRINCIPAL_SESSIONS } else { MAX_ANONYMOUS_SESSIONS }
    }
}

/// Hashes the headers that say who a caller is.
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
    pub fn get(&mut self, holder: &SessionOwner) -> Option<Arc<Connection>> {
        let at = self.0.iter().position(|(known, _)| known == holder)?;
        let found = self.0.remove(at)?;
        let link = Arc::clone(&found.1);
        self.0.push_back(found);
        Some(link)
    }

    /// Keeps a session; returns those that make room for it.
    #[must_use]
    pub fn put(&mut self, holder: SessionOwner, link: Arc<Connection>) -> Vec<Arc<Connection>> {
        let mut gone = Vec::new();
        gone.extend(self.remove(|known| *known == holder));
        let of_holder = |known: &SessionOwner| known.principal == holder.principal;
        if self.0.iter().filter(|(known, _)| of_holder(known)).count() >= holder.limit() {
            gone.extend(self.remove(of_holder));
        }
        if self.0.len() >= MAX_SESSIONS {
            gone.extend(self.remove(|_| true));
        }
        self.0.push_back((holder, link));
        gone
    }

    /// Takes out the first session of such a holder.
    fn remove(&mut self, of: impl Fn(&SessionOwner) -> bool) -> Option<Arc<Connection>> {
        let at = self.0.iter().position(|(known, _)| of(known))?;
        self.0.remove(at).map(|(_, link)| link)
    }

    /// A session has ended.
    pub fn forget(&mut self, link: &Arc<Connection>) {
        self.0.retain(|(_, known)| !Arc::ptr_eq(known, link));
    }
}
