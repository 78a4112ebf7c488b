//! Names in small letters after words that announce them: `my name is anna schmidt`, `contact: tom`. The words after a
//! name are examined too, because only they distinguish it from other words: `my name is not on the list`.

use crate::{
    pii::names::{
        introduction::{Announced, behind_heisse, phrase_around},
        lexicon::{LEXICON, WordSense},
        name::in_address,
    },
    scan::{
        byte_search::find_any,
        bytes::{at, before, is_capital, is_letter, start_of, word_end},
        finding::Finding,
        kind::Kind,
    },
};

/// Maximum length of a word, in bytes.
const WORD: usize = 32;
/// Maximum number of words of a name, including particles.
const WORDS: usize = 5;
/// Maximum number of words of a name that are not in the lexicon.
const UNKNOWN: usize = 2;
/// Maximum distance, in bytes, between a sign and the name.
pub(crate) const SIGN: usize = 4;
/// Maximum distance, in bytes, between the `m` or `h` of a phrase and the name.
const BEHIND: usize = 12;

/// Returns the first name after a phrase that begins at `from` or later.
pub(crate) fn find(bytes: &[u8], from: usize) -> Option<Finding> {
    let mut found = None;
    find_any(bytes, [b'm', b'h'], from.saturating_sub(BEHIND), bytes.len(), |place| {
        if may_be_phrase(bytes, place) {
            found = behind_letter(bytes, place).filter(|found| found.start >= from);
        }
        found.is_some()
    });
    found
}

/// The letters before and after the `m` of a phrase: `am` and `om` of most, `m'appelle`, *imię*, `I'm called`,
/// *jestem*.
const BESIDE_M: [(&[u8], &[u8]); 5] =
    [(b"ao", b"eo b"), (b" \n\0", b"'\xe2"), (b"i", b"i"), (b"'\x99", b" "), (b"e", b" ")];
/// The same for the `h` of phrases without an `m`: *ik heet*, *ich heisse*, *ich bin*.
const BESIDE_H: [(&[u8], &[u8]); 2] = [(b" ", b"e"), (b"c", b" ")];

/// Returns, for each byte, a bitmask of the rows that contain it.
#[expect(clippy::indexing_slicing, reason = "when it is compiled, or not at all")]
const fn rows(behind: bool) -> [u8; 256] {
    let (mut bits, mut row) = ([0; 256], 0);
    while row < BESIDE_M.len() + BESIDE_H.len() {
        let beside = if row < BESIDE_M.len() { BESIDE_M[row] } else { BESIDE_H[row - BESIDE_M.len()] };
        let mut bytes = if behind { beside.1 } else { beside.0 };
        while let [byte, rest @ ..] = bytes {
            bits[*byte as usize] |= 1 << row;
            bytes = rest;
        }
        row += 1;
    }
    bits
}

static BEFORE_LETTER: [u8; 256] = rows(false);
static BEHIND_LETTER: [u8; 256] = rows(true);
/// The rows of an `m`.
const OF_M: u8 = (1 << BESIDE_M.len()) - 1;

/// Returns whether the letters next to an `m` are those of a phrase. Most words are rejected here. Tables avoid an
/// unpredictable branch for each letter.
#[inline(always)]
fn may_be_phrase(bytes: &[u8], place: usize) -> bool {
    let rows = |table: &[u8; 256], byte: u8| table.get(usize::from(byte)).copied().unwrap_or(0);
    let found = rows(&BEFORE_LETTER, before(bytes, place, 1)) & rows(&BEHIND_LETTER, at(bytes, place + 1));
    found & if at(bytes, place) == b'm' { OF_M } else { !OF_M } != 0
}

/// Returns the name after the phrase of an `m` or `h`.
#[inline(never)]
fn behind_letter(bytes: &[u8], place: usize) -> Option<Finding> {
    let (start, announced) = phrase_around(bytes, place)?;
    name(bytes, start, announced)
}

