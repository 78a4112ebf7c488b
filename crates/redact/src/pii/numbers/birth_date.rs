//! Dates of birth: dates that a word announces as one.

use crate::{
    pii::{
        names::lexicon::{LEXICON, WordSense},
        numbers::{
            candidates::{is_cell, is_joined_after, is_joined_before},
            columns::Columns,
            context_words::{ends_sentence, with_abbreviation},
            spelled_day,
        },
        settings::Settings,
    },
    scan::{
        bytes::{at, before, digits_end, end_of, start_of, word_end},
        finding::Finding,
        kind::Kind,
    },
};

/// Maximum distance, in bytes, between a date and a word before it that announces it.
const ANNOUNCED: usize = 56;

/// Maximum length of the name of a month, in bytes: `października`.
const LONGEST_MONTH: usize = 14;

/// Finds the date of birth that begins with the token at `start`, or whose day that token is.
pub(crate) fn find(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    start: usize,
    end: usize,
    columns: &mut Columns,
) -> Option<Finding> {
    if !settings.wants(Kind::DateOfBirth) {
        return None;
    }
    let found = match end - start {
        COMPACT => compact_date(bytes, start),
        7 | 9 => joined_date(bytes, start, end),
        1..=4 if may_be_date(bytes, start, end) => date(bytes, floor, start, end),
        _ => None,
    };
    let spelled = || spelled_date(bytes, floor, start, end);
    let (start, end) = found.or_else(spelled)?;
    // `1985-03-14T00:00:00Z`
    let timed = at(bytes, end) == b'T' && at(bytes, end + 1).is_ascii_digit();
    (!is_joined_before(bytes, start)
        && (timed || !is_joined_after(bytes, end) || is_cell(bytes, start, end))
        && (announced(bytes, start, end) || is_below_birth(bytes, start, columns)))
    .then_some(Finding { kind: Kind::DateOfBirth, start, end })
}

/// Returns whether the heading of the column of a date announces a birth.
fn is_below_birth(bytes: &[u8], start: usize, columns: &mut Columns) -> bool {
    let heading = columns.heading(bytes, start).unwrap_or_default();
    heading.split(|byte| !is_word(*byte)).any(|word| LEXICON.has(word, WordSense::BIRTH))
}

/// Number of digits of a date without signs.
const COMPACT: usize = 8;

/// Returns whether a token can be a date without signs: `19850314`, `14MAR85`.
#[inline(always)]
pub(crate) fn may_be_joined(bytes: &[u8], start: usize, end: usize) -> bool {
    match end - start {
        COMPACT => true,
        7 | 9 => at(bytes, start + 2).is_ascii_alphabetic(),
        _ => false,
    }
}

/// Finds a date like `14MAR85` and `14MAR1985`, as airlines write it.
fn joined_date(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let day = digits(bytes, start, start + 2)?;
    let year = digits(bytes, start + 5, end)?;
    let plausible = (1..=31).contains(&day) && (year < 100 || (1880..2100).contains(&year));
    (plausible && is_month(bytes, start + 2, start + 5)).then_some((start, end))
}

/// Finds a date like `19850314` and `14031985`.
fn compact_date(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let fits = |year: usize, others: [usize; 2]| {
        let [one, other] = others.map(|place| digits(bytes, start + place, start + place + 2).unwrap_or(0));
        year_at(bytes, start + year, start + year + 4).is_some()
            && one.min(other) > 0
            && one.min(other) <= 12
            && one.max(other) <= 31
    };
    (fits(0, [4, 6]) || fits(4, [0, 2])).then_some((start, start + COMPACT))
}

