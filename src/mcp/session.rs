use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::concerns::Configured;

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
    pub concerns: Option<Configured>,
    /// The URIs of `resources/subscribe`.
    #[serde(default)]
    pub subscriptions: BTreeSet<String>,
}
