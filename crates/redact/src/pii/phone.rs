//! Telephone numbers with a country code, or after a word that announces them. National formats are in the table of
//! numbers.

use crate::{
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
    let prefix = Prefix::read(bytes, floor, token)?;
    let Prefix { start, country, plus, .. } = prefix;
    // In a list of changes `+2026-07-28` is a date.
    let is_date = || birth_date::date(bytes, floor, token, digits_end(bytes, token, 5)).is_some();
    if !matches!(at(bytes, country), b'1'..=b'9')
        || !is_country(bytes, country)
        || at(bytes, token + 4) == b'-' && is_date()
        || prefix.begins_code(bytes)
    {
        return None;
    }
    let Groups { digits, groups, end } = Groups::read(bytes, country);
    if digits > MOST {
        return None;
    }
    let close = at(bytes, end) == b')' && bytes.get(start..end).is_some_and(|number| number.contains(&b'('));
    let end = end + usize::from(close);
    // Numbers of North America have a fixed length: `+1234567890` is a signed number.
    let american = at(bytes, country) != b'1' || digits == 11;
    let enough = american
        && digits >= FEWEST
        && (plus || groups > 1 && digits > 9 && !prefix.is_of_bytes_or_characters(bytes, end));
    let end = extension(bytes, end).unwrap_or(end);
    if !enough || is_joined_after(bytes, end) {
        return None;
    }
    let philippine = digits == 12 && bytes.get(country..end).is_some_and(|number| number.starts_with(b"63"));
    let kind = if settings.wants(Kind::Phone) { Kind::Phone } else { Kind::PhMobile };
    let found =
        (kind == Kind::Phone || settings.wants(kind) && philippine).then_some(Finding { kind, start, end });
    // `offset +20345678`
    found.filter(|_| settings.strict || plus && groups > 2 || !is_of_other(bytes, start, end, true))
}

/// The `+` or `00` before the country code of a number.
struct Prefix {
    start: usize,
    /// The position of the country code.
    country: usize,
    /// Whether the prefix is a `+`.
    plus: bool,
    /// Whether a space follows the zeros: `00 33 6 71 …`
    spaced: bool,
}

impl Prefix {
    /// Reads the prefix of the number whose digits begin at `token`.
    #[inline(always)]
    fn read(bytes: &[u8], floor: usize, token: usize) -> Option<Self> {
        let plus = before(bytes, token, 1) == b'+' && token > floor;
        let zeros = at(bytes, token) == b'0' && at(bytes, token + 1) == b'0';
        let spaced = zeros && at(bytes, token + 2) == b' ';
        if plus && !before(bytes, token - 1, 1).is_ascii_alphanumeric() {
            return Some(Self { start: token - 1, country: token, plus, spaced });
        }
        let country = token + 2 + usize::from(spaced);
        let is_prefix = zeros && !plus && !is_joined_before(bytes, token);
        is_prefix.then_some(Self { start: token, country, plus, spaced })
    }

    /// Returns the end of the first group from the country code on.
    fn group_end(&self, bytes: &[u8]) -> usize {
        digits_end(bytes, self.country, MOST + 1)
    }

    /// Returns whether zeros begin something other than a telephone number.
    fn begins_code(&self, bytes: &[u8]) -> bool {
        if self.plus {
            return false;
        }
        let (start, end) = (self.start, self.group_end(bytes));
        // Who was born in 2000 has a `001231-3…` in Korea.
        let korean = || at(bytes, end) == b'-' && digits_end(bytes, end + 1, 8) == end + 8;
        // `0041 0302 0300` are three characters of Unicode.
        let characters =
            || at(bytes, end) == b' ' && at(bytes, end + 1) == b'0' && is_of_four(bytes, end + 1);
        // `0050.7966.6801` is the address of an interface.
        let interface = || at(bytes, start + 4) == b'.' && at(bytes, start + 9) == b'.';
        end == start + 6 && korean() || characters() || interface()
    }

    /// Returns whether digits behind zeros are bytes (`00100001 00000000`), or characters of Unicode of which a later
    /// one begins with 0 as well.
    fn is_of_bytes_or_characters(&self, bytes: &[u8], end: usize) -> bool {
        let number = bytes.get(self.country..end).unwrap_or_default();
        let pairs = || number.split(|byte| *byte == b' ').all(|group| group.len() == 2);
        !number.iter().any(|byte| matches!(byte, b'2'..=b'9'))
            || number.windows(2).any(|pair| pair == b" 0") && is_of_four(bytes, self.group_end(bytes) + 1)
            || self.spaced && pairs()
    }
}

