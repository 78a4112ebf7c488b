//! Dates of birth: dates that a word announces as one.

use crate::middleware::{
    pii::{
        names::lexicon::{LEXICON, WordSense},
        numbers::{
            candidates::{is_joined_after, is_joined_before},
            context_words::{ends_sentence, with_abbreviation},
        },
        settings::Settings,
    },
    scan::{
        bytes::{at, before, digits_end, end_of, start_of, word_end},
        finding::Finding,
        kind::Kind,
    },
};

/// How far before a date its word may stand, in bytes.
const ANNOUNCED: usize = 40;

/// Maximum length of the name of a month, in bytes: `października`.
const LONGEST_MONTH: usize = 14;

/// Finds the date of birth that begins with the token at `start`, or whose day that token is.
pub(crate) fn find(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    start: usize,
    end: usize,
) -> Option<Finding> {
    if !matches!(end - start, 1..=4) || !may_be_date(bytes, start, end) || !settings.wants(Kind::DateOfBirth)
    {
        return None;
    }
    let (start, end) = date(bytes, floor, start, end)?;
    (!is_joined_before(bytes, start) && !is_joined_after(bytes, end) && announced(bytes, start, end))
        .then_some(Finding { kind: Kind::DateOfBirth, start, end })
}

/// Whether what stands around a token can belong to a date. Most numbers are passed by here.
fn may_be_date(bytes: &[u8], start: usize, end: usize) -> bool {
    let next = at(bytes, end + 1);
    let sign = at(bytes, end);
    // In numbers the sign stands twice, with a month or a day between: `3/14/1985`, `14. 3. 1985`.
    let again = |from: usize| (from..from + 3).any(|place| at(bytes, place) == sign);
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    match sign {
        b'/' | b'-' => {
            (next.is_ascii_digit() && again(end + 2) || next.is_ascii_alphabetic())
                && !is_joined_before(bytes, start)
        }
        b'.' if next.is_ascii_digit() => again(end + 2) && !is_joined_before(bytes, start),
        b'.' if next == b' ' => {
            let more = at(bytes, end + 2);
            more.is_ascii_digit() && again(end + 3) || letter(more)
        }
        // `March 14, 1985`
        b' ' | b',' if next.is_ascii_digit() || sign == b',' => {
            let gap = |byte: u8| matches!(byte, b' ' | b'.');
            let word = if gap(before(bytes, start, 2)) { 3 } else { 2 };
            let year = end + 1 + usize::from(matches!(next, b' ' | b','));
            matches!(at(bytes, year), b'1' | b'2')
                && gap(before(bytes, start, 1))
                && before(bytes, start, word).is_ascii_alphabetic()
        }
        // No month is shorter than three letters: `14 May`, `14 of May`.
        b' ' if next.is_ascii_alphabetic() => {
            let third = at(bytes, end + 3);
            third.is_ascii_alphabetic() || third >= 0x80 || behind_of(bytes, end + 1) > end + 1
        }
        b'.' => letter(next) || next == b'.',
        b' ' => next >= 0x80 || matches!(next, b' ' | b'.' | b','),
        // `14º de`
        byte => byte >= 0x80,
    }
}

