//! The matches of a regular expression in a text.
//!
//! A match depends on at most [`MAX_MATCH`] bytes of the text and on the character before it. So the time is linear
//! in the text, whatever the pattern, and a text that comes in pieces gives what the whole gives.

use regex_lite::Regex;

/// Maximum length of a match, in bytes: a longer one is cut there.
pub const MAX_MATCH: usize = 256;
/// How much of a text is searched at once, in bytes.
const WINDOW: usize = 4 * MAX_MATCH;

/// The first match that begins at `from` or later: its start and its end.
pub(super) fn find_match(regex: &Regex, text: &str, from: usize) -> Option<(usize, usize)> {
    let mut place = from;
    loop {
        let end = boundary(text, place + WINDOW);
        let found = find_in(regex, text, place, end);
        // Near the end of the window a match may be longer than what is seen of it.
        let sure = if end == text.len() { end } else { boundary(text, end - MAX_MATCH) };
        let Some((start, _)) = found.filter(|(start, _)| *start <= sure) else {
            if end == text.len() {
                return None;
            }
            place = sure;
            continue;
        };
        // The match that [`MAX_MATCH`] bytes show, wherever the window began.
        match find_in(regex, text, start, boundary(text, start + MAX_MATCH)) {
            Some((same, end)) if same == start && end > start => return Some((start, end)),
            _ => place = start + text.get(start..)?.chars().next()?.len_utf8(),
        }
    }
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
