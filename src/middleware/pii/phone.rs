//! Telephone numbers with a country code, or after a word that announces them. National formats are in the table of
//! numbers.

use crate::middleware::{
    pii::{
        names::lexicon::{LEXICON, WordSense},
        numbers::{
            answer::question_before,
            birth_date,
            candidates::{is_cell, is_joined_after, is_joined_before},
            columns::Columns,
            lookalikes::is_of_other,
            phone_groups::{is_in_short_groups, is_national},
            phone_words::{
                is_before_word, is_behind_noun, is_between, is_cell_sign, is_in_sentence, is_labelled,
                number_before, word_before,
            },
        },
        settings::Settings,
    },
    scan::{
        bytes::{at, before, digits_end, typographic_sign},
        finding::Finding,
        kind::Kind,
    },
};

/// Minimum and maximum number of digits of an international number (E.164).
const FEWEST: usize = 8;
const MOST: usize = 15;

/// Finds a number that begins with `+` and a country, or with `00`.
pub(crate) fn international(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    token: usize,
) -> Option<Finding> {
    let plus = before(bytes, token, 1) == b'+' && token > floor;
    let zeros = at(bytes, token) == b'0' && at(bytes, token + 1) == b'0';
    let apart = |place: usize| !before(bytes, place, 1).is_ascii_alphanumeric();
    let start = if plus && apart(token - 1) {
        token - 1
    } else if zeros && !is_joined_before(bytes, token) {
        token
    } else {
        return None;
    };
    // `00 33 6 71 …`
    let apart = zeros && at(bytes, token + 2) == b' ';
    let first = if plus { token } else { token + 2 + usize::from(apart) };
    // In a list of changes `+2026-07-28` is a date.
    let is_date = || birth_date::date(bytes, floor, token, digits_end(bytes, token, 5)).is_some();
    if !matches!(at(bytes, first), b'1'..=b'9')
        || !is_country(bytes, first)
        || at(bytes, token + 4) == b'-' && is_date()
    {
        return None;
    }
    // `0041 0302 0300` are three characters of Unicode, and who was born in 2000 has a `001231-3…` in Korea.
    let stop = digits_end(bytes, first, MOST + 1);
    if !plus && stop == token + 6 && at(bytes, stop) == b'-' && digits_end(bytes, stop + 1, 8) == stop + 8 {
        return None;
    }
    let four = |place: usize| digits_end(bytes, place, 5) == place + 4;
    if !plus && at(bytes, stop) == b' ' && at(bytes, stop + 1) == b'0' && four(stop + 1) {
        return None;
    }
    // `0050.7966.6801` is the address of an interface.
    if !plus && at(bytes, token + 4) == b'.' && at(bytes, token + 9) == b'.' {
        return None;
    }
    let Groups { digits, groups, end } = Groups::read(bytes, first);
    if digits > MOST {
        return None;
    }
    let close = at(bytes, end) == b')' && bytes.get(start..end).is_some_and(|number| number.contains(&b'('));
    let end = end + usize::from(close);
    // `00100001 00000000` is two bytes, and a later group of Unicode's begins with 0 as well.
    let code = || {
        let number = bytes.get(first..end).unwrap_or_default();
        let pairs = || number.split(|byte| *byte == b' ').all(|group| group.len() == 2);
        !number.iter().any(|byte| matches!(byte, b'2'..=b'9'))
            || number.windows(2).any(|pair| pair == b" 0") && four(stop + 1)
            || apart && pairs()
    };
    // Numbers of North America have a fixed length: `+1234567890` is a signed number.
    let american = at(bytes, first) != b'1' || digits == 11;
    let enough = american && digits >= FEWEST && (plus || groups > 1 && digits > 9 && !code());
    let end = extension(bytes, end).unwrap_or(end);
    if !enough || is_joined_after(bytes, end) {
        return None;
    }
    let philippine = digits == 12 && bytes.get(first..end).is_some_and(|number| number.starts_with(b"63"));
    let kind = if settings.wants(Kind::Phone) { Kind::Phone } else { Kind::PhMobile };
    let found =
        (kind == Kind::Phone || settings.wants(kind) && philippine).then_some(Finding { kind, start, end });
    // `offset +20345678`
    found.filter(|_| settings.strict || plus && groups > 2 || !is_of_other(bytes, start, end, true))
}

/// Groups of digits, with a gap between each two.
struct Groups {
    digits: usize,
    groups: usize,
    end: usize,
}

