//! The claims of a caller whose token has been verified, for the place of the same deployment that the request goes on
//! to: no token is verified twice.

use serde_json::{Map, Value};

use crate::seal::Key;

const PURPOSE: &str = "claims";

/// Returns the claims as text that a header can hold, sealed: what a client writes is never taken for it.
pub fn seal_claims(key: &Key, claims: &Map<String, Value>) -> String {
    let text = serde_json::to_vec(claims).unwrap_or_default();
    key.seal(PURPOSE, &text)
}

/// Returns the claims that [`seal_claims`] was given under this key; `None` for any other text.
pub fn open_claims(key: &Key, sealed: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&key.open(PURPOSE, sealed)?).ok()
}
