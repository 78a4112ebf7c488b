//! Phrases that introduce a person: `My name is Thandiwe`. A name after such a phrase need not be in the lexicon.

use crate::scan::bytes::{before, start_of};

/// The kind of name that follows a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Announced {
    /// The name of the speaker.
    Own,
    /// Any name. In small letters, it is accepted only after a possessive such as *my*, because things have names too.
    Any,
}

/// Phrases that precede a name, each split before its letter `m` or `h`. Names in small letters are found by this
/// letter.
const PHRASES: [(&str, &str, Announced); 27] = [
    ("na", "me is", Announced::Any),
    ("na", "me's", Announced::Any),
    ("na", "me’s", Announced::Any),
    ("i'", "m called", Announced::Own),
    ("i’", "m called", Announced::Own),
    ("i a", "m called", Announced::Own),
    ("na", "me ist", Announced::Any),
    ("na", "me lautet", Announced::Any),
    ("vorna", "me ist", Announced::Any),
    ("nachna", "me ist", Announced::Any),
    ("ich heiße", "", Announced::Own),
    ("ich ", "heisse", Announced::Own),
    ("", "m'appelle", Announced::Own),
    ("", "m’appelle", Announced::Own),
    ("no", "m est", Announced::Any),
    ("préno", "m est", Announced::Any),
    ("me lla", "mo", Announced::Own),
    ("no", "mbre es", Announced::Any),
    ("mi chia", "mo", Announced::Own),
    ("no", "me è", Announced::Any),
    ("naa", "m is", Announced::Any),
    ("ik ", "heet", Announced::Own),
    ("no", "me é", Announced::Any),
    ("cha", "mo-me", Announced::Own),
    ("me cha", "mo", Announced::Own),
    ("nazywa", "m się", Announced::Own),
    ("na i", "mię", Announced::Own),
];
/// Phrases that precede a known given name in small letters: `i am anna`. Any word can follow them, so they do not
/// announce unknown names with a capital.
const WEAK_PHRASES: [(&str, &str); 5] =
    [("i a", "m"), ("i'", "m"), ("i’", "m"), ("jeste", "m"), ("ic", "h bin")];
/// Names of fields that contain a part of a name, after `:`, `=` or quotes.
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
/// Possessive words before *name*.
const POSSESSIVES: [&str; 16] = [
    "my", "his", "her", "mein", "sein", "ihr", "mon", "son", "mi", "su", "mio", "suo", "mijn", "meu", "seu",
    "i'm",
];
/// Words between a possessive and *name*.
const PARTS: [&str; 7] = ["full", "first", "last", "real", "given", "family", "middle"];

/// Returns whether a phrase or the name of a field directly before a capital introduces a name.
pub(crate) fn is_introduced(bytes: &[u8], start: usize) -> bool {
    match [before(bytes, start, 2), before(bytes, start, 1)] {
        // The last bytes of the phrases.
        [b's' | b't' | b'd' | b'e' | b'o' | 0xa8 | 0xa9 | 0x99, b' '] => is_behind_phrase(bytes, start - 1),
        [b':' | b'=', b' '] | [_, b':' | b'='] => ends_with_field(bytes, start),
        [b' ' | b':', b'"'] => ends_with_field(bytes, start),
        _ => false,
    }
}

/// Returns whether a phrase ends at a position.
fn is_behind_phrase(bytes: &[u8], end: usize) -> bool {
    // Most words have other endings, so no phrase is compared.
    let ending = matches!(
        [before(bytes, end, 2), before(bytes, end, 1)],
        [b'i' | b'\'' | 0x99, b's']
            | [b'e', b'd' | b's' | b't']
            | [b's', b't' | b'e']
            | [b'l' | b'm' | 0x9f, b'e']
            | [b'm', b'o']
            | [0xc3, 0xa8 | 0xa9]
            | [0xc4, 0x99]
    );
    ending
        && PHRASES.iter().any(|(head, tail, _)| {
            let middle = end.saturating_sub(tail.len());
            is_text(bytes, middle, tail) && ends_with(bytes, middle, head)
        })
}

/// Returns the position after *ich heiße* and a space, a phrase without `m`. `place` is the position after its `ß`.
pub(crate) fn behind_heisse(bytes: &[u8], place: usize) -> Option<usize> {
    (is_text(bytes, place, "e ") && ends_with(bytes, place, "ich heiß")).then_some(place + 2)
}

/// Returns the position after a phrase with its `m` or `h` at `place`, and how certain it is that a name follows.
pub(crate) fn phrase_around(bytes: &[u8], place: usize) -> Option<(usize, Announced)> {
    PHRASES
        .iter()
        .find_map(|(head, tail, announced)| {
            let end = place + tail.len();
            let found = !tail.is_empty()
                && before(bytes, end + 1, 1) == b' '
                && is_text(bytes, place, tail)
                && ends_with(bytes, place, head);
            found.then(|| (end + 1, owned(bytes, place - head.len(), *announced)))
        })
        .or_else(|| {
            WEAK_PHRASES.iter().find_map(|(head, tail)| {
                let end = place + tail.len();
                let found = before(bytes, end + 1, 1) == b' '
                    && is_text(bytes, place, tail)
                    && ends_with(bytes, place, head);
                found.then_some((end + 1, Announced::Any))
            })
        })
}

/// Returns [`Announced::Own`] if a possessive such as *my* precedes a phrase, and `announced` otherwise.
fn owned(bytes: &[u8], phrase: usize, announced: Announced) -> Announced {
    let word = |end: usize| {
        let end = end.saturating_sub(1);
        let start = start_of(bytes, 0, end, 8, |byte| byte.is_ascii_alphabetic() || byte == b'\'');
        (start, bytes.get(start..end).unwrap_or_default())
    };
    let is =
        |words: &[&str], word: &[u8]| words.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word));
    let (start, first) = word(phrase);
    let possessive = if is(&PARTS, first) { word(start).1 } else { first };
    if is(&POSSESSIVES, possessive) { Announced::Own } else { announced }
}

fn ends_with_field(bytes: &[u8], start: usize) -> bool {
    let end = start_of(bytes, 0, start, 5, |byte| matches!(byte, b' ' | b':' | b'=' | b'"'));
    // The last letters of the field names.
    let ending = [before(bytes, end, 2) | 0x20, before(bytes, end, 1) | 0x20];
    matches!(&ending, b"me" | b"om" | b"ko") && FIELDS.iter().any(|word| ends_with(bytes, end, word))
}

/// Returns whether a whole word, in any case, ends at a position.
fn ends_with(bytes: &[u8], end: usize, word: &str) -> bool {
    let Some(start) = end.checked_sub(word.len()) else { return false };
    is_text(bytes, start, word) && !is_letter_before(bytes, start)
}

/// Returns whether a text, in any case, begins at a position.
fn is_text(bytes: &[u8], start: usize, text: &str) -> bool {
    bytes.get(start..start + text.len()).is_some_and(|found| found.eq_ignore_ascii_case(text.as_bytes()))
}

fn is_letter_before(bytes: &[u8], place: usize) -> bool {
    let byte = before(bytes, place, 1);
    byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'_'
}
