//! Pseudonyms: values that the application encrypted. `[EMAIL~bhKfVxaU...]` consists of the kind and the encrypted
//! value in base64url.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::scan::{
    byte_class::ByteClass,
    bytes::{at, end_of},
};

/// Maximum length of the name of a kind, in bytes.
const MAX_KIND: usize = 64;
/// The sign between the kind and the value. No other placeholder contains it.
const SIGN: u8 = b'~';
const SIGNS: ByteClass<1> = ByteClass([(SIGN, SIGN)]);
/// Minimum length of an encrypted value, in characters. Shorter texts are not pseudonyms.
const MIN_SEALED: usize = 22;

/// The encryption of values for [`Action::Pseudonym`](crate::Action::Pseudonym), which the application provides.
///
/// Use deterministic authenticated encryption such as AES-SIV (RFC 5297): equal values must have equal pseudonyms.
pub trait Pseudonyms {
    /// Returns the encrypted value, at least 16 bytes long; `kind` is the name in the pseudonym, such as `EMAIL`.
    fn seal(&self, kind: &str, value: &str) -> Vec<u8>;
}

/// A pseudonym in a text, such as `[EMAIL~bhKfVxaU...]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pseudonym<'t> {
    /// The position of the first byte.
    pub start: usize,
    /// The position after the last byte.
    pub end: usize,
    /// The name of the kind, such as `EMAIL`.
    pub kind: &'t str,
    sealed: &'t str,
}

impl<'t> Pseudonym<'t> {
    /// Finds the first pseudonym that begins at `from` or later.
    pub fn next(text: &'t str, from: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut place = from;
        loop {
            let sign = SIGNS.find(bytes, place)?;
            let kind = bytes.get(from..sign)?.iter().rev().take(MAX_KIND);
            let kind = sign - kind.take_while(|byte| is_kind(**byte)).count();
            let end = end_of(bytes, sign + 1, usize::MAX, is_sealed);
            let opened = kind > from && kind < sign && at(bytes, kind - 1) == b'[';
            if opened && end - sign > MIN_SEALED && at(bytes, end) == b']' {
                let (kind, sealed) = (text.get(kind..sign)?, text.get(sign + 1..end)?);
                return Some(Self { start: sign - kind.len() - 1, end: end + 1, kind, sealed });
            }
            place = sign + 1;
        }
    }

    /// Returns the encrypted value; `None` if it is not valid base64url.
    pub fn sealed(&self) -> Option<Vec<u8>> {
        URL_SAFE_NO_PAD.decode(self.sealed).ok()
    }
}

/// Appends a pseudonym.
pub(crate) fn push(kind: &str, sealed: &[u8], out: &mut String) {
    out.push('[');
    out.push_str(kind);
    out.push(char::from(SIGN));
    URL_SAFE_NO_PAD.encode_string(sealed, out);
    out.push(']');
}

fn is_kind(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

fn is_sealed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}
