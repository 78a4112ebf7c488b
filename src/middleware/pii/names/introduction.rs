//! People who introduce themselves: `My name is Thandiwe`. Behind such words a name needs no page that knows it.

use crate::middleware::scan::bytes::{before, start_of};

/// Words behind which a name follows a space.
const PHRASES: [&str; 19] = [
    "name is",
    "name's",
    "i'm called",
    "name ist",
    "ich heiße",
    "ich heisse",
    "m'appelle",
    "nom est",
    "me llamo",
    "nombre es",
    "mi chiamo",
    "nome è",
    "naam is",
    "ik heet",
    "nome é",
    "chamo-me",
    "me chamo",
    "nazywam się",
    "na imię",
];
/// Names of fields behind which a part of a name follows `:`, `=` or quotes.
const FIELDS: [&str; 14] = [
    "first name",
    "last name",
    "given name",
    "family name",
    "surname",
    "first_name",
    "last_name",
    "firstname",
    "lastname",
    "vorname",
    "nachname",
    "prénom",
    "cognome",
    "nazwisko",
];
/// Whether a capital that stands at a place begins a name, since somebody says so right before it.
pub(crate) fn is_introduced(bytes: &[u8], start: usize) -> bool {
    match [before(bytes, start, 2), before(bytes, start, 1)] {
        // What the phrases end with.
        [b's' | b't' | b'd' | b'e' | b'o' | 0xa8 | 0xa9 | 0x99, b' '] => {
            ends_with(bytes, start - 1, &PHRASES)
        }
        [b':' | b'=', b' '] | [_, b':' | b'='] => ends_with_field(bytes, start),
        [b' ' | b':', b'"'] => ends_with_field(bytes, start),
        _ => false,
    }
}

fn ends_with_field(bytes: &[u8], start: usize) -> bool {
    let end = start_of(bytes, 0, start, 5, |byte| matches!(byte, b' ' | b':' | b'=' | b'"'));
    ends_with(bytes, end, &FIELDS)
}

/// Whether one of some words, whatever its case, ends at a place and stands alone.
fn ends_with(bytes: &[u8], end: usize, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let Some(start) = end.checked_sub(word.len()) else { return false };
        bytes.get(start..end).is_some_and(|text| text.eq_ignore_ascii_case(word.as_bytes()))
            && !is_letter_before(bytes, start)
    })
}

fn is_letter_before(bytes: &[u8], place: usize) -> bool {
    let byte = before(bytes, place, 1);
    byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'_'
}
