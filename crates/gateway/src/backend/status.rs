//! The status of upstream servers, and the results of listing them.

use mcp_sieve::{Kind, json::Object, time::CivilDate};
use serde::{Deserialize, Serialize};

use crate::protocol::error::RpcError;

/// The reasons for which a list ends, although the server answered.
const FINAL_REASONS: [&str; 3] = ["upstream_cursor_loop", "upstream_too_large", "upstream_too_many_pages"];

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
    /// Some lists of the server are missing or incomplete. The others are served.
    Partial(Vec<ListProblem>),
    /// The server could not be listed. Its last lists are still served.
    Stale(Outage),
    /// The server could not be listed, and none of its lists are known.
    Down(Outage),
    /// The server lists to each caller on its own, and has not been listed: no caller has asked for it, or the caller has to
    /// sign in first.
    Waiting,
}

/// The start and the reason of an outage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// The time of the first failure, in milliseconds since 1970.
    pub since: u64,
    /// The `data.reason` of the last failure, one of the codes that [`upstream`](crate::upstream) refers to.
    pub reason: String,
}

/// A list that could not be fetched, or not to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListProblem {
    /// The method of the list, such as `resources/list`.
    pub list: String,
    /// The `data.reason` of the failure.
    pub reason: String,
    /// The failure in words, for the operator.
    pub message: String,
    /// Whether the last known content of the list is served. Otherwise its pages before the failure are.
    #[serde(default)]
    pub kept: bool,
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
    /// The lists that are missing or incomplete, if the server could be listed.
    pub problems: Vec<ListProblem>,
}

impl ListProblem {
    /// Creates the problem of a list, from the failure of one of its requests.
    pub(crate) fn new(kind: Kind, failure: &RpcError) -> Self {
        Self {
            list: kind.list_method().to_owned(),
            // An error that the server itself returned has no reason code of the gateway.
            reason: failure.reason().unwrap_or("upstream_refused").to_owned(),
            message: failure.operator_text(),
            kept: false,
        }
    }

    /// Returns whether the server answered all requests, so that what came is all that it lists.
    pub(crate) fn is_final(&self) -> bool {
        FINAL_REASONS.contains(&self.reason.as_str())
    }

    /// Returns the kind of the primitives in the list.
    pub(crate) fn kind(&self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.list_method() == self.list)
    }
}

impl Status {
    /// Writes the status as callers see it.
    pub(crate) fn write(&self, object: &mut Object<'_>) {
        object.text("name", &self.name);
        let (status, trouble) = match &self.state {
            UpstreamState::Ok => ("ok", None),
            UpstreamState::Partial(_) => ("partial", None),
            UpstreamState::Stale(trouble) => ("stale", Some(trouble)),
            UpstreamState::Down(trouble) => ("down", Some(trouble)),
            UpstreamState::Waiting => ("waiting", None),
        };
        object.text("status", status);
        if let UpstreamState::Partial(problems) = &self.state {
            Object::push_array(object.value("missing"), problems, |out, problem| {
                let mut object = Object::open(out);
                object.text("list", &problem.list);
                object.text("reason", &problem.reason);
                if problem.kept {
                    object.raw("kept", b"true");
                }
                object.close();
            });
        }
        if let Some(Outage { since, reason }) = trouble {
            object.text("since", &CivilDate::short_timestamp(since / 1_000 * 1_000));
            object.text("reason", reason);
        }
    }
}