/// Returns whether the bytes around a token can belong to a date. Most numbers are rejected here.
fn may_be_date(bytes: &[u8], start: usize, end: usize) -> bool {
    let next = at(bytes, end + 1);
    let sign = at(bytes, end);
    // In numeric dates the sign occurs twice, with a month or a day in between: `3/14/1985`, `14. 3. 1985`.
    let again_as = |sign: u8, from: usize| (from..from + 3).any(|place| at(bytes, place) == sign);
    let again = |from: usize| again_as(sign, from);
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    match sign {
        b'/' | b'-' => {
            // `14/3 1985`
            let year = |from: usize| {
                (from..from + 2)
                    .any(|place| at(bytes, place) == b' ' && matches!(at(bytes, place + 1), b'1' | b'2'))
            };
            (next.is_ascii_digit()
                && (again(end + 2) || sign == b'/' && (again_as(b'-', end + 2) || year(end + 2)))
                || next.is_ascii_alphabetic())
                && !is_joined_before(bytes, start)
        }
        b'.' if next.is_ascii_digit() => again(end + 2) && !is_joined_before(bytes, start),
        b'.' if next == b' ' => {
            let more = at(bytes, end + 2);
            more.is_ascii_digit() && again(end + 3) || letter(more)
        }
        // `14 03 1985`
        b' ' if next.is_ascii_digit() && end - start == 2 && at(bytes, end + 3) == b' ' => true,
        // `March 14, 1985`
        b' ' | b',' if next.is_ascii_digit() || sign == b',' => {
            let gap = |byte: u8| matches!(byte, b' ' | b'.');
            let word = if gap(before(bytes, start, 2)) { 3 } else { 2 };
            let year = end + 1 + usize::from(matches!(next, b' ' | b','));
            matches!(at(bytes, year), b'1' | b'2')
                && gap(before(bytes, start, 1))
                && before(bytes, start, word).is_ascii_alphabetic()
        }
        // `14 - 03 - 1985`, `14 X 1985`
        b' ' if matches!(next, b'-' | b'/' | b'I' | b'V' | b'X') => true,
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
    if !sign && !matches!(ordinal, b"" | b"st" | b"nd" | b"rd" | b"th" | b"er" | b"e" | b"o" | b"ro") {
        return None;
    }
    if ordinal.is_empty()
        && let Some(year) = spaced_or_nordic(bytes, end, first)
    {
        return Some((start, year));
    }
    let sign = at(bytes, token);
    // `14. 3. 1985`
    let gap = usize::from(sign == b'.' && at(bytes, end + 1) == b' ');
    if ordinal.is_empty() && matches!(sign, b'/' | b'-' | b'.') && at(bytes, end + 1 + gap).is_ascii_digit() {
        return date_of_numbers(bytes, start, end, gap);
    }
    // `14 03 1985`
    if sign == b' '
        && end == token
        && end - start == 2
        && at(bytes, end + 3) == b' '
        && let Some(month) = digits(bytes, end + 1, end + 3)
        && let Some(year) = year_at(bytes, end + 4, digits_end(bytes, end + 4, 5))
    {
        let plausible = first.min(month) > 0 && first.min(month) <= 12 && first.max(month) <= 31;
        return plausible.then_some((start, year));
    }
    if matches!(sign, b'-' | b'/') {
        return if ordinal.is_empty() { date_with_short_month(bytes, start, end) } else { None };
    }
    if !(1..=31).contains(&first) {
        return None;
    }
    match year_behind_month(bytes, token) {
        Some(year) => {
            let stop = digits_end(bytes, year, 5);
            year_at(bytes, year, stop).or_else(|| short_year_at(bytes, year)).map(|end| (start, end))
        }
        None => date_behind_month(bytes, floor, start, token),
    }
}

/// Finds a date of numbers with one sign between them, whose first number is from `start` to `end`: `3/14/1985`,
/// `14.03.85`, `1985-03-14`. `gap` is 1 if a space follows the sign.
fn date_of_numbers(bytes: &[u8], start: usize, end: usize, gap: usize) -> Option<(usize, usize)> {
    let (sign, middle) = (at(bytes, end), end + 1 + gap);
    // `14-03-'85`
    let quote = |place: usize| place + usize::from(at(bytes, place) == b'\'' && sign != b'.');
    let second = digits_end(bytes, middle, 3);
    let last = quote(second + 1 + usize::from(gap > 0 && at(bytes, second + 1) == b' '));
    let third = digits_end(bytes, last, 5);
    let numbers = [digits(bytes, start, end)?, digits(bytes, middle, second)?, digits(bytes, last, third)?];
    let day = |number: u32| (1..=31).contains(&number);
    let (year, of_year) = match numbers {
        _ if at(bytes, second) != sign => return None,
        [year, month, of_month] if end - start == 4 => (year, day(month) && day(of_month) && month <= 12),
        [day_or_month, other, year] if matches!(third - last, 2 | 4) => {
            (year, day(day_or_month) && day(other) && day_or_month.min(other) <= 12)
        }
        _ => return None,
    };
    (of_year && (year < 100 || (1880..2100).contains(&year))).then_some((start, third))
}

/// Finds a date with the name of a month between two signs, whose first number is from `start` to `end`: `14-Mar-1985`,
/// `1985-Mar-14`.
fn date_with_short_month(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let stop = word_end(bytes, end + 1, LONGEST_MONTH);
    if at(bytes, stop) != at(bytes, end) || !is_month(bytes, end + 1, stop) {
        return None;
    }
    let last = digits_end(bytes, stop + 1, 5);
    let day = || digits(bytes, stop + 1, last).is_some_and(|day| (1..=31).contains(&day));
    if end - start == 4 && year_at(bytes, start, end).is_some() && day() {
        return Some((start, last));
    }
    year_at(bytes, stop + 1, last).or_else(|| short_year_at(bytes, stop + 1)).map(|end| (start, end))
}

/// Returns the position of the digits after the month that follows a day: `14 March 1985`, `14th of March, 1985`,
/// `14. März '85`.
fn year_behind_month(bytes: &[u8], day: usize) -> Option<usize> {
    let month = behind_of(bytes, end_of(bytes, day, 2, |byte| byte == b' ' || byte == b'.'));
    let month_end = word_end(bytes, month, LONGEST_MONTH);
    // A missing year is faster to detect than a missing month.
    let year = behind_of(bytes, end_of(bytes, month_end, 3, |byte| matches!(byte, b' ' | b',' | b'.')));
    let year = year + usize::from(at(bytes, year) == b'\'');
    (at(bytes, year).is_ascii_digit() && is_month(bytes, month, month_end)).then_some(year)
}

/// Finds a date whose month precedes the day from `start` to `end`: `March 14, 1985`, `March the 14th, 1985`.
fn date_behind_month(bytes: &[u8], floor: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    let year = end_of(bytes, end, 2, |byte| matches!(byte, b' ' | b','));
    let stop = start_of(bytes, floor, start, 2, |byte| byte == b' ' || byte == b'.');
    let the = stop > floor + 4 && bytes.get(stop - 4..stop) == Some(b" the");
    let stop = if the { stop - 4 } else { stop };
    if stop == start || !at(bytes, year).is_ascii_digit() {
        return None;
    }
    let word = start_of(bytes, floor, stop, 12, |byte| byte.is_ascii_alphabetic());
    if !is_month(bytes, word, stop) {
        return None;
    }
    year_at(bytes, year, digits_end(bytes, year, 5)).map(|end| (word, end))
}

/// Finds a date whose day is in words, and whose year is the token: `fourth of March 1948`.
fn spelled_date(bytes: &[u8], floor: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    if !spelled_day::may_end_at(bytes, start, end) {
        return None;
    }
    let year = year_at(bytes, start, end)?;
    let from = spelled_day::date_before(bytes, floor, start, |start, end| is_month(bytes, start, end))?;
    Some((from, year))
}

/// Returns the end of a date whose day ends at a position, with spaced signs, or as in the Nordic countries:
/// `14 - 03 - 1985`, `14/3 1985`, `14/3-1985`.
fn spaced_or_nordic(bytes: &[u8], end: usize, day: u32) -> Option<usize> {
    let spaced = at(bytes, end) == b' ';
    let sign = at(bytes, end + usize::from(spaced));
    if !matches!(sign, b'/' | b'-') || spaced && at(bytes, end + 2) != b' ' {
        return None;
    }
    let middle = end + if spaced { 3 } else { 1 };
    let stop = digits_end(bytes, middle, 3);
    let last = match bytes.get(stop..)? {
        [b' ', again, b' ', ..] if spaced && *again == sign => stop + 3,
        [b' ' | b'-', ..] if !spaced && sign == b'/' => stop + 1,
        _ => return None,
    };
    let month = digits(bytes, middle, stop)?;
    let plausible = day.min(month) > 0 && day.min(month) <= 12 && day.max(month) <= 31;
    if plausible { year_at(bytes, last, digits_end(bytes, last, 5)) } else { None }
}

/// Returns the position after the word *of*, if it is at `place`; otherwise `place`: `14th of March`,
/// `14 de marzo de 1985`.
fn behind_of(bytes: &[u8], place: usize) -> usize {
    match bytes.get(place..).unwrap_or_default() {
        [b'o', b'f', b' ', ..] | [b'd', b'e', b' ', ..] => place + 3,
        [b'd', b'e', b'l', b' ', ..] => place + 4,
        _ => place,
    }
}

fn digits(bytes: &[u8], start: usize, end: usize) -> Option<u32> {
    let digits = bytes.get(start..end).filter(|digits| !digits.is_empty() && digits.len() <= 4)?;
    digits
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}

fn year_at(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    (1880..2100).contains(&digits(bytes, start, end)?).then_some(end)
}

/// Finds a year of two digits, as in `5 Oct 72`, where nothing else follows that makes them a time or an amount.
fn short_year_at(bytes: &[u8], start: usize) -> Option<usize> {
    let end = digits_end(bytes, start, 3);
    (end == start + 2 && !is_joined_after(bytes, end)).then_some(end)
}

/// Months as Roman numerals.
const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

fn is_month(bytes: &[u8], start: usize, end: usize) -> bool {
    // No name is shorter than `Mai`; Roman numerals are written in Poland, Hungary and Italy.
    bytes.get(start..end).is_some_and(|word| {
        if word.len() > 2 && LEXICON.has(word, WordSense::MONTH) {
            return true;
        }
        let numeral = word.iter().all(|byte| matches!(byte, b'I' | b'V' | b'X'));
        numeral && ROMAN.iter().any(|known| known.as_bytes() == word)
    })
}

/// Returns whether a word before the date in its sentence, or directly after it, announces a birth; or a sign
/// (`*14.3.1985`).
fn announced(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_birth = |word: &[u8]| LEXICON.has(word, WordSense::BIRTH);
    // `D.O.B. 14/3/1985`, `D.N. 14/3/1985`
    let is_short = |word: &[u8]| is_birth(word) || word.eq_ignore_ascii_case(b"dn");
    if with_abbreviation(bytes, start, is_short) == Some(true) {
        return true;
    }
    let floor = start.saturating_sub(ANNOUNCED);
    let mut place = start;
    // The words between the date and the one before, if there is one: a birth is announced for the nearest date, and
    // for more of them in a series such as `14.3.1985 and 2.5.1987`.
    let mut between: &[u8] = b"";
    while place > floor {
        let stop = start_of(bytes, floor, place, ANNOUNCED, |byte| !is_word(byte));
        let signs = bytes.get(stop..place).unwrap_or_default();
        let is_dated = is_end_of_date(signs) && !is_year_of(signs, bytes.get(start..end).unwrap_or_default());
        if is_dated && !SERIES.contains(&between.trim_ascii()) {
            break;
        }
        let word = start_of(bytes, floor, stop, ANNOUNCED, is_word);
        // `D.O.B. given as 14/3/1985`
        let spelled =
            || bytes.get(word.saturating_sub(4)..stop).is_some_and(|dob| dob.eq_ignore_ascii_case(b"d.o.b"));
        if bytes.get(word..stop).is_some_and(is_birth) || stop == word + 1 && spelled() {
            return true;
        }
        if bytes
            .get(word..stop)
            .is_some_and(|word| EVENTS.iter().any(|of| of.as_bytes().eq_ignore_ascii_case(word)))
        {
            break;
        }
        between = bytes.get(word..start).unwrap_or_default();
        // The periods of `geb.dat. 14.3.1985` and `Geb.-Dat. 14.3.1985` end no sentence.
        let abbreviated = matches!(before(bytes, word, 1), b'.' | b'-') || place == start && stop - word < 5;
        if !abbreviated && ends_sentence(bytes, stop, place, start) {
            break;
        }
        place = word;
    }
    let word = end_of(bytes, end, 2, |byte| byte == b' ' || byte == b'(');
    let stop = end_of(bytes, word, 12, is_word);
    // `Patient, * 14.3.1985`, `Patient (b. 14/3/1985)`
    let text = bytes.get(..start).unwrap_or_default();
    SIGNS.iter().any(|sign| text.ends_with(sign) || sign.strip_prefix(b"\n") == Some(text))
        // Two of them, or one on either side, are Markdown.
        || before(bytes, start, 1) == b'*' && before(bytes, start, 2) != b'*' && at(bytes, end) != b'*'
        || bytes.get(word..stop).is_some_and(is_birth)
        || is_birth_behind(bytes, stop)
}

/// The words between two dates of a series.
const SERIES: [&[u8]; 8] = [b"and", b"und", b"et", b"y", b"e", b"en", b"i", b"or"];

/// Returns whether the signs between two words have the digits of a date: its year, or all of it. A postal code is
/// none.
fn is_end_of_date(signs: &[u8]) -> bool {
    let runs = signs.split(|byte| !byte.is_ascii_digit()).map(<[u8]>::len);
    runs.filter(|run| *run <= 4 || *run == COMPACT).sum::<usize>() >= 4
}

/// Words between a birth and the date of something else: `her birth was registered on 4 June 2015`.
const EVENTS: [&str; 22] = [
    "registered",
    "released",
    "recorded",
    "issued",
    "died",
    "married",
    "joined",
    "expires",
    "opened",
    "founded",
    "published",
    "gestorben",
    "heiratete",
    "ausgestellt",
    "décédé",
    "décédée",
    "mariée",
    "murió",
    "referendum",
    "overleden",
    "zmarł",
    "död",
];

/// Returns whether the only date among some signs is the year of a date: `born in 1985, on 14.3.1985`.
fn is_year_of(signs: &[u8], date: &[u8]) -> bool {
    let mut runs = signs.split(|byte| !byte.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.next().is_some_and(|year| year.len() == 4 && (date.ends_with(year) || date.starts_with(year)))
        && runs.next().is_none()
}

/// The signs before a date of birth in lists of people.
const SIGNS: [&[u8]; 12] = [
    b", * ", b"(* ", b"\n* ", b"\nb. ", b"\nf. ", b"\nb: ", b"(b. ", b", b. ", b"/ b. ", b", f. ", b"(f. ",
    b", n. ",
];

/// Maximum number of words between a date and a word after it that announces it, and maximum length of each, in bytes.
const BEHIND: usize = 5;
const LONGEST_WORD: usize = 16;

/// Returns whether one of the next words announces a birth: `14.3.1985 in Köln geboren`, `14/3/1985 is my birthday`.
fn is_birth_behind(bytes: &[u8], end: usize) -> bool {
    let mut place = end;
    (0..BEHIND).any(|_| {
        // `14.3.1985, geboren in Köln`
        let start = end_of(bytes, place, 3, |byte| matches!(byte, b' ' | b',' | b'=' | b'(' | b'-'));
        place = end_of(bytes, start, LONGEST_WORD, is_word);
        start < place && bytes.get(start..place).is_some_and(|word| LEXICON.has(word, WordSense::BIRTH))
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}
