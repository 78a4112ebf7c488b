//! Rules out number formats by the length of a token and the bytes next to it.

use crate::scan::bytes::{at, before};

/// The bytes next to a token, which exclude most rules for most numbers. Each condition here is necessary for the rule
/// that it guards, but not sufficient.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    /// The two bytes before the token, the nearest last.
    before: [u8; 2],
    /// The byte after the token, and the two after that.
    next: u8,
    after: [u8; 2],
}

/// The rules that may apply to a token, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules(u16);

impl Rules {
    pub const IP: Self = Self(1);
    /// `3/14/1985`, `14.03.85`, `14 03 1985`; `March 14, 1985`; `14 March 1985`.
    const DATE_IN_SIGNS: u16 = 1 << 1;
    const DATE_BEFORE_YEAR: u16 = 1 << 2;
    const DATE_BEFORE_WORD: u16 = 1 << 3;
    pub const DATE: Self = Self(Self::DATE_IN_SIGNS | Self::DATE_BEFORE_YEAR | Self::DATE_BEFORE_WORD);
    /// A number of the table: the token alone, before another group, before a parenthesis, or after a word.
    const ALONE: u16 = 1 << 4;
    const GROUPS: u16 = 1 << 5;
    const PARENTHESIS: u16 = 1 << 6;
    const BEHIND_WORD: u16 = 1 << 7;
    pub const NUMBER: Self = Self(Self::ALONE | Self::GROUPS | Self::PARENTHESIS | Self::BEHIND_WORD);
    /// A telephone number that a word announces: in groups, or without.
    const PHONE_IN_GROUPS: u16 = 1 << 8;
    const PHONE_ALONE: u16 = 1 << 9;
    /// The same in a cell of a table, where digits may precede the sign before the number.
    const CELL_IN_GROUPS: u16 = 1 << 14;
    const CELL_ALONE: u16 = 1 << 15;
    const CELL: u16 = Self::CELL_IN_GROUPS | Self::CELL_ALONE;
    pub const PHONE: Self = Self(Self::PHONE_IN_GROUPS | Self::PHONE_ALONE | Self::CELL);
    /// A street after the number, with a small letter or a capital; a postal code or an ordinal after it; other parts.
    const HOUSE_BEFORE_SMALL: u16 = 1 << 10;
    const HOUSE_BEFORE_CAPITAL: u16 = 1 << 11;
    const HOUSE_BEFORE_NUMBER: u16 = 1 << 12;
    const HOUSE_BETWEEN: u16 = 1 << 13;
    pub const HOUSE: Self = Self(
        Self::HOUSE_BEFORE_SMALL
            | Self::HOUSE_BEFORE_CAPITAL
            | Self::HOUSE_BEFORE_NUMBER
            | Self::HOUSE_BETWEEN,
    );

