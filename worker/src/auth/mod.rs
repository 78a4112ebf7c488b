//! The Worker's part in the authentication of callers: requests to authorization servers, and signature checks.

mod keys;
mod signature;

use std::borrow::Cow;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub(crate) use keys::EdgeKeys;
pub(crate) use signature::ImportedKeys;

/// The claims of a verified token.
pub(crate) type Claims<'a> = Cow<'a, Map<String, Value>>;

/// Returns the SHA-256 of bytes, in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