impl Groups {
    /// Reads groups from a position, until there are more than [`MOST`] digits. A group before letters is not of the
    /// number, as in `(24h)`, and neither are more digits behind a slash.
    #[inline(never)]
    fn read(bytes: &[u8], start: usize) -> Self {
        let mut read = Self { digits: 0, groups: 0, end: start };
        let mut place = start;
        loop {
            let stop = digits_end(bytes, place, MOST + 1);
            let slash = || bytes.get(read.end..place).unwrap_or_default().contains(&b'/');
            let other = read.groups > 0
                && (at(bytes, stop).is_ascii_alphabetic() && extension(bytes, stop).is_none()
                    || read.digits + stop - place > MOST && slash());
            if stop == place || other {
                return read;
            }
            read = Self { digits: read.digits + stop - place, groups: read.groups + 1, end: stop };
            if read.digits > MOST {
                return read;
            }
            place = gap(bytes, stop, read.digits <= LONGEST_AREA);
        }
    }
}

/// Returns the end of a gap between two groups: one sign, or two of which one is a parenthesis. Behind the `area` a dash may have
/// spaces; later it begins something else.
#[inline]
fn gap(bytes: &[u8], place: usize, area: bool) -> usize {
    if let Some((_, next)) = typographic_sign(bytes, place) {
        return next;
    }
    let sign = |place: usize| matches!(at(bytes, place), b' ' | b'-' | b'.' | b'/' | b'(' | b')');
    if !sign(place) || at(bytes, place + 1).is_ascii_digit() {
        return place + usize::from(sign(place));
    }
    let parenthesis = |place: usize| matches!(at(bytes, place), b'(' | b')');
    let two = sign(place + 1) && (parenthesis(place) || parenthesis(place + 1) || at(bytes, place) == b'/');
    // `0171 / 1234567`, `0231 – 98 47 306`
    const SPACED: [&[u8]; 3] = [b" / ", b" - ", " – ".as_bytes()];
    let rest = bytes.get(place..).unwrap_or_default();
    let spaced = SPACED.get(..if area { 3 } else { 1 }).unwrap_or_default();
    match spaced.iter().find(|gap| rest.starts_with(gap)) {
        Some(gap) => place + gap.len(),
        None => place + usize::from(sign(place)) + usize::from(two),
    }
}

/// Maximum number of digits of an area code with its trunk prefix.
const LONGEST_AREA: usize = 5;

/// Maximum number of digits of an extension.
const EXTENSION: usize = 6;

/// Returns the end of an extension after a number: `x565`.
fn extension(bytes: &[u8], place: usize) -> Option<usize> {
    let end = digits_end(bytes, place + 1, EXTENSION + 1);
    let written =
        at(bytes, place).eq_ignore_ascii_case(&b'x') && (2..=EXTENSION + 1).contains(&(end - place));
    written.then_some(end)
}

/// Returns whether a number begins with the code of a country (E.164). Few codes of two or three digits are unassigned.
fn is_country(bytes: &[u8], first: usize) -> bool {
    let digit = |place: usize| at(bytes, first + place).wrapping_sub(b'0');
    // The unassigned codes, and the assigned third digits where only some are.
    match (digit(0), digit(1), digit(2)) {
        (2, 1, third) => matches!(third, 1 | 2 | 3 | 6 | 8),
        (2, 8, _) | (8, 3 | 9, _) => false,
        (4, 2, third) => matches!(third, 0 | 1 | 3),
        (8, 0, third) => matches!(third, 0 | 8),
        (9, 9, third) => matches!(third, 2..=6 | 8),
        _ => true,
    }
}

/// Minimum number of digits of a national number.
pub(super) const FEWEST_LOCAL: usize = 7;
/// Minimum number of digits of a number behind a label of several words.
const FEWEST_LABELLED: usize = 9;

/// Finds a number in any groups after a word such as *Phone* (`Phone: 9123 4567`); or a number of North America with an
/// extension, in any context.
#[inline]
pub(crate) fn announced(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    token: usize,
    columns: &mut Columns,
) -> Option<Finding> {
    // Most numbers follow another number or other signs, and have no extension.
    let last = before(bytes, token, 1);
    let more = before(bytes, token, 2);
    let behind_word = (is_between(last)
        || last >= 0x80 && matches!(before(bytes, token, 3), 0xe3..=0xed)
        || is_cell_sign(last)
        || is_line_start(last) && (more == b'?' || is_in_groups(bytes, token)))
        && !more.is_ascii_digit();
    let extended = at(bytes, token + 12).eq_ignore_ascii_case(&b'x');
    if behind_word || extended || is_cell_sign(last) || matches!(last, b',' | b'"') {
        behind_word_or_extended(settings, bytes, floor, token, columns)
    } else {
        None
    }
}

/// Returns whether a number can have groups that announce it: it begins with 0 or with a short group.
fn is_in_groups(bytes: &[u8], token: usize) -> bool {
    at(bytes, token) == b'0' || (2..=4).any(|length| at(bytes, token + length) == b' ')
}

/// Returns whether a line or the text begins after a byte.
fn is_line_start(byte: u8) -> bool {
    matches!(byte, b'\n' | 0)
}