    pub fn has(self, rule: Self) -> bool {
        self.0 & rule.0 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Returns the rules that the byte after a token allows.
const fn allowed_by_next(byte: u8) -> u16 {
    let separated = match byte {
        b' ' | b'-' | b'.' | b'/' | b'_' | b'+' => Rules::GROUPS,
        // The first bytes of typographic spaces and hyphens.
        0xc2 | 0xe2 => Rules::GROUPS,
        b')' => Rules::GROUPS | Rules::PARENTHESIS,
        _ => 0,
    };
    let date_or_house = match byte {
        b'.' => Rules::IP.0 | Rules::DATE_IN_SIGNS,
        b'/' => Rules::DATE_IN_SIGNS | Rules::HOUSE_BETWEEN,
        b'-' => Rules::DATE_IN_SIGNS,
        b' ' => Rules::DATE.0 | Rules::HOUSE.0,
        b',' => Rules::DATE_BEFORE_YEAR | Rules::HOUSE_BEFORE_NUMBER | Rules::HOUSE_BETWEEN,
        b'\n' => Rules::HOUSE_BEFORE_NUMBER,
        0x80.. => Rules::DATE_BEFORE_WORD,
        _ => 0,
    };
    let phone = if byte < b'0' || matches!(byte, 0xc2 | 0xe2) {
        Rules::PHONE_IN_GROUPS | Rules::CELL_IN_GROUPS
    } else {
        0
    };
    Rules::BEHIND_WORD | Rules::PHONE_ALONE | Rules::CELL_ALONE | separated | date_or_house | phone
}

/// Returns the rules that the byte after that one allows.
const fn allowed_by_after(byte: u8) -> u16 {
    let of_class = match byte {
        b'0'..=b'9' => Rules::IP.0 | Rules::DATE_IN_SIGNS | Rules::GROUPS | Rules::HOUSE_BEFORE_NUMBER,
        b'A'..=b'Z' => {
            Rules::DATE_IN_SIGNS
                | Rules::DATE_BEFORE_WORD
                | Rules::GROUPS
                | Rules::HOUSE_BEFORE_CAPITAL
                | Rules::HOUSE_BETWEEN
        }
        b'a'..=b'z' => {
            Rules::DATE_IN_SIGNS | Rules::DATE_BEFORE_WORD | Rules::GROUPS | Rules::HOUSE_BEFORE_SMALL
        }
        0x80.. => Rules::DATE_IN_SIGNS | Rules::DATE_BEFORE_WORD | Rules::HOUSE_BEFORE_CAPITAL,
        _ => 0,
    };
    let date = match byte {
        b' ' | b'.' => Rules::DATE.0,
        // `14 - 03 - 1985`
        b'-' | b'/' => Rules::DATE_IN_SIGNS,
        b'1' | b'2' | b',' => Rules::DATE_BEFORE_YEAR | Rules::DATE_BEFORE_WORD,
        _ => 0,
    };
    let grouped = Rules::PHONE_IN_GROUPS | Rules::CELL_IN_GROUPS;
    let phone = match byte {
        b'(' => Rules::GROUPS | grouped,
        b' ' | b'-' | b'.' | b'/' => Rules::PARENTHESIS | grouped,
        // The second bytes of typographic spaces and hyphens; `0231 – 98 47 306`.
        0x80 | 0xa0 => Rules::GROUPS | grouped,
        b')' | 0xe2 | b'0'..=b'9' => grouped,
        _ => 0,
    };
    let house = match byte {
        b' ' => Rules::HOUSE_BEFORE_NUMBER | Rules::HOUSE_BETWEEN,
        b',' | b'\r' | b'\n' => Rules::HOUSE_BEFORE_NUMBER,
        b'-' => Rules::HOUSE_BETWEEN,
        _ => 0,
    };
    Rules::BEHIND_WORD | Rules::PHONE_ALONE | Rules::CELL_ALONE | of_class | date | phone | house
}

/// Returns the rules that the byte before a token allows.
const fn allowed_by_last(byte: u8) -> u16 {
    let number = match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'$' | b'#' | b'%' | b'@' | b'+' => 0,
        _ => Rules::GROUPS | Rules::PARENTHESIS,
    };
    let word = if matches!(byte, b' ' | b'-' | b'.') { Rules::BEHIND_WORD } else { 0 };
    let phone = match byte {
        b' ' | b':' | b'=' | b'.' | b'#' | b'"' | b'\'' | b'-' | b'(' | b'|' | b'\t' | b'>' | b';'
        | b'\n' | 0 => Rules::PHONE_IN_GROUPS | Rules::PHONE_ALONE,
        // `手机138 0013 8000`
        0x80..=0xbf => Rules::PHONE_IN_GROUPS | Rules::PHONE_ALONE,
        _ => 0,
    };
    let cell = if matches!(byte, b',' | b';' | b'\t' | b'|' | b'"') { Rules::CELL } else { 0 };
    let year = if matches!(byte, b' ' | b'.') { Rules::DATE_BEFORE_YEAR } else { 0 };
    let house = if matches!(byte, b' ' | b'/') { Rules::HOUSE_BETWEEN } else { 0 };
    let street = Rules::HOUSE_BEFORE_SMALL | Rules::HOUSE_BEFORE_CAPITAL | Rules::HOUSE_BEFORE_NUMBER;
    let date = Rules::DATE_IN_SIGNS | Rules::DATE_BEFORE_WORD;
    Rules::IP.0 | street | date | number | word | phone | cell | year | house
}

/// Returns the rules that the byte before that one allows.
const fn allowed_by_more(byte: u8) -> u16 {
    let behind = match byte {
        b'A'..=b'Z' | b'a'..=b'z' => Rules::BEHIND_WORD | Rules::DATE_BEFORE_YEAR,
        b' ' | b'.' => Rules::DATE_BEFORE_YEAR,
        _ => 0,
    };
    let phone = Rules::PHONE_IN_GROUPS | Rules::PHONE_ALONE;
    let apart = if byte.is_ascii_digit() { 0 } else { phone };
    !(Rules::ALONE | Rules::BEHIND_WORD | Rules::DATE_BEFORE_YEAR | phone) | behind | apart
}

/// Returns the rules that the length of a token allows.
const fn allowed_by_length(length: u8) -> u16 {
    let phone = if length < 7 { 0 } else { Rules::PHONE_ALONE | Rules::CELL_ALONE };
    let date = if length > 4 { 0 } else { Rules::DATE.0 };
    let house = if length > 6 { 0 } else { Rules::HOUSE.0 };
    Rules::IP.0
        | Rules::GROUPS
        | Rules::PARENTHESIS
        | Rules::BEHIND_WORD
        | Rules::PHONE_IN_GROUPS
        | Rules::CELL_IN_GROUPS
        | phone
        | date
        | house
}

/// The rules that each byte allows.
struct Table([u16; 256]);

impl Table {
    #[expect(clippy::indexing_slicing, reason = "when it is compiled, or not at all")]
    const fn new(which: u8) -> Self {
        let (mut table, mut byte) = ([0; 256], 0);
        while byte < 256 {
            table[byte] = match which {
                0 => allowed_by_next(byte as u8),
                1 => allowed_by_after(byte as u8),
                2 => allowed_by_last(byte as u8),
                _ => allowed_by_more(byte as u8),
            };
            byte += 1;
        }
        Self(table)
    }

