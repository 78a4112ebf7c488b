//! The status of upstream servers, and the results of listing them.

use mcp_sieve::{json::Object, time::CivilDate};
use serde::{Deserialize, Serialize};

use crate::protocol::error::RpcError;

/// The status of an upstream server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The operator's name for the server.
    pub name: String,
    /// The result of the last attempt to list the server.
    pub state: UpstreamState,
}

/// The result of the last attempt to list a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpstreamState {
    /// The server could be listed.
    Ok,
    /// The server could not be listed. Its last lists are still served.
    Stale(Outage),
    /// The server could not be listed, and none of its lists are known.
    Down(Outage),
}

/// The start and the reason of an outage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// The time of the first failure, in milliseconds since 1970.
    pub since: u64,
    /// The `data.reason` of the last failure, one of the codes that [`upstream`](crate::upstream) refers to.
    pub reason: String,
}

/// The result of one attempt to list a server, for the operator.
#[derive(Debug)]
pub struct Survey {
    /// The operator's name for the server.
    pub name: String,
    /// Duration of the attempt, in milliseconds.
    pub took_ms: u64,
    /// The error, if the server could not be listed.
    pub failure: Option<RpcError>,
}

impl Status {
    /// Writes the status as callers see it.
    pub(crate) fn write(&self, object: &mut Object<'_>) {
        object.text("name", &self.name);
        let (status, trouble) = match &self.state {
            UpstreamState::Ok => ("ok", None),
            UpstreamState::Stale(trouble) => ("stale", Some(trouble)),
            UpstreamState::Down(trouble) => ("down", Some(trouble)),
        };
        object.text("status", status);
        if let Some(Outage { since, reason }) = trouble {
            object.text("since", &CivilDate::short_timestamp(since / 1_000 * 1_000));
            object.text("reason", reason);
        }
    }
}