#[inline(never)]
fn behind_word_or_extended(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    token: usize,
    columns: &mut Columns,
) -> Option<Finding> {
    // Most numbers are too short, so no words have to be examined.
    let Groups { digits, groups, end } = Groups::read(bytes, token);
    if !(FEWEST_LOCAL..=MOST).contains(&digits) {
        return None;
    }
    let start = token - usize::from(token > floor && before(bytes, token, 1) == b'(');
    let number = bytes.get(token..end).unwrap_or_default();
    let mut is_headed = false;
    let (sign, fewest_groups) = match word_before(bytes, start) {
        Some(sign) => (sign, 3),
        // `What is your phone number? It's 9123 4567.`
        None if groups > 1 && question_before(bytes, start).is_some_and(|end| is_in_sentence(bytes, end)) => {
            (false, 3)
        }
        None if is_extended(bytes, token) => (true, 3),
        // `Recapito telefonico del genitore: 3295540871`
        None if digits >= FEWEST_LABELLED && is_labelled(bytes, start) => (true, 3),
        None if is_national(number, start < token) => (true, 3),
        // `Poproszę o kontakt pod numerem 601 442 187 po 16.`
        None if is_in_short_groups(number)
            && (is_in_sentence(bytes, start) || is_before_word(bytes, end)) =>
        {
            (false, 3)
        }
        // `Rufen Sie mich bitte unter der Nummer 0221-123 45 67 an.`
        None if at(bytes, token) == b'0' && (is_in_sentence(bytes, start) || is_before_word(bytes, end)) => {
            (false, 2)
        }
        // `Phones: 0800 123 456 or 01632 960 123`
        None if number_before(bytes, start).is_some_and(|first| word_before(bytes, first).is_some()) => {
            (true, 3)
        }
        None if is_below_phone(bytes, start, columns) => {
            is_headed = true;
            (true, 3)
        }
        None => return None,
    };
    if !settings.wants(Kind::Phone) || is_joined_before(bytes, start) {
        return None;
    }
    let first = digits_end(bytes, token, 5);
    let end = extension(bytes, end).unwrap_or(end);
    let free = number.starts_with(b"0800") || number.starts_with(b"0900");
    // `Cellulare 02-1234567`
    let trunk = digits >= if free { 8 } else { 9 } && groups > 1 && at(bytes, token) == b'0';
    // `WhatsApp 9123 4567`, but not `mobile 2023 2024`.
    let eight = digits == 8 && groups == 2 && first == token + 4 && !matches!(at(bytes, token), b'1' | b'2');
    // `call me on 555 0142`
    let seven = digits == 7 && groups == 2 && first == token + 3 && matches!(at(bytes, token), b'2'..=b'9');
    // `Call Anna, 0412345678`
    let bare =
        fewest_groups == 2 && groups == 1 && (10..=11).contains(&digits) && at(bytes, token + 1) != b'0';
    // `whatsapp 612345678`
    let direct = groups == 1 && (9..=13).contains(&digits) && is_behind_noun(bytes, start);
    let fewest = if fewest_groups == 2 && !free { 9 } else { FEWEST_LOCAL };
    let fits = digits >= fewest
        && (sign || eight || seven || trunk || bare || direct || groups >= fewest_groups)
        && (!is_joined_after(bytes, end) || is_cell(bytes, start, end))
        && birth_date::date(bytes, floor, token, first).is_none()
        && (is_headed || !is_of_other(bytes, start, end, is_national(number, start < token)));
    fits.then_some(Finding { kind: Kind::Phone, start, end })
}

/// Headings of columns of fixed lines. In sentences these words say more often that something is fixed.
const FIXED: [&str; 5] = ["fixe", "fijo", "fisso", "fixo", "vast"];

/// Returns whether the heading of the column of a number announces a telephone.
fn is_below_phone(bytes: &[u8], start: usize, columns: &mut Columns) -> bool {
    let heading = columns.heading(bytes, start).unwrap_or_default();
    let letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80;
    let mut words = heading.split(|byte| !letter(byte));
    words.any(|word| {
        LEXICON.has(word, WordSense::PHONE)
            || FIXED.iter().any(|fixed| fixed.as_bytes().eq_ignore_ascii_case(word))
    })
}

/// Returns whether a number like `415-555-0132x7` begins here.
fn is_extended(bytes: &[u8], token: usize) -> bool {
    let digits = |from: usize, to: usize| (from..to).all(|place| at(bytes, token + place).is_ascii_digit());
    let sign = at(bytes, token + 3);
    matches!(sign, b'-' | b'.' | b' ')
        && at(bytes, token + 7) == sign
        && at(bytes, token + 12).eq_ignore_ascii_case(&b'x')
        && digits(0, 3)
        && digits(4, 7)
        && digits(8, 12)
        && extension(bytes, token + 12).is_some()
}