    #[inline(always)]
    fn of(&self, byte: u8) -> u16 {
        self.0.get(usize::from(byte)).copied().unwrap_or(0)
    }
}

static NEXT: Table = Table::new(0);
static AFTER: Table = Table::new(1);
static LAST: Table = Table::new(2);
static MORE: Table = Table::new(3);
/// By length; the last is for all that are longer.
#[expect(clippy::indexing_slicing, reason = "when it is compiled, or not at all")]
static LENGTH: [u16; LONG + 1] = {
    let (mut table, mut length) = ([0; LONG + 1], 0);
    while length <= LONG {
        table[length] = allowed_by_length(length as u8);
        length += 1;
    }
    table
};
/// From this length on all tokens allow the same.
const LONG: usize = 7;

impl Around {
    #[inline(always)]
    pub fn read(bytes: &[u8], token: usize, end: usize) -> Self {
        let two = token.checked_sub(2).and_then(|place| bytes.get(place..)?.first_chunk());
        let behind = bytes.get(end..).and_then(|rest| rest.first_chunk());
        let [next, after @ ..] =
            behind.copied().unwrap_or_else(|| [end, end + 1, end + 2].map(|end| at(bytes, end)));
        let before = two.copied().unwrap_or_else(|| [0, before(bytes, token, 1)]);
        Self { before, next, after }
    }

    /// Returns the rules that may apply to the token. `alone` states whether it can be a number of the table by itself.
    #[inline(always)]
    pub fn rules(self, length: usize, alone: bool) -> Rules {
        let [more, last] = self.before;
        let around = NEXT.of(self.next) & AFTER.of(self.after[0]) & LAST.of(last) & MORE.of(more);
        let rules = around & LENGTH.get(length.min(LONG)).copied().unwrap_or(0);
        Rules(if alone { rules | Rules::ALONE } else { rules })
    }

    /// Returns whether the token follows the sign of an international number.
    #[inline(always)]
    pub fn is_behind_plus(self) -> bool {
        self.before[1] == b'+'
    }

    /// Returns whether another group of digits can follow, or the token has those of a number of its own.
    #[inline(always)]
    pub fn has_digits(self, length: usize) -> bool {
        let more = matches!(
            self.after[0],
            b'0'..=b'9' | b'(' | b')' | b' ' | b'-' | b'.' | b'/' | 0x80 | 0xa0 | 0xe2
        );
        length >= 7 || (self.next < b'0' || matches!(self.next, 0xc2 | 0xe2)) && more
    }

    /// Returns whether a street can precede or follow. The first part of a postal code has four digits or more, or two
    /// before a hyphen, and the number of a street has letters. `third` is the byte after those in this struct.
    #[inline(always)]
    pub fn may_be_house(self, third: u8) -> bool {
        let [sign, more] = self.after;
        let ordinal = |byte: u8| matches!(byte, b's' | b'n' | b'r' | b't');
        self.next != b' '
            || !sign.is_ascii_digit()
            || more.is_ascii_digit() && (third.is_ascii_digit() || third == b'-' || ordinal(third))
            || ordinal(more)
    }
}
