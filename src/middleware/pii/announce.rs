//! Words that say what the number beside them is.

use super::{
    bytes::{end_of, start_of},
    machine::{Forms, Machine},
};

/// How far before and behind a number a word may announce it, in bytes.
const BEFORE: usize = 56;
const BEHIND: usize = 36;

/// Every form that a word before the number announces.
pub(super) fn before(machine: &Machine, bytes: &[u8], start: usize) -> Forms {
    words_before(machine, bytes, start).fold(0, |told, forms| told | forms)
}

/// The same for words behind it.
pub(super) fn behind(machine: &Machine, bytes: &[u8], end: usize) -> Forms {
    words_behind(machine, bytes, end).fold(0, |told, (forms, _)| told | forms)
}

/// Of some forms those that the nearest word before the number announces, else the nearest behind it.
pub(super) fn nearest(machine: &Machine, bytes: &[u8], start: usize, end: usize, forms: Forms) -> Forms {
    let told = |told: Forms| Some(told & forms).filter(|told| *told != 0);
    if let Some(found) = words_before(machine, bytes, start).find_map(told) {
        return found;
    }
    let behind = words_behind(machine, bytes, end).find_map(|(forms, stop)| Some((told(forms)?, stop)));
    behind.map_or(0, |(found, stop)| {
        // Where a number follows the word, it announces that one.
        let next = end_of(bytes, stop, 12, |byte| !byte.is_ascii_digit());
        if next < stop + 12 && next < bytes.len() { 0 } else { found }
    })
}

/// What each word before the number announces, the nearest first, in its sentence.
fn words_before(machine: &Machine, bytes: &[u8], start: usize) -> impl Iterator<Item = Forms> {
    let floor = start.saturating_sub(BEFORE);
    let mut place = start;
    std::iter::from_fn(move || {
        if place <= floor {
            return None;
        }
        let stop = start_of(bytes, floor, place, BEFORE, |byte| !is_word(byte));
        let word = start_of(bytes, floor, stop, BEFORE, is_word);
        let found = lookup(machine, bytes.get(word..stop).unwrap_or_default());
        place = if ends_sentence(bytes, stop, place) { floor } else { word };
        Some(found)
    })
}

/// What each word behind the number announces, and where the word ends.
fn words_behind(machine: &Machine, bytes: &[u8], end: usize) -> impl Iterator<Item = (Forms, usize)> {
    let ceiling = bytes.len().min(end + BEHIND);
    let window = bytes.get(..ceiling).unwrap_or_default();
    let mut place = end;
    std::iter::from_fn(move || {
        if place >= ceiling {
            return None;
        }
        let word = end_of(window, place, BEHIND, |byte| !is_word(byte));
        // What follows a line's end or a sentence's announces something else.
        let between = window.get(place..word).unwrap_or_default();
        if between.iter().any(|byte| matches!(byte, b'\n' | b';' | b',')) {
            return None;
        }
        place = end_of(window, word, BEHIND, is_word);
        Some((lookup(machine, window.get(word..place).unwrap_or_default()), place))
    })
}

/// Whether a sentence ends between two words; after a period the word before may be an abbreviation.
pub(super) fn ends_sentence(bytes: &[u8], from: usize, to: usize) -> bool {
    let between = bytes.get(from..to).unwrap_or_default();
    between
        .iter()
        .zip(between.iter().skip(1))
        .any(|(sign, next)| matches!(sign, b'.' | b';' | b'!' | b'?') && matches!(next, b' ' | b'\n'))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80 || matches!(byte, b'-' | b'\'')
}

fn lookup(machine: &Machine, word: &[u8]) -> Forms {
    let word = word.strip_suffix(b"'s").unwrap_or(word);
    if word.len() < 2 { 0 } else { machine.words.get(word) }
}
