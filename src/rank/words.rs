use std::ops::Range;

use super::{
    fold::{Class, fold},
    stem::stem,
    table::Table,
};

/// Longest word that is kept, in bytes; what is longer is cut. No vocabulary has such words, but base64 has.
pub(super) const MAX_WORD: usize = 40;

/// A folded word of a text.
#[derive(Debug)]
pub(super) struct Word<'a> {
    /// What it is a part of.
    text: &'a str,
    place: Range<usize>,
    /// Its bytes, the first the lowest, where they are fewer than eight and were loaded to find its end.
    bytes: Option<u64>,
}

impl Word<'_> {
    pub fn text(&self) -> &str {
        self.text.get(self.place.clone()).unwrap_or_default()
    }

    /// What it is known by in a table.
    #[inline(always)]
    pub fn hash(&self, table: &Table) -> u64 {
        match self.bytes {
            Some(bytes) => table.hash_short(self.place.len(), bytes),
            None => table.hash(self.text()),
        }
    }
}

/// Splits texts into folded words: at spaces and punctuation, and where names join words (`getIssue`,
/// `HTTPServer`, `2factor`). A script without spaces gives each pair of neighbouring letters.
#[derive(Debug, Default)]
pub(super) struct Words {
    word: String,
}

impl Words {
    /// Calls `visit` with each word of `text`, in order.
    pub fn each(&mut self, text: &str, visit: &mut dyn FnMut(&str)) {
        self.each_word(text, &mut |word| visit(word.text()));
    }

    /// The same for words that are looked up in a table.
    pub fn each_word(&mut self, text: &str, visit: &mut dyn FnMut(&Word<'_>)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(first) = bytes.get(at) {
            // Nearly all words are shorter than eight letters, and end within the bytes that were loaded to look at them.
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
            // Most words are small letters to their end, but perhaps the first.
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

    /// Splits what stands between spaces where it is no plain word.
    fn mixed(&mut self, text: &str, visit: &mut dyn FnMut(&Word<'_>)) {
        // The class of the letter before, and that letter itself where it is of a script without spaces.
        let (mut last, mut before) = (Class::Other, None);
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let (folded, class) = fold(c);
            let next = || chars.clone().next().map_or(Class::Other, |next| fold(next).1);
            let ends = match (last, class) {
                // Of `l'été` and `qu'il` the first letters are an article or a conjunction.
                (_, Class::Mark) if matches!(c, '\'' | '’') && is_elided(&self.word) => {
                    self.word.clear();
                    last = Class::Other;
                    continue;
                }
                (_, Class::Mark) => continue,
                (Class::Small | Class::Digit, Class::Capital) | (Class::Digit, Class::Small) => true,
                // The last capital of several belongs to the word behind: `HTTP` `Server`.
                (Class::Capital, Class::Capital) => next() == Class::Small,
                (_, Class::Other | Class::Unspaced) | (Class::Unspaced, _) => true,
                _ => false,
            };
            if ends {
                self.end(visit);
            }
            if class == Class::Unspaced {
                // In pairs; alone only where there is no other.
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

/// Whether a French word may lose its vowel before an apostrophe to these letters.
fn is_elided(word: &str) -> bool {
    matches!(word, "l" | "d" | "j" | "m" | "t" | "s" | "n" | "c" | "qu")
}

/// Calls `visit` with the stem of each word of `text`, in order.
pub(crate) fn each_stem(text: &str, visit: &mut dyn FnMut(&str)) {
    let mut stemmed = String::new();
    Words::default().each(text, &mut |word| {
        stemmed.clear();
        stemmed.push_str(word);
        stem(&mut stemmed);
        visit(&stemmed);
    });
}

/// Whether a byte may stand within a word: of ASCII letters, digits and the apostrophe, of the rest all.
fn joins(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'\'' || byte >= 0x80
}

/// The highest bit of each of eight bytes that is no small ASCII letter.
#[inline]
fn others(bytes: u64) -> u64 {
    // Each byte in seven bits, so that no sum reaches the byte above.
    const ONES: u64 = u64::MAX / 255;
    let low = bytes & (ONES * 0x7f);
    let from_a = low + ONES * (0x80 - b'a' as u64);
    let beyond_z = low + ONES * (0x7f - b'z' as u64);
    (beyond_z | !from_a | bytes) & (ONES * 0x80)
}

/// How many small ASCII letters stand at the start of `rest`.
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
