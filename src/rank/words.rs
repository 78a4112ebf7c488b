//! The tokenizer for search: splits texts and joined names into folded words.

use crate::rank::Index;
use std::ops::Range;

use super::{
    fold::{Class, fold},
    stem::stem,
    table::Table,
};

/// Maximum length, in bytes, of a word. Longer words are truncated. They are not vocabulary, but for example base64.
pub(super) const MAX_WORD: usize = 40;

/// A folded word in a text.
#[derive(Debug)]
pub(super) struct Word<'a> {
    /// The text that contains the word.
    text: &'a str,
    place: Range<usize>,
    /// The bytes of the word, with the first one lowest, if there are fewer than eight and they are already loaded.
    bytes: Option<u64>,
}

impl Word<'_> {
    pub fn text(&self) -> &str {
        self.text.get(self.place.clone()).unwrap_or_default()
    }

    /// Returns the hash of the word in a table.
    #[inline(always)]
    pub fn hash(&self, table: &Table) -> u64 {
        match self.bytes {
            Some(bytes) => table.hash_short(self.place.len(), bytes),
            None => table.hash(self.text()),
        }
    }
}

/// Splits texts into folded words: at spaces and punctuation, and within joined names (`getIssue`, `HTTPServer`,
/// `2factor`). Text in a script without spaces yields each pair of adjacent letters.
#[derive(Debug, Default)]
pub(super) struct Words {
    word: String,
}

impl Words {
    /// Calls `visit` with each word of `text`, in order.
    pub fn each(&mut self, text: &str, visit: &mut dyn FnMut(&str)) {
        self.each_word(text, &mut |word| visit(word.text()));
    }

    /// Calls `visit` with each word of `text`, in order, for lookups in a table.
    pub fn each_word(&mut self, text: &str, visit: &mut dyn FnMut(&Word<'_>)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(first) = bytes.get(at) {
            // Most words are shorter than eight letters, and end within the bytes that are loaded here.
            if let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
                let word = u64::from_le_bytes(*word);
                let length = others(word).trailing_zeros() / 8;
                if length < 8 && !joins((word >> (8 * length)) as u8) {
                    let end = at + length as usize;
                    if length > 0 {
                        let bytes = Some(word & ((1 << (8 * length)) - 1));
                        visit(&Word { text, place: at..end, bytes });
                    }
                    at = end + 1;
                    continue;
                }
            }
            if !joins(*first) {
                at += 1;
                continue;
            }
            // Most words are lowercase to their end, except perhaps the first letter.
            let capital = usize::from(first.is_ascii_uppercase());
            let rest = bytes.get(at + capital..).unwrap_or_default();
            let mut length = small(rest);
            let plain = !rest.get(length).is_some_and(|byte| joins(*byte)) && length < MAX_WORD;
            if !plain {
                length += rest.iter().skip(length).take_while(|byte| joins(**byte)).count();
            }
            let end = at + capital + length;
            let piece = text.get(at..end).unwrap_or_default();
            if !plain {
                self.mixed(piece, visit);
            } else if capital == 0 {
                visit(&Word { text, place: at..end, bytes: None });
            } else {
                self.word.push_str(piece);
                self.word.make_ascii_lowercase();
                self.end(visit);
            }
            at = end + 1;
        }
    }

    /// Splits a piece of text without spaces or punctuation that is not a plain word.
    fn mixed(&mut self, text: &str, visit: &mut dyn FnMut(&Word<'_>)) {
        // The class of the previous letter, and that letter itself if its script has no spaces.
        let (mut last, mut before) = (Class::Other, None);
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let (folded, class) = fold(c);
            let next = || chars.clone().next().map_or(Class::Other, |next| fold(next).1);
            let ends = match (last, class) {
                // In `l'été` and `qu'il`, the letters before the apostrophe are an article or a conjunction.
                (_, Class::Mark) if matches!(c, '\'' | '’') && is_elided(&self.word) => {
                    self.word.clear();
                    last = Class::Other;
                    continue;
                }
                (_, Class::Mark) => continue,
                (Class::Small | Class::Digit, Class::Capital) | (Class::Digit, Class::Small) => true,
                // The last of several capitals belongs to the next word: `HTTP` `Server`.
                (Class::Capital, Class::Capital) => next() == Class::Small,
                (_, Class::Other | Class::Unspaced) | (Class::Unspaced, _) => true,
                _ => false,
            };
            if ends {
                self.end(visit);
            }
            if class == Class::Unspaced {
                // Letters form pairs. A letter without neighbors is a word of its own.
                let pair = before.replace(folded);
                self.word.extend(pair);
                if pair.is_some() || next() != Class::Unspaced {
                    self.word.push(folded);
                }
            } else {
                before = None;
                if class != Class::Other && self.word.len() < MAX_WORD {
                    self.word.push(folded);
                }
            }
            last = class;
        }
        self.end(visit);
    }

    fn end(&mut self, visit: &mut dyn FnMut(&Word<'_>)) {
        if !self.word.is_empty() {
            visit(&Word { text: &self.word, place: 0..self.word.len(), bytes: None });
            self.word.clear();
        }
    }
}

