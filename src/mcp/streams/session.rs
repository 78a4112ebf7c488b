use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{json::Raw, mcp::protocol::error::RpcError};

/// Maximum length of what a client says of itself, in bytes: its `clientInfo` and `capabilities` together, as JSON. A
/// session keeps both.
pub const MAX_CLIENT: usize = 16 * 1024;
/// Maximum length of the concerns that a session or a handle keeps, in bytes of JSON.
pub const MAX_CONFIGURED: usize = 16 * 1024;
/// Maximum number of resources that a session, or a listener without one, subscribes to.
pub const MAX_SUBSCRIPTIONS: usize = 256;
/// Maximum length of the URIs that a session, or a listener without one, subscribes to, in bytes together.
pub const MAX_SUBSCRIBED: usize = 64 * 1024;

/// Checks the length of what a client says of itself.
///
/// # Errors
/// Invalid params `client_limit`, beyond [`MAX_CLIENT`].
pub(crate) fn check_client(info: Option<Raw<'_>>, capabilities: Option<Raw<'_>>) -> Result<(), RpcError> {
    let length: usize = [info, capabilities].into_iter().flatten().map(|raw| raw.get().len()).sum();
    if length <= MAX_CLIENT {
        return Ok(());
    }
    let message =
        format!("expected at most {MAX_CLIENT} bytes of client info and capabilities, found {length}");
    Err(RpcError::handle("client_limit", message))
}

/// The refusal of more subscriptions than [`MAX_SUBSCRIPTIONS`], or of longer ones than [`MAX_SUBSCRIBED`].
pub(crate) fn subscription_limit() -> RpcError {
    let message =
        format!("expected at most {MAX_SUBSCRIPTIONS} subscriptions, and {MAX_SUBSCRIBED} bytes of URIs");
    RpcError::handle("subscription_limit", message)
}

/// What a session was told of concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfiguredConcerns {
    /// The configuration as JSON.
    pub(crate) concerns: String,
    /// Whether by `updateConcerns`, which no earlier channel replaces.
    pub(crate) updated: bool,
}

/// What a session of the handshake era remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The negotiated revision.
    pub version: String,
    /// `clientInfo` of `initialize`.
    pub client: Option<Value>,
    /// `capabilities` of `initialize`.
    pub capabilities: Value,
    /// Whose it is: nobody else finds it.
    pub principal: Option<String>,
    /// The preset of the path that it was opened at: at no other path is it found.
    #[serde(default)]
    pub preset: Option<String>,
    /// Milliseconds since 1970.
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
}