/// Returns whether a group of exactly four digits begins at a position.
fn is_of_four(bytes: &[u8], place: usize) -> bool {
    digits_end(bytes, place, 5) == place + 4
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

/// Returns the end of a gap between two groups: one sign, or two of which one is a parenthesis. Behind the `area` a
/// dash may have spaces; later it begins something else.
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

/// Finds a number of which [`announced`] could not exclude by a few bytes that it is announced.
#[inline(never)]
fn behind_word_or_extended(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    token: usize,
    columns: &mut Columns,
) -> Option<Finding> {
    // Most numbers are too short, so no words have to be examined.
    let groups = Groups::read(bytes, token);
    if !(FEWEST_LOCAL..=MOST).contains(&groups.digits) {
        return None;
    }
    let start = token - usize::from(token > floor && before(bytes, token, 1) == b'(');
    let announcement = Announcement::of_number(bytes, start, token, &groups, columns)?;
    if !settings.wants(Kind::Phone) || is_joined_before(bytes, start) {
        return None;
    }
    let end = extension(bytes, groups.end).unwrap_or(groups.end);
    let national = || is_national(bytes.get(token..groups.end).unwrap_or_default(), start < token);
    let fits = announcement.accepts(bytes, start, token, &groups)
        && (!is_joined_after(bytes, end) || is_cell(bytes, start, end))
        && birth_date::date(bytes, floor, token, digits_end(bytes, token, 5)).is_none()
        && (announcement.headed || !is_of_other(bytes, start, end, national()));
    fits.then_some(Finding { kind: Kind::Phone, start, end })
}

/// The way in which a number, or the text around it, shows that it is a telephone number.
struct Announcement {
    /// Whether it leaves no doubt, so that digits in any groups are accepted.
    certain: bool,
    /// Minimum number of groups otherwise.
    groups: usize,
    /// Whether it is the heading of the number's column.
    headed: bool,
}

impl Announcement {
    const CERTAIN: Self = Self { certain: true, groups: 3, headed: false };
    const HEADED: Self = Self { headed: true, ..Self::CERTAIN };
    const IN_SENTENCE: Self = Self { certain: false, ..Self::CERTAIN };
    /// A sentence, for a number that begins with 0.
    const OF_TRUNK: Self = Self { groups: 2, ..Self::IN_SENTENCE };

    /// Returns the first announcement of a number that begins at `start`, and its digits at `token`.
    fn of_number(
        bytes: &[u8],
        start: usize,
        token: usize,
        &Groups { digits, groups, end }: &Groups,
        columns: &mut Columns,
    ) -> Option<Self> {
        let number = bytes.get(token..end).unwrap_or_default();
        let in_sentence = || is_in_sentence(bytes, start) || is_before_word(bytes, end);
        if let Some(certain) = word_before(bytes, start) {
            return Some(Self { certain, ..Self::CERTAIN });
        }
        // `What is your phone number? It's 9123 4567.`
        if groups > 1 && question_before(bytes, start).is_some_and(|end| is_in_sentence(bytes, end)) {
            return Some(Self::IN_SENTENCE);
        }
        // `Recapito telefonico del genitore: 3295540871`
        if is_extended(bytes, token)
            || digits >= FEWEST_LABELLED && is_labelled(bytes, start)
            || is_national(number, start < token)
        {
            return Some(Self::CERTAIN);
        }
        // `Poproszę o kontakt pod numerem 601 442 187 po 16.`
        if is_in_short_groups(number) && in_sentence() {
            return Some(Self::IN_SENTENCE);
        }
        // `Rufen Sie mich bitte unter der Nummer 0221-123 45 67 an.`
        if at(bytes, token) == b'0' && in_sentence() {
            return Some(Self::OF_TRUNK);
        }
        // `Phones: 0800 123 456 or 01632 960 123`
        if number_before(bytes, start).is_some_and(|first| word_before(bytes, first).is_some()) {
            return Some(Self::CERTAIN);
        }
        is_below_phone(bytes, start, columns).then_some(Self::HEADED)
    }

    /// Returns whether the digits of a number have a length and groups that occur after such an announcement.
    fn accepts(
        &self,
        bytes: &[u8],
        start: usize,
        token: usize,
        &Groups { digits, groups, end }: &Groups,
    ) -> bool {
        let number = bytes.get(token..end).unwrap_or_default();
        let free = number.starts_with(b"0800") || number.starts_with(b"0900");
        let doubtful = self.groups == 2;
        if digits < if doubtful && !free { 9 } else { FEWEST_LOCAL } {
            return false;
        }
        if self.certain || groups >= self.groups {
            return true;
        }
        let (first, begin) = (digits_end(bytes, token, 5) - token, at(bytes, token));
        match groups {
            // `Call Anna, 0412345678`
            1 if doubtful && (10..=11).contains(&digits) && at(bytes, token + 1) != b'0' => true,
            // `whatsapp 612345678`
            1 => (9..=13).contains(&digits) && is_behind_noun(bytes, start),
            // `Cellulare 02-1234567`
            _ if begin == b'0' && digits >= if free { 8 } else { 9 } => true,
            // `WhatsApp 9123 4567`, but not `mobile 2023 2024`.
            2 if digits == 8 => first == 4 && !matches!(begin, b'1' | b'2'),
            // `call me on 555 0142`
            2 if digits == 7 => first == 3 && matches!(begin, b'2'..=b'9'),
            _ => false,
        }
    }
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