/// Returns whether these letters are a French word that lost its vowel before an apostrophe.
fn is_elided(word: &str) -> bool {
    matches!(word, "l" | "d" | "j" | "m" | "t" | "s" | "n" | "c" | "qu")
}

impl Index {
    /// Calls `visit` with the stem of each word of `text`, in order.
    pub fn each_stem(text: &str, visit: &mut dyn FnMut(&str)) {
        let mut stemmed = String::new();
        Words::default().each(text, &mut |word| {
            stemmed.clear();
            stemmed.push_str(word);
            stem(&mut stemmed);
            visit(&stemmed);
        });
    }
}

/// Returns whether a byte may be part of a word: ASCII letters and digits, the apostrophe, and all bytes beyond ASCII.
fn joins(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'\'' || byte >= 0x80
}

/// Returns the highest bit of each of eight bytes that is not a lowercase ASCII letter.
#[inline]
fn others(bytes: u64) -> u64 {
    // Each byte is reduced to seven bits, so that no sum overflows into the next byte.
    const ONES: u64 = u64::MAX / 255;
    let low = bytes & (ONES * 0x7f);
    let from_a = low + ONES * (0x80 - b'a' as u64);
    let beyond_z = low + ONES * (0x7f - b'z' as u64);
    (beyond_z | !from_a | bytes) & (ONES * 0x80)
}

/// Returns the number of lowercase ASCII letters at the start of `rest`.
fn small(rest: &[u8]) -> usize {
    let (words, tail) = rest.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let others = others(u64::from_le_bytes(*word));
        if others != 0 {
            return at * 8 + others.trailing_zeros() as usize / 8;
        }
    }
    rest.len() - tail.len() + tail.iter().take_while(|byte| byte.is_ascii_lowercase()).count()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::{MAX_WORD, Words, small};

    #[track_caller]
    fn splits(text: &str, expected: &[&str]) {
        let mut words = Vec::new();
        Words::default().each(text, &mut |word| words.push(word.to_owned()));
        assert_eq!(words, expected, "{text}");
    }

    #[test]
    fn names_are_split_where_they_were_joined() {
        splits(
            "createIssue create-issue create_issue",
            &["create", "issue", "create", "issue", "create", "issue"],
        );
        splits(
            "HTTPServer parseXMLDocument getIP",
            &["http", "server", "parse", "xml", "document", "get", "ip"],
        );
        splits(
            "mp3 utf8Text 2factor s3.getObject 3D",
            &["mp3", "utf8", "text", "2", "factor", "s3", "get", "object", "3", "d"],
        );
        splits("12306-mcp api/v2/users", &["12306", "mcp", "api", "v2", "users"]);
    }

    #[test]
    fn other_scripts_and_signs() {
        splits("don't naïve cafe\u{301} user's", &["dont", "naive", "cafe", "users"]);
        splits(
            "l’été d'aujourd'hui Qu'il o'clock I'm L' s",
            &["ete", "aujourdhui", "il", "oclock", "im", "s"],
        );
        splits("Привет, МИР! Ёлка", &["привет", "мир", "елка"]);
        splits("ニュース", &["ニュ", "ュー", "ース"]);
        splits("获取BBC新闻 火 x", &["获取", "bbc", "新闻", "火", "x"]);
        splits("😀 — … \u{200b}", &[]);
        splits("", &[]);
    }

    #[test]
    fn small_letters_are_counted() {
        for byte in 0..=255u8 {
            for at in 0..20 {
                let mut bytes = [b'm'; 20];
                bytes[at] = byte;
                let expected = if byte.is_ascii_lowercase() { 20 } else { at };
                assert_eq!(small(&bytes), expected, "{byte} at {at}");
            }
        }
        assert_eq!((small(b"az"), small(b""), small(b"azazazaz")), (2, 0, 8));
    }

    #[test]
    fn a_word_has_a_longest_length() {
        let (long, cut) = ("x".repeat(500), "x".repeat(MAX_WORD));
        splits(&long, &[&cut]);
        let mut longest = 0;
        Words::default().each(&"я".repeat(500), &mut |word| longest = longest.max(word.len()));
        assert!(longest <= MAX_WORD + 3, "{longest}");
    }
}
