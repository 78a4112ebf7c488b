//! The matches of a regular expression in a text.
//!
//! A match depends on at most [`MAX_MATCH`] bytes of the text and on the character before it. So the time is linear
//! in the text, whatever the pattern, and a text that comes in pieces gives what the whole gives.

use regex_lite::Regex;

/// Maximum length of a match, in bytes: a longer one is cut there.
pub const MAX_MATCH: usize = 256;
/// Maximum length of a match that must have a word before it or a checksum, in bytes: it is tried at every word of a text.
pub const MAX_CHECKED: usize = 48;

/// The first match that begins at `from` or later: its start and its end. It is cut after `most` bytes.
pub(super) fn find_match(regex: &Regex, text: &str, from: usize, most: usize) -> Option<(usize, usize)> {
    let mut place = from;
    loop {
        // How much of a text is searched at once.
        let end = boundary(text, place + 4 * most);
        let found = find_in(regex, text, place, end);
        // Near the end of the window a match may be longer than what is seen of it.
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

/// The end of the match at a place that `most` bytes show, wherever a window begins.
pub(super) fn match_at(regex: &Regex, text: &str, start: usize, most: usize) -> Option<usize> {
    let (same, end) = find_in(regex, text, start, boundary(text, start + most))?;
    (same == start && end > start).then_some(end)
}

/// The first match between two places. The character before the first is looked at too: a word may begin behind it.
fn find_in(regex: &Regex, text: &str, from: usize, end: usize) -> Option<(usize, usize)> {
    let before = boundary(text, from.saturating_sub(1));
    let found = regex.find_at(text.get(before..end)?, from - before)?;
    Some((before + found.start(), before + found.end()))
}

/// The boundary of a character at a place or before it.
fn boundary(text: &str, place: usize) -> usize {
    let mut place = place.min(text.len());
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place
}