/// Returns the start and the end of a date around the token from `start` to `end`, in any notation.
pub(crate) fn date(bytes: &[u8], floor: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    let token = end;
    let end = digits_end(bytes, start, 5);
    let first = digits(bytes, start, end)?;
    // `14th`, `1er` and `1º` are days.
    let sign = at(bytes, end) == 0xc2 && matches!(at(bytes, end + 1), 0xba | 0xb0);
    let token = if token == end && sign { end + 2 } else { token };
    let ordinal = bytes.get(end..token).unwrap_or_default();
    if !sign && !matches!(ordinal, b"" | b"st" | b"nd" | b"rd" | b"th" | b"er" | b"e") {
        return None;
    }
    // Numbers: `3/14/1985`, `14.03.85`, `1985-03-14`.
    let sign = at(bytes, token);
    // `14. 3. 1985`
    let gap = usize::from(sign == b'.' && at(bytes, end + 1) == b' ');
    let middle = end + 1 + gap;
    if ordinal.is_empty() && matches!(sign, b'/' | b'-' | b'.') && at(bytes, middle).is_ascii_digit() {
        let second = digits_end(bytes, middle, 3);
        let last = second + 1 + usize::from(gap > 0 && at(bytes, second + 1) == b' ');
        let third = digits_end(bytes, last, 5);
        let numbers = [first, digits(bytes, middle, second)?, digits(bytes, last, third)?];
        let day = |number: u32| (1..=31).contains(&number);
        let [year, others] = match numbers {
            _ if at(bytes, second) != sign => return None,
            [year, month, of_month] if end - start == 4 => {
                [year, u32::from(day(month) && day(of_month) && month <= 12)]
            }
            [day_or_month, other, year] if matches!(third - last, 2 | 4) => {
                [year, u32::from(day(day_or_month) && day(other) && day_or_month.min(other) <= 12)]
            }
            _ => return None,
        };
        let plausible = others == 1 && (year < 100 || (1880..2100).contains(&year));
        return plausible.then_some((start, third));
    }
    // `14-Mar-1985`
    if matches!(sign, b'-' | b'/') {
        let stop = word_end(bytes, token + 1, LONGEST_MONTH);
        let month = at(bytes, stop) == sign && ordinal.is_empty() && is_month(bytes, token + 1, stop);
        return if month { year_at(bytes, stop + 1).map(|end| (start, end)) } else { None };
    }
    // `14 March 1985`, `14th of March, 1985`, `14. März 1985`
    let month = end_of(bytes, token, 2, |byte| byte == b' ' || byte == b'.');
    let month = behind_of(bytes, month);
    let month_end = word_end(bytes, month, LONGEST_MONTH);
    // A missing year is faster to detect than a missing month.
    let year = behind_of(bytes, end_of(bytes, month_end, 3, |byte| matches!(byte, b' ' | b',' | b'.')));
    let day = (1..=31).contains(&first);
    if day && at(bytes, year).is_ascii_digit() && is_month(bytes, month, month_end) {
        return year_at(bytes, year).map(|end| (start, end));
    }
    // `March 14, 1985`
    let year = end_of(bytes, token, 2, |byte| matches!(byte, b' ' | b','));
    let stop = start_of(bytes, floor, start, 2, |byte| byte == b' ' || byte == b'.');
    if !day || stop == start || !at(bytes, year).is_ascii_digit() {
        return None;
    }
    let word = start_of(bytes, floor, stop, 12, |byte| byte.is_ascii_alphabetic());
    if is_month(bytes, word, stop) { year_at(bytes, year).map(|end| (word, end)) } else { None }
}

/// Returns the position after the word *of*, if it is at `place`; otherwise `place`: `14th of March`,
/// `14 de marzo de 1985`.
fn behind_of(bytes: &[u8], place: usize) -> usize {
    match bytes.get(place..).unwrap_or_default() {
        [b'o', b'f', b' ', ..] | [b'd', b'e', b' ', ..] => place + 3,
        _ => place,
    }
}

fn digits(bytes: &[u8], start: usize, end: usize) -> Option<u32> {
    let digits = bytes.get(start..end).filter(|digits| !digits.is_empty() && digits.len() <= 4)?;
    digits
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}

fn year_at(bytes: &[u8], start: usize) -> Option<usize> {
    let end = digits_end(bytes, start, 5);
    (1880..2100).contains(&digits(bytes, start, end)?).then_some(end)
}

fn is_month(bytes: &[u8], start: usize, end: usize) -> bool {
    // No month is shorter than `Mai`.
    bytes.get(start..end).is_some_and(|word| word.len() > 2 && LEXICON.has(word, WordSense::MONTH))
}

/// Returns whether a word before the date in its sentence, or directly after it, announces a birth; or a sign
/// (`*14.3.1985`).
fn announced(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_birth = |word: &[u8]| LEXICON.has(word, WordSense::BIRTH);
    // `D.O.B. 14/3/1985`
    if with_abbreviation(bytes, start, is_birth) == Some(true) {
        return true;
    }
    let floor = start.saturating_sub(ANNOUNCED);
    let mut place = start;
    while place > floor {
        let stop = start_of(bytes, floor, place, ANNOUNCED, |byte| !is_word(byte));
        let word = start_of(bytes, floor, stop, ANNOUNCED, is_word);
        if bytes.get(word..stop).is_some_and(is_birth) {
            return true;
        }
        // The period of `geb.dat. 14.3.1985` ends no sentence.
        if before(bytes, word, 1) != b'.' && ends_sentence(bytes, stop, place, start) {
            break;
        }
        place = word;
    }
    let word = end_of(bytes, end, 2, |byte| byte == b' ' || byte == b'(');
    let stop = end_of(bytes, word, 12, is_word);
    // `Patient, * 14.3.1985`
    bytes.get(..start).is_some_and(|text| text.ends_with(b", * "))
        // Two of them, or one on either side, are Markdown.
        || before(bytes, start, 1) == b'*' && before(bytes, start, 2) != b'*' && at(bytes, end) != b'*'
        || bytes.get(word..stop).is_some_and(is_birth)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}
