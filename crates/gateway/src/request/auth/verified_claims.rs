//! Verified claims in a form that can be passed to another part of the same deployment, so that no token is verified
//! twice.

use mcp_sieve::seal::Key;
use serde_json::{Map, Value};

const PURPOSE: &str = "claims";

/// Returns the claims sealed, as text for a header. Clients cannot forge such text.
pub fn seal_claims(key: &Key, claims: &Map<String, Value>) -> String {
    let text = serde_json::to_vec(claims).unwrap_or_default();
    key.seal(PURPOSE, &text)
}

/// Returns the claims that [`seal_claims`] sealed with this key; `None` for any other text.
pub fn open_claims(key: &Key, sealed: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&key.open(PURPOSE, sealed)?).ok()
}
