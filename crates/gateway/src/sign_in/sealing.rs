//! Encryption of stored and returned texts with AES-SIV (RFC 5297), for one purpose and with bound values.

use aes_siv::{KeyInit, siv::Aes128Siv};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use mcp_sieve::seal::Key;

/// Maximum number of bound values, which keeps below the limit of the cipher.
const MAX_BOUND: usize = 16;

/// Encrypts `content` under the current key, for `purpose`, a fixed word. The text, in base64url, opens for this purpose
/// and these bound values only, and contains neither.
///
/// Returns an empty text, which never opens, for more than 16 bound values.
pub fn seal(key: &Key, purpose: &str, bound: &[&str], content: &[u8]) -> String {
    let Some(current) = key.derived(purpose).next().filter(|_| bound.len() <= MAX_BOUND) else {
        return String::new();
    };
    let sealed = Aes128Siv::new(&current.into()).encrypt(bound.iter().map(|part| part.as_bytes()), content);
    sealed.map(|sealed| URL_SAFE_NO_PAD.encode(sealed)).unwrap_or_default()
}

/// Decrypts a text that [`seal`] made under one of the keys, for the same purpose and bound values.
pub fn open(key: &Key, purpose: &str, bound: &[&str], text: &str) -> Option<Vec<u8>> {
    let sealed = URL_SAFE_NO_PAD.decode(text).ok().filter(|_| bound.len() <= MAX_BOUND)?;
    let open = |key: [u8; 32]| {
        Aes128Siv::new(&key.into()).decrypt(bound.iter().map(|part| part.as_bytes()), &sealed).ok()
    };
    key.derived(purpose).find_map(open)
}
