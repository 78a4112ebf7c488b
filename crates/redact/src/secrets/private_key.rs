//! Private keys in PEM format, complete or truncated.

use crate::{
    scan::bytes::{at, end_of},
    secrets::rules::SecretMatch,
};

/// Maximum size of a private key, in bytes.
pub(crate) const KEY: usize = 16 * 1024;
/// Maximum length, in bytes, of a header line between the first line and the key; and the maximum number of them.
const HEADER: usize = 128;
const HEADERS: usize = 4;
/// Minimum length, in characters, of every line of a key except the last.
const LINE: usize = 40;

/// Finds the private key that begins at a position, from its first to its last line. A truncated key ends after its
/// last line of Base64.
pub(crate) fn find(bytes: &[u8], place: usize) -> SecretMatch {
    let rest = bytes.get(place..)?;
    let title = rest.strip_prefix(b"-----BEGIN ")?;
    let head = title.iter().take(48).position(|byte| *byte == b'-')?;
    let name = title.get(..head)?;
    let private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    let body = place + 11 + head + 5;
    if !private || !title.get(head..)?.starts_with(b"-----") {
        return None;
    }
    let window = bytes.get(body..bytes.len().min(body + KEY))?;
    let dashes = window.windows(5).position(|five| five == b"-----").unwrap_or(window.len());
    let stop = body + dashes;
    if !bytes.get(stop..).is_some_and(|tail| tail.starts_with(b"-----END ")) {
        return cut_off(bytes.get(..stop)?, body).map(|end| ("private-key", place, end));
    }
    let close = end_of(bytes, stop + 9, 64, |byte| byte.is_ascii_uppercase() || byte == b' ');
    // Documentation mentions a first and a last line without a key between them.
    (dashes >= LINE).then_some(("private-key", place, end_of(bytes, close, 5, |byte| byte == b'-')))
}

/// Returns the end of the lines of a truncated key, if there are any.
fn cut_off(bytes: &[u8], body: usize) -> Option<usize> {
    let (mut place, mut end) = (gap(bytes, body), None);
    for _ in 0..HEADERS {
        place = header(bytes, place).map_or(place, |end| gap(bytes, end));
    }
    loop {
        let stop = end_of(bytes, place, KEY, is_base64);
        let line = bytes.get(place..stop)?;
        // The last line may be shorter, but must not look like a word.
        let last = end.is_some() && (line.len() % 4 == 0 || line.iter().any(u8::is_ascii_digit));
        if line.is_empty() || line.len() < LINE && !last {
            return end;
        }
        end = Some(stop);
        if line.len() < LINE {
            return end;
        }
        place = gap(bytes, stop);
    }
}

/// Returns the end of a header line such as `DEK-Info: AES-128-CBC,0A1B`.
fn header(bytes: &[u8], place: usize) -> Option<usize> {
    let name = end_of(bytes, place, HEADER, |byte| byte.is_ascii_alphabetic() || byte == b'-');
    let end = end_of(bytes, name, HEADER, |byte| byte != b'\n' && byte != b'\\');
    (name > place && at(bytes, name) == b':' && matches!(at(bytes, end), b'\n' | b'\\')).then_some(end)
}

/// Returns the end of the gap between two lines. Line ends may be escaped, as in a string of a program.
fn gap(bytes: &[u8], mut place: usize) -> usize {
    loop {
        place += match at(bytes, place) {
            b'\n' | b'\r' | b' ' | b'\t' => 1,
            b'\\' if matches!(at(bytes, place + 1), b'n' | b'r') => 2,
            _ => return place,
        };
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
