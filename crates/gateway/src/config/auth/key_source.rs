//! The source of the keys that verify tokens.

use mcp_sieve::{
    Error,
    json::{Entry, Members, Raw},
};

use super::address::address;

/// The source of a JSON Web Key Set (RFC 7517).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The key set itself: `{"keys": […]}`.
    Inline(String),
    /// The key of an entry in the KV namespace of the deployment.
    Kv(String),
    /// The URL of the key set.
    Url(String),
}

impl KeySource {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        if entry.text().is_ok() {
            return address(entry).map(Self::Url);
        }
        let (mut keys, mut kv) = (Vec::new(), None);
        let mut record = entry.record(&["keys", "kv"])?;
        record.fill("keys", &mut keys, |entry| entry.list(is_public));
        record.fill_optional("kv", &mut kv, Entry::some_text);
        record.end()?;
        match (keys.contains(&true), kv) {
            (true, None) => Ok(Self::Inline(Raw::get(entry.raw()).to_owned())),
            (false, Some(name)) if keys.is_empty() => Ok(Self::Kv(name)),
            _ => Err(entry.refuse("expected `keys` with at least one of type RSA, EC or OKP, or `kv`")),
        }
    }
}

/// Returns whether a JSON Web Key has one of the types that have a public key (RFC 7518, section 6.1; RFC 8037).
fn is_public(key: &Entry<'_>) -> Result<bool, Error> {
    let members = Members::read(key.raw()).unwrap_or_default();
    match members.get("kty").and_then(Raw::text) {
        Some(kind) => Ok(["RSA", "EC", "OKP"].contains(&kind.as_ref())),
        None => Err(key.refuse("expected a JSON Web Key, with its type as `kty`")),
    }
}
