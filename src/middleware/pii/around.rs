use crate::middleware::scan::bytes::{at, before};

/// The bytes beside a token, which say what it cannot be: most numbers are passed over by them. Each condition here is
/// necessary for what it guards, and no more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    /// The two bytes before the token, the nearest last.
    before: [u8; 2],
    /// The first byte of the token.
    first: u8,
    /// The byte behind it, and the two after that.
    pub next: u8,
    after: [u8; 2],
}

impl Around {
    #[inline(always)]
    pub fn read(bytes: &[u8], token: usize, end: usize) -> Self {
        let two = token.checked_sub(2).and_then(|place| bytes.get(place..)?.first_chunk());
        let behind = bytes.get(end..).and_then(|rest| rest.first_chunk());
        let [next, after @ ..] =
            behind.copied().unwrap_or_else(|| [end, end + 1, end + 2].map(|end| at(bytes, end)));
        let before = two.copied().unwrap_or_else(|| [0, before(bytes, token, 1)]);
        Self { before, first: at(bytes, token), next, after }
    }

    /// `+49…` or `0049…`.
    #[inline(always)]
    pub fn may_be_international(self) -> bool {
        self.before[1] == b'+' || self.first == b'0'
    }

    /// Whether a space and other digits stand on both sides, as around no part of a date with a month in words.
    #[inline(always)]
    pub fn is_among_numbers(self) -> bool {
        self.before[0].is_ascii_digit() && self.next == b' ' && self.after[0].is_ascii_digit()
    }

    /// Whether another group of digits can follow.
    #[inline(always)]
    pub fn has_more_digits(self) -> bool {
        let [sign, _] = self.after;
        self.next < b'0' && (sign.is_ascii_digit() || matches!(sign, b'(' | b')' | b' ' | b'-' | b'.' | b'/'))
    }

    /// Whether a street can stand before or behind. A code has more than one digit, and a number of a street letters.
    #[inline(always)]
    pub fn may_be_house(self) -> bool {
        let [sign, more] = self.after;
        match self.next {
            b' ' => !sign.is_ascii_digit() || more.is_ascii_alphanumeric(),
            b'/' => sign.is_ascii_uppercase(),
            byte => byte == b',' || byte == b'\n',
        }
    }
}
