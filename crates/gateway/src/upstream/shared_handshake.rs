//! Handshakes with stateless servers, which processes share. The first call of a process then needs no discovery.

use std::sync::Arc;

use mcp_sieve::revision::Revision;
use serde::{Deserialize, Serialize};

use crate::upstream::{
    Upstream,
    connection::{Capabilities, Connection, Negotiated},
};

/// What one process has discovered of a stateless server, for others. Sessions are not shared, since each belongs to
/// the process that opened it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SharedHandshake {
    /// The date of the revision in which requests are sent.
    revision: String,
    /// What the server announces.
    #[serde(default)]
    capabilities: Capabilities,
    /// The time until which the server can be used without another discovery, in milliseconds since 1970.
    until: u64,
}

impl Upstream {
    /// Returns the handshake with a stateless server; `None` if there was none, or if the server has sessions.
    pub(crate) fn shared_handshake(&self) -> Option<SharedHandshake> {
        let connection = self.known().filter(|connection| !connection.is_ended())?;
        let revision = connection.negotiated.stateless()?.date().to_owned();
        let capabilities = connection.capabilities.clone();
        Some(SharedHandshake { revision, capabilities, until: connection.until() })
    }

    /// Uses the handshake of another process until it expires. A connection that this process has opened itself is kept.
    pub(crate) fn adopt_handshake(&self, shared: SharedHandshake) {
        let SharedHandshake { revision, capabilities, until } = shared;
        let Some(version) = Revision::from_date(&revision).filter(|version| version.is_stateless()) else {
            return;
        };
        if self.known().is_some_and(|known| !known.is_adopted() || known.until() >= until) {
            return;
        }
        self.remember(&Arc::new(Connection::adopted(Negotiated::Stateless(version), capabilities, until)));
    }
}
