//! The encoding of data that a gateway stores or shares: a line of JSON, followed by bytes.

use mcp_sieve::{Error, ErrorKind};
use serde::{Serialize, de::DeserializeOwned};

/// Appends a head and the bytes after it.
pub(super) fn write(head: &impl Serialize, rest: &[u8], out: &mut Vec<u8>) {
    // Serializing these types cannot fail.
    let head = serde_json::to_vec(head).unwrap_or_default();
    out.reserve_exact(head.len() + 1 + rest.len());
    out.extend_from_slice(&head);
    out.push(b'\n');
    out.extend_from_slice(rest);
}

/// Reads a head. Returns it with the bytes after it.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8]), Error> {
    let (head, rest) = split_line(bytes)?;
    let head = serde_json::from_slice(head).map_err(|_| unreadable())?;
    Ok((head, rest))
}

/// Splits bytes after their first line.
pub(super) fn split_line(bytes: &[u8]) -> Result<(&[u8], &[u8]), Error> {
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(unreadable)?;
    let (line, rest) = bytes.split_at_checked(end).ok_or_else(unreadable)?;
    Ok((line, rest.get(1..).unwrap_or_default()))
}

/// Returns the error for other bytes.
pub(super) fn unreadable() -> Error {
    Error::new(ErrorKind::Json, "expected a catalog or lists that another process of the gateway wrote")
}
