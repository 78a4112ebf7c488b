//! Passwords of connection strings.

use crate::middleware::{
    scan::bytes::{at, end_of, start_of},
    secrets::{assignment::is_plausible_password, rules::SecretMatch},
};

/// Longest name and password of a connection string, in bytes.
const CREDENTIALS: usize = 256;

/// The password of `scheme://name:password@host`, by the colon before it: the name is looked at for itself, as it may be
/// a token or look like a placeholder.
pub(crate) fn connection(bytes: &[u8], place: usize) -> SecretMatch {
    let part = |byte: u8| {
        byte > b' '
            && !matches!(
                byte,
                b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'{' | b'}' | b'$'
            )
    };
    let name = start_of(bytes, 0, place, CREDENTIALS, |byte| part(byte) && byte != b':');
    if at(bytes, place) != b':' || !bytes.get(..name)?.ends_with(b"://") {
        return None;
    }
    let behind = bytes.get(place + 1..end_of(bytes, name, CREDENTIALS, part))?;
    let password = behind.get(..behind.iter().rposition(|byte| *byte == b'@')?)?;
    is_plausible_password(password).then_some(("connection-password", place + 1, place + 1 + password.len()))
}
