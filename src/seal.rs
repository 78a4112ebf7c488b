//! Sealed tokens, which callers keep and send back: the id of a key, the content, and an HMAC-SHA-256 over the purpose
//! and the content, in base64url. Nothing is stored, and a token of one purpose does not open for another.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Length of the MAC in a token, in bytes: 128 bits.
const MAC_BYTES: usize = 16;
/// Length, in bytes, of a key's id. Keys are found by their id and verified by the MAC.
const ID_BYTES: usize = 4;
impl Key {
    /// Maximum number of keys that open tokens.
    pub const MAX_KEYS: usize = 8;
}

/// The signing key of the server and its earlier keys. The first one seals; each opens the tokens that it sealed.
#[derive(Clone)]
pub struct Key(Vec<Secret>);

#[derive(Clone)]
struct Secret {
    id: [u8; ID_BYTES],
    mac: Hmac<Sha256>,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// Returns the key made from secret bytes; `None` if there are none. Use 32 random bytes.
    pub fn new(secret: &[u8]) -> Option<Self> {
        Self::rotated(&[secret])
    }

    /// Returns the current key, the first of `secrets`, with earlier ones, whose tokens still open.
    ///
    /// Returns `None` without a key, for more than [`Key::MAX_KEYS`](crate::seal::Key::MAX_KEYS) and for an empty one.
    pub fn rotated(secrets: &[&[u8]]) -> Option<Self> {
        if !(1..=Key::MAX_KEYS).contains(&secrets.len()) {
            return None;
        }
        secrets.iter().map(|secret| Secret::new(secret)).collect::<Option<_>>().map(Self)
    }

    /// Returns keys for another use, the current one first. Each is derived from one of these keys and from `purpose`,
    /// a fixed word for which no token is sealed.
    pub fn derived(&self, purpose: &str) -> impl Iterator<Item = [u8; 32]> {
        self.0.iter().map(move |secret| secret.over(purpose, b"").finalize().into_bytes().into())
    }

    /// Returns a token with `content` that only opens for `purpose`, a fixed word.
    pub fn seal(&self, purpose: &str, content: &[u8]) -> String {
        let Some(secret) = self.0.first() else { return String::new() };
        let mac = secret.over(purpose, content).finalize().into_bytes();
        let mut token = secret.id.to_vec();
        token.extend_from_slice(content);
        token.extend(mac.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(token)
    }

    /// Returns the content of a token that one of these keys sealed for `purpose`.
    pub fn open(&self, purpose: &str, token: &str) -> Option<Vec<u8>> {
        let token = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (id, rest) = token.split_first_chunk::<ID_BYTES>()?;
        let (content, mac) = rest.split_at_checked(rest.len().checked_sub(MAC_BYTES)?)?;
        // Compares in constant time. Ids are no secrets.
        let mut alike = self.0.iter().filter(|secret| secret.id == *id);
        let sealed = alike.any(|secret| secret.over(purpose, content).verify_truncated_left(mac).is_ok());
        sealed.then(|| content.to_vec())
    }
}

impl Secret {
    fn new(secret: &[u8]) -> Option<Self> {
        let mac = Hmac::new_from_slice(secret).ok().filter(|_| !secret.is_empty())?;
        let unnamed = Self { id: [0; ID_BYTES], mac };
        // No purpose has this name. The id reveals as little about the key as a MAC does.
        let id = unnamed.over("key id", b"").finalize().into_bytes();
        Some(Self { id: id.first_chunk().copied()?, ..unnamed })
    }

    fn over(&self, purpose: &str, content: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(content);
        mac
    }
}
