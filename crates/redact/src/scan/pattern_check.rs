//! The conditions of a custom pattern beyond its expression: a word before the match, and a checksum.

use mcp_sieve::{Error, json::Entry};

use crate::scan::{
    bytes::{at, before, end_of, start_of},
    check_digits::{luhn, mod_11_10, mod_97, verhoeff},
};

/// Maximum number of words of a pattern.
pub(crate) const MAX_WORDS: usize = 32;
/// Maximum length of a word, in bytes.
const MAX_WORD: usize = 48;
/// Maximum distance, in bytes, between the start of a word and the match after it.
pub(crate) const BEFORE: usize = 64;

/// The conditions of a pattern.
#[derive(Debug, Default)]
pub(crate) struct PatternCheck {
    /// The words of which one must precede the match, on the same line. An empty list accepts any match.
    pub words: Vec<String>,
    pub checksum: Option<Checksum>,
}

/// A checksum over the digits of a match.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Checksum {
    Luhn,
    Verhoeff,
    Mod11,
    /// Includes the letters of the match.
    Mod97,
}

impl Checksum {
    const NAMES: [&str; 4] = ["luhn", "verhoeff", "mod11-10", "mod97-10"];

    /// Parses the name of a checksum.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        Ok(match entry.text()?.as_str() {
            "luhn" => Self::Luhn,
            "verhoeff" => Self::Verhoeff,
            "mod11-10" => Self::Mod11,
            "mod97-10" => Self::Mod97,
            _ => return Err(entry.refuse(format!("expected {}", Error::one_of(&Self::NAMES)))),
        })
    }

    fn holds(self, text: &str) -> bool {
        let digits = || -> Vec<u8> { text.bytes().filter(u8::is_ascii_digit).collect() };
        match self {
            Self::Luhn => luhn(&digits()),
            Self::Verhoeff => verhoeff(&digits()),
            Self::Mod11 => mod_11_10(&digits()),
            Self::Mod97 => {
                let signs = text.bytes().filter(u8::is_ascii_alphanumeric);
                mod_97(signs.map(|byte| byte.to_ascii_uppercase())) == 1
            }
        }
    }
}

impl PatternCheck {
    /// Parses the list of words.
    ///
    /// # Errors
    /// Returns an error for too many words, and for one that is too long or begins or ends with a sign.
    pub fn read_words(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
        let words = entry.list(|entry| {
            let word = entry.text()?;
            let letter = |end: Option<&u8>| end.is_some_and(|byte| is_letter(*byte));
            match word.len() <= MAX_WORD && letter(word.as_bytes().first()) && letter(word.as_bytes().last())
            {
                true => Ok(word),
                false => Err(entry.refuse(format!(
                    "expected at most {MAX_WORD} bytes, the first and the last a letter or a digit"
                ))),
            }
        })?;
        match words.len() {
            ..=MAX_WORDS => Ok(words),
            _ => Err(entry.refuse(format!("expected at most {MAX_WORDS} words"))),
        }
    }

    /// Returns whether there are no conditions.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.checksum.is_none()
    }

    /// Returns whether a match meets the conditions. It must also begin at the start of a word, because a text that
    /// arrives in pieces is searched from any position.
    pub fn accepts(&self, text: &str, start: usize, end: usize) -> bool {
        let bytes = text.as_bytes();
        let inside = is_letter(before(bytes, start, 1)) && is_letter(at(bytes, start));
        !inside
            && self.checksum.is_none_or(|checksum| checksum.holds(text.get(start..end).unwrap_or_default()))
            && (self.words.is_empty() || self.is_announced(bytes, start))
    }

    fn is_announced(&self, bytes: &[u8], start: usize) -> bool {
        let line = start_of(bytes, start.saturating_sub(BEFORE), start, BEFORE, |byte| byte != b'\n');
        self.words.iter().map(String::as_bytes).any(|word| {
            (line..start).any(|place| {
                let written = bytes.get(place..place + word.len()).filter(|_| place + word.len() <= start);
                written.is_some_and(|written| written.eq_ignore_ascii_case(word))
                    && !is_letter(before(bytes, place, 1))
                    && !is_letter(at(bytes, place + word.len()))
            })
        })
    }
}

/// Returns the position at which to continue after a match that was not accepted: after the word in which it begins,
/// or after its first character if that is a sign.
pub(crate) fn next_word(text: &str, start: usize) -> usize {
    let end = end_of(text.as_bytes(), start, usize::MAX, is_letter);
    if end > start { end } else { start + 1 }
}

/// Returns whether a byte is a letter or digit. Every byte beyond ASCII counts as one, so that no position is within a
/// character.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}