/// Returns the name after the colon or the `ß` at a position: `contact: tom`, `ich heiße anna`.
pub(crate) fn behind_sign(bytes: &[u8], place: usize) -> Option<Finding> {
    if at(bytes, place) != b':' {
        let heisse = before(bytes, place, 1) == b'i' && at(bytes, place + 1) == 0x9f;
        let start = if heisse { behind_heisse(bytes, place + 2) } else { None };
        return name(bytes, start?, Announced::Own);
    }
    let small = at(bytes, place + 2);
    if !small.is_ascii_lowercase() && small < 0xc3 {
        return None;
    }
    // `nom : anna`
    let end = place - usize::from(before(bytes, place, 1) == b' ');
    let start = start_of(bytes, 0, end, WORD, |byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    let field = bytes.get(start..end).filter(|word| word.len() > 2)?;
    let joined = matches!(before(bytes, start, 1), b'_' | b'-' | b'.' | b'/' | b'<');
    if joined || !LEXICON.has(field, WordSense::NAMED) {
        None
    } else {
        name(bytes, place + 2, Announced::Any)
    }
}

/// Returns the name in small letters that begins at a position.
#[inline(never)]
fn name(bytes: &[u8], start: usize, announced: Announced) -> Option<Finding> {
    let first = Word::read(bytes, start)?;
    let sure = first.sense.is(WordSense::GIVEN) && !first.sense.is(WordSense::DOUBTFUL);
    if first.plain || !sure && announced == Announced::Any {
        return None;
    }
    let (mut end, mut unknown, mut words) = (first.end, usize::from(!first.known), 1);
    let mut place = end;
    let ends = loop {
        let Some(word) = next_word(bytes, place) else { break true };
        if word.sense.is(WordSense::PARTICLE) && words < WORDS {
            (place, words) = (word.end, words + 1);
            continue;
        }
        if word.plain || words == WORDS || !word.known && unknown == UNKNOWN {
            break word.plain;
        }
        unknown += usize::from(!word.known);
        (place, end, words) = (word.end, word.end, words + 1);
    };
    // If other words follow, only the words that the lexicon knows are the name.
    let end = match (ends, sure) {
        (true, _) => end,
        (false, true) => known_end(bytes, first.end),
        (false, false) => return None,
    };
    (!in_address(bytes, end)).then_some(Finding { kind: Kind::Person, start, end })
}

/// Returns the end of the known words after the first word of a name.
fn known_end(bytes: &[u8], first: usize) -> usize {
    let mut end = first;
    while let Some(word) = next_word(bytes, end).filter(|word| word.known) {
        end = word.end;
    }
    end
}

/// A word of a name.
struct Word {
    end: usize,
    sense: WordSense,
    /// Whether it is a known given name or surname.
    known: bool,
    /// Whether it is an everyday word, so that a name ends before it.
    plain: bool,
}

impl Word {
    fn read(bytes: &[u8], start: usize) -> Option<Self> {
        if is_capital(bytes, start) || !is_letter(bytes, start) {
            return None;
        }
        let mut end = word_end(bytes, start, WORD);
        // `mary-jane`, `o'leary`, `o’leary`
        loop {
            let sign = match at(bytes, end) {
                b'\'' | b'-' => 1,
                0xe2 if bytes.get(end..end + 3) == Some("’".as_bytes()) => 3,
                _ => break,
            };
            if end - start > WORD || !is_letter(bytes, end + sign) {
                break;
            }
            end = word_end(bytes, end + sign, WORD);
        }
        let word = bytes.get(start..end)?;
        // `mary-jane` counts as a known name because of `mary`.
        let first = word.split(|byte| *byte == b'-').next().unwrap_or(word);
        let whole = LEXICON.sense(word);
        let sense = if first.len() < word.len() { whole | LEXICON.sense(first) } else { whole };
        let known = sense.is(WordSense::GIVEN) || sense.is(WordSense::SURNAME);
        let part = word.ends_with(b"ed") || word.ends_with(b"ing") || word.ends_with(b"ly");
        let plain = sense.is(WordSense::PLAIN) || !known && (part || sense.is(WordSense::COMMON));
        let word = end - start > 1 && end - start <= WORD && !at(bytes, end).is_ascii_digit();
        word.then_some(Self { end, sense, known, plain })
    }
}

/// Returns the word after a space at a position.
fn next_word(bytes: &[u8], end: usize) -> Option<Word> {
    if at(bytes, end) == b' ' { Word::read(bytes, end + 1) } else { None }
}
