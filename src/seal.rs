//! Tokens that come back from callers: content, its purpose and an HMAC-SHA-256, in base64url.
//! Nothing is stored, and a token made for one purpose opens for no other.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Bytes of the MAC that a token carries: 128 bits.
const MAC_BYTES: usize = 16;

/// The server's signing key.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// A key from secret bytes of any length; 32 random ones are right.
    pub fn new(secret: &[u8]) -> Option<Self> {
        Hmac::new_from_slice(secret).ok().map(Self)
    }

    /// Seals `content` for `purpose`, a fixed word of the caller's.
    pub fn seal(&self, purpose: &str, content: &[u8]) -> String {
        let mac = self.mac(purpose, content).finalize().into_bytes();
        let mut token = content.to_vec();
        token.extend(mac.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(token)
    }

    /// The content of a token that [`Key::seal`] made for `purpose` under this key.
    pub fn open(&self, purpose: &str, token: &str) -> Option<Vec<u8>> {
        let mut content = URL_SAFE_NO_PAD.decode(token).ok()?;
        let mac = content.split_off(content.len().checked_sub(MAC_BYTES)?);
        // Compares in constant time.
        self.mac(purpose, &content).verify_truncated_left(&mac).ok()?;
        Some(content)
    }

    fn mac(&self, purpose: &str, content: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(content);
        mac
    }
}
