//! The stored state of a session, and its size limits.

use std::collections::BTreeSet;

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{protocol::error::RpcError, session::fingerprint::ListFingerprints};

/// Maximum length, in bytes of JSON, of the concerns that a session or a handle stores.
pub const MAX_CONFIGURED: usize = 16 * 1024;
/// Maximum number of resources to which a session, or a listener without one, subscribes.
pub const MAX_SUBSCRIPTIONS: usize = 256;
/// Maximum total length, in bytes, of the URIs to which a session, or a listener without one, subscribes.
pub const MAX_SUBSCRIBED: usize = 64 * 1024;

/// Returns the error for subscriptions beyond [`MAX_SUBSCRIPTIONS`] or [`MAX_SUBSCRIBED`].
pub(crate) fn subscription_limit() -> RpcError {
    let message =
        format!("expected at most {MAX_SUBSCRIPTIONS} subscriptions, and {MAX_SUBSCRIBED} bytes of URIs");
    RpcError::handle("subscription_limit", message)
}

/// Returns the error for a session that does not exist.
pub(crate) fn unknown() -> RpcError {
    RpcError::request(StatusCode::NOT_FOUND, "session_unknown", "no such session; initialize again")
}

/// The concerns that a session's client has configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfiguredConcerns {
    /// The configuration as JSON.
    pub(crate) concerns: String,
    /// Whether `updateConcerns` set them. Other channels do not replace these.
    pub(crate) updated: bool,
}

/// The stored state of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The negotiated revision.
    pub version: String,
    /// `clientInfo` of `initialize`.
    pub client: Option<Value>,
    /// `capabilities` of `initialize`.
    pub capabilities: Value,
    /// The principal of the session. Requests of other callers do not find it.
    pub principal: Option<String>,
    /// The preset of the path at which the session was opened. Requests at other paths do not find it.
    #[serde(default)]
    pub preset: Option<String>,
    /// Time of creation, in milliseconds since 1970.
    pub created: u64,
    /// The level of `logging/setLevel`, if the client has set one.
    #[serde(default)]
    pub level: Option<String>,
    /// The concerns that its client has configured.
    #[serde(default)]
    pub concerns: Option<ConfiguredConcerns>,
    /// The URIs of `resources/subscribe`.
    #[serde(default)]
    pub subscriptions: BTreeSet<String>,
    /// The lists as its client saw them when it last opened the stream of changes.
    #[serde(default)]
    pub(crate) lists: Option<ListFingerprints>,
}
