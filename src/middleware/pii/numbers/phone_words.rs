//! Words that announce a telephone number, before and after it.

use crate::middleware::{
    pii::names::lexicon::{LEXICON, WordSense},
    scan::bytes::{at, before, start_of, word_end},
};

/// Maximum length, in bytes, of a word that announces a number.
const WORD: usize = 16;
/// Returns whether a byte may separate a number from the word that announces it.
pub(crate) fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b':' | b'=' | b'.' | b'#' | b'"' | b'\'' | b'-' | b'(')
}

/// Returns whether the cell of a table begins after a byte: `| Phone | 9123 4567 |`.
pub(crate) fn is_cell(byte: u8) -> bool {
    matches!(byte, b'|' | b'\t' | b'>' | b';')
}

/// Returns the start of the separators, including HTML tags, between a word and the number after it.
fn separators_before(bytes: &[u8], end: usize) -> usize {
    let mut place = end;
    for _ in 0..TAGS {
        place = start_of(bytes, 0, place, SEPARATORS, |byte| {
            is_between(byte) || matches!(byte, b'|' | b'\t' | b')' | b'_' | b';' | b'[')
        });
        if before(bytes, place, 1) != b'>' {
            break;
        }
        let tag = start_of(bytes, 0, place - 1, TAG, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
        if before(bytes, tag, 1) != b'<' {
            break;
        }
        place = tag - 1;
    }
    place
}

/// Maximum number of separators in a row: `"phones": ["`.
const SEPARATORS: usize = 6;
/// Maximum number of tags between a word and its number, and maximum length of a tag, in bytes.
const TAGS: usize = 4;
const TAG: usize = 24;

/// Whether the tag directly before a position has the name of a telephone: `<tel>9123 4567</tel>`.
fn is_in_tag(bytes: &[u8], place: usize) -> bool {
    if before(bytes, place, 1) != b'>' {
        return false;
    }
    let tag = start_of(bytes, 0, place - 1, TAG, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    let name = bytes.get(tag..word_end(bytes, tag, WORD)).unwrap_or_default();
    before(bytes, tag, 1) == b'<' && LEXICON.has(name, WordSense::PHONE)
}

/// Possessives before *number* that announce the speaker's own number.
const POSSESSIVES: [&[u8]; 9] =
    [b"my", b"mijn", b"meine", b"mon", b"mi", b"meu", "mój".as_bytes(), b"mio", b"mitt"];

/// Words that announce a number only with other words in between, as in `text me at`.
const MESSAGES: [&[u8]; 3] = [b"text", b"sms", b"message"];

/// Returns whether an announcing word precedes a position: `Some(true)` if more than a space is in between.
pub(crate) fn word_before(bytes: &[u8], place: usize) -> Option<bool> {
    if is_in_tag(bytes, place) {
        return Some(true);
    }
    let (mut place, mut sign, mut number) = (place, false, false);
    for _ in 0..4 {
        let stop = separators_before(bytes, place);
        let start = start_of(bytes, 0, stop, WORD, is_letter);
        let word = bytes.get(start..stop).filter(|word| !word.is_empty() && stop < place)?;
        let sense = LEXICON.sense(word);
        sign = sign || bytes.get(stop..place)?.iter().any(|byte| *byte != b' ' && *byte != b'-');
        if sense.is(WordSense::PHONE) {
            return Some(sign);
        }
        // `T: 9123 4567`, `Ph 9123 4567`
        let initial = matches!(word, b"T" | b"M" | b"P" | b"F" | b"H" | b"C" | b"W" | b"O");
        let short = matches!(word, b"Ph" | b"PH" | b"WA");
        if (initial && at(bytes, stop) == b':' || short) && !is_letter(before(bytes, start, 1)) {
            return Some(false);
        }
        // `my number is`
        if number && POSSESSIVES.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            return Some(true);
        }
        // `text me at`
        if number && MESSAGES.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            return Some(true);
        }
        // `phone number is`
        if !sense.is(WordSense::NUMBER) {
            return None;
        }
        number = true;
        (place, sign) = (start, true);
    }
    None
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

/// Maximum number of words between a number with trunk prefix 0 and a word that announces it.
const APART: usize = 8;

/// Whether one of the words before, in the sentence, announces a telephone number.
pub(crate) fn is_in_sentence(bytes: &[u8], place: usize) -> bool {
    let mut place = place;
    for words in 0..APART {
        let stop = start_of(bytes, 0, place, 3, |byte| matches!(byte, b' ' | b',' | b'-' | b':'));
        let start = start_of(bytes, 0, stop, WORD + 8, is_letter);
        let apart = stop < place || words == 0;
        let Some(word) = bytes.get(start..stop).filter(|word| !word.is_empty() && apart) else {
            return false;
        };
        if LEXICON.has(word, WordSense::PHONE) {
            return true;
        }
        place = start;
    }
    false
}

/// Maximum length, in bytes, of a label.
const LABEL: usize = 48;

/// Whether the label of a field before a number has a word that announces a telephone number: `Phone of a guardian: `.
pub(crate) fn is_labelled(bytes: &[u8], place: usize) -> bool {
    let stop = start_of(bytes, 0, place, 2, |byte| byte == b' ');
    if before(bytes, stop, 1) != b':' {
        return false;
    }
    let sign = |byte: u8| matches!(byte, b' ' | b'(' | b')' | b'/' | b'\'');
    let start = start_of(bytes, 0, stop - 1, LABEL, |byte| is_letter(byte) || sign(byte));
    let label = bytes.get(start..stop - 1).unwrap_or_default();
    label.split(|byte| sign(*byte)).any(|word| LEXICON.has(word, WordSense::PHONE))
}

/// Whether one of the next words announces a telephone number: `unter 0221-123 45 67 anrufen`.
pub(crate) fn is_before_word(bytes: &[u8], end: usize) -> bool {
    let mut place = end;
    (0..BEHIND).any(|_| {
        let start = place + usize::from(at(bytes, place) == b' ');
        place = word_end(bytes, start, WORD + 8);
        start < place && bytes.get(start..place).is_some_and(|word| LEXICON.has(word, WordSense::PHONE))
    })
}

/// Maximum distance, in words, between a number and a word after it that announces it.
const BEHIND: usize = 3;
