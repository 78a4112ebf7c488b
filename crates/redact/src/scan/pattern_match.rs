//! The matches of a regular expression in a text.
//!
//! A match depends on at most [`MAX_MATCH`] bytes of the text and on the character before it. So for any pattern, the
//! time is linear in the length of the text, and a text in pieces has the same matches as the whole.

use regex_lite::Regex;

/// Maximum length of a match, in bytes. A longer match is cut there.
pub(super) const MAX_MATCH: usize = 256;
/// Maximum length, in bytes, of a match that needs a word before it or a checksum. It is lower because such a match is
/// tried at every word.
pub(super) const MAX_CHECKED: usize = 48;

/// Returns the start and the end of the first match that begins at `from` or later. A match is cut after `most` bytes.
pub(super) fn find_match(regex: &Regex, text: &str, from: usize, most: usize) -> Option<(usize, usize)> {
    let mut place = from;
    loop {
        // The end of the window that is searched at once.
        let end = boundary(text, place + 4 * most);
        let found = find_in(regex, text, place, end);
        // A match that begins near the end of the window may continue beyond it.
        let sure = if end == text.len() { end } else { boundary(text, end - most) };
        let Some((start, _)) = found.filter(|(start, _)| *start <= sure) else {
            if end == text.len() {
                return None;
            }
            place = sure;
            continue;
        };
        match match_at(regex, text, start, most) {
            Some(end) => return Some((start, end)),
            None => place = start + text.get(start..)?.chars().next()?.len_utf8(),
        }
    }
}

/// Returns the end of the match that begins exactly at `start`, searching only `most` bytes. The result does not depend
/// on the position of a window.
pub(super) fn match_at(regex: &Regex, text: &str, start: usize, most: usize) -> Option<usize> {
    let (same, end) = find_in(regex, text, start, boundary(text, start + most))?;
    (same == start && end > start).then_some(end)
}

/// Returns the start and the end of the first match between two positions. The expression also sees the character
/// before them, which decides about a word boundary.
fn find_in(regex: &Regex, text: &str, from: usize, end: usize) -> Option<(usize, usize)> {
    let before = boundary(text, from.saturating_sub(1));
    let found = regex.find_at(text.get(before..end)?, from - before)?;
    Some((before + found.start(), before + found.end()))
}

/// Returns the last character boundary at or before a position.
fn boundary(text: &str, place: usize) -> usize {
    let mut place = place.min(text.len());
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place
}
