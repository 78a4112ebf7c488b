//! Finds the part of a text that needs no escape in a JSON string.

use super::lane;

/// Returns the number of bytes at the start of `rest` that need no escape in a JSON string.
pub(crate) fn plain(rest: &[u8]) -> usize {
    let (lanes, tail) = rest.as_chunks();
    for (at, lane) in lanes.iter().enumerate() {
        let length = lane::plain(lane);
        if length < lane::LENGTH {
            return at * lane::LENGTH + length;
        }
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    rest.len() - tail.len() + tail.iter().position(special).unwrap_or(tail.len())
}

/// Returns the same number as [`plain`], but faster for short texts.
#[inline(always)]
pub(in crate::json) fn plain_start(rest: &[u8]) -> usize {
    match rest.first_chunk().map(lane::plain) {
        Some(length) if length < lane::LENGTH => length,
        _ => plain(rest),
    }
}
