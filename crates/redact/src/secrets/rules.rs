//! Matches tokens against the table of kinds.

use crate::{
    scan::bytes::{at, before, end_of},
    secrets::{kinds::TokenKind, secret_value::variety},
};

/// An alphabet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CharSet {
    Digit,
    Hex,
    Base32,
    Capital,
    Small,
    Alnum,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Letters, digits, `+` and `/`.
    Base64,
    /// The characters of almost all tokens: letters, digits, `_`, `-`, `.`, `+` and `/`.
    Any,
}

impl CharSet {
    /// Returns the alphabet of a letter in [`TokenKind::body`].
    fn of(letter: u8) -> Self {
        match letter {
            b'd' => Self::Digit,
            b'x' => Self::Hex,
            b'b' => Self::Base32,
            b'u' => Self::Capital,
            b'l' => Self::Small,
            b'w' => Self::Alnum,
            b's' => Self::Url,
            _ => Self::Base64,
        }
    }

    pub fn contains(self, byte: u8) -> bool {
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Base32 => matches!(byte, b'2'..=b'7' | b'A'..=b'Z'),
            Self::Capital => matches!(byte, b'0'..=b'9' | b'A'..=b'Z'),
            Self::Small => matches!(byte, b'0'..=b'9' | b'a'..=b'z'),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
            // One bit for each byte, in two words: WebAssembly needs a call to shift 128 bits.
            Self::Any => ANY.get(usize::from(byte >> 6)).is_some_and(|half| half >> (byte & 63) & 1 == 1),
        }
    }
}

/// The bytes of [`CharSet::Any`] up to 127.
#[expect(clippy::indexing_slicing, reason = "when it is compiled, or not at all")]
const ANY: [u64; 2] = {
    let (mut known, mut byte) = ([0; 2], 0u8);
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-'..=b'/') {
            known[(byte >> 6) as usize] |= 1 << (byte & 63);
        }
        byte += 1;
    }
    known
};

/// The name of the rule that matched, and the start and the end of the secret.
pub(crate) type SecretMatch = Option<(&'static str, usize, usize)>;

/// A part of the body of a token.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Literal(&'static [u8]),
    /// Characters of an alphabet, with their minimum and maximum number.
    Run(CharSet, usize, usize),
}

/// A prefix of tokens, with their rule and format.
#[derive(Debug)]
pub(crate) struct PrefixedKind {
    pub prefix: &'static [u8],
    /// The name of the rule.
    pub name: &'static str,
    /// The parts of the body.
    parts: Vec<Part>,
}

impl PrefixedKind {
    /// Returns an entry for each prefix of a kind.
    pub fn of(kind: &'static TokenKind) -> impl Iterator<Item = Self> {
        kind.prefixes.split(' ').map(|prefix| Self {
            prefix: prefix.as_bytes(),
            name: kind.name,
            parts: parts(kind.body).collect(),
        })
    }

    /// Returns whether a text has the prefix at a position. The last byte is compared first, because many prefixes
    /// share their first bytes.
    pub fn begins(&self, bytes: &[u8], start: usize) -> bool {
        let end = start + self.prefix.len();
        before(bytes, end, 1) == before(self.prefix, self.prefix.len(), 1)
            && bytes.get(start..end) == Some(self.prefix)
    }
}

/// Parses the parts of a body in the notation of [`TokenKind::body`].
pub(crate) fn parts(body: &'static str) -> impl Iterator<Item = Part> {
    body.split(' ').map(|part| {
        let (&letter, rest) = part.as_bytes().split_first().unwrap_or((&b'\'', b""));
        if letter == b'\'' {
            return Part::Literal(rest);
        }
        let number = |digits: &[u8]| digits.iter().fold(0, |all, digit| all * 10 + usize::from(digit & 15));
        let mut ends = rest.split(|byte| *byte == b'-').map(number);
        let least = ends.next().unwrap_or(0);
        Part::Run(CharSet::of(letter), least, ends.next().unwrap_or(least))
    })
}

/// Returns whether a prefix is unlikely in other names, so that tokens longer than documented are accepted.
fn is_distinctive(prefix: &[u8]) -> bool {
    let sign = |byte: u8| matches!(byte, b'_' | b'-' | b'.');
    sign(before(prefix, prefix.len(), 1)) && (prefix.len() > 4 || prefix.len() == 4 && prefix.contains(&b'_'))
}

/// Returns the end of the token of a kind whose prefix starts at `start`, if the body fits.
pub(crate) fn match_token(bytes: &[u8], kind: &PrefixedKind, start: usize) -> Option<usize> {
    let body = start + kind.prefix.len();
    let (mut place, mut narrow) = (body, true);
    for (number, part) in kind.parts.iter().enumerate() {
        let (set, least, mut most) = match *part {
            Part::Run(set, least, most) => (set, least, most),
            Part::Literal(text) => {
                place += text.len();
                bytes.get(..place).filter(|ahead| ahead.ends_with(text))?;
                continue;
            }
        };
        let joined: &[u8] = match set {
            CharSet::Url => b"-",
            CharSet::Base64 => b"+/",
            _ => b"",
        };
        // A prefix within a run of body characters was already read with that run.
        if joined.contains(&before(bytes, start, 1)) {
            return None;
        }
        narrow &= matches!(set, CharSet::Digit | CharSet::Hex | CharSet::Base32);
        let last = number + 1 == kind.parts.len();
        if last && number == 0 && is_distinctive(kind.prefix) {
            most *= 2;
        }
        let mut end = end_of(bytes, place, most + 2 * usize::from(last), |byte| set.contains(byte));
        while end - place > most && joined.iter().chain(b"_").any(|sign| *sign == before(bytes, end, 1)) {
            end -= 1;
        }
        if !(least..=most).contains(&(end - place)) {
            return None;
        }
        place = end;
    }
    let text = bytes.get(body..place).filter(|_| !at(bytes, place).is_ascii_alphanumeric())?;
    // A sequence of words is not a token, and neither is a repeated character.
    let drawn = text.iter().any(u8::is_ascii_digit)
        || matches!(kind.parts.first(), Some(Part::Run(CharSet::Base32, ..)))
        || looks_random(text);
    (drawn && variety(text) >= if narrow { 7 } else { 9 }).then_some(place)
}

/// Returns whether letters look random: at least a fifth of the text is of either case. Names have fewer capitals.
fn looks_random(text: &[u8]) -> bool {
    let count = |of: fn(&u8) -> bool| text.iter().filter(|byte| of(byte)).count();
    count(u8::is_ascii_uppercase).min(count(u8::is_ascii_lowercase)) * 5 >= text.len()
}

#[cfg(test)]
mod tests {
    use super::{Part, parts};
    use crate::secrets::kinds::KINDS;

    #[test]
    fn parts_need_no_second_look() {
        for kind in KINDS {
            let parts: Vec<Part> = parts(kind.body).collect();
            for pair in parts.windows(2) {
                let [Part::Run(set, least, most), next] = pair else { continue };
                let sure = match next {
                    Part::Literal(text) => text.first().is_some_and(|byte| !set.contains(*byte)),
                    Part::Run(..) => false,
                };
                assert!(sure || least == most, "{} {}", kind.name, kind.body);
            }
        }
    }
}
