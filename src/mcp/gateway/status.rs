use serde::{Deserialize, Serialize};

use crate::{json::Object, mcp::protocol::error::RpcError, time::short_timestamp};

/// How a server behind stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The operator's name for it.
    pub name: String,
    /// Whether it could be listed.
    pub state: UpstreamState,
}

/// Whether a server could be listed when it was last tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpstreamState {
    /// It could.
    Ok,
    /// It could not, and what it listed before is still shown.
    Stale(Outage),
    /// It could not, and there is nothing of it to show.
    Down(Outage),
}

/// For how long a server could not be listed, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// The first failure, in milliseconds since 1970.
    pub since: u64,
    /// `data.reason` of the last, by the table in [`upstream`](crate::mcp::upstream).
    pub reason: String,
}

/// What one attempt to list a server has shown, for the operator.
#[derive(Debug)]
pub struct Survey {
    /// The operator's name for the server.
    pub name: String,
    /// Milliseconds that the attempt took.
    pub took_ms: u64,
    /// Why it could not be listed.
    pub failure: Option<RpcError>,
}

impl Status {
    /// Writes it as callers are told.
    pub(crate) fn write(&self, object: &mut Object<'_>) {
        object.text("name", &self.name);
        let (status, trouble) = match &self.state {
            UpstreamState::Ok => ("ok", None),
            UpstreamState::Stale(trouble) => ("stale", Some(trouble)),
            UpstreamState::Down(trouble) => ("down", Some(trouble)),
        };
        object.text("status", status);
        if let Some(Outage { since, reason }) = trouble {
            object.text("since", &short_timestamp(since / 1_000 * 1_000));
            object.text("reason", reason);
        }
    }
}
