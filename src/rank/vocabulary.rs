//! The sorted stems of an index, with lookups by text and by prefix.

use std::{cmp::Ordering, ops::Range};

/// The sorted stems of a catalog. The number of a stem is its position.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    text: String,
    /// The end of each stem in `text`.
    ends: Vec<u32>,
    /// The letters of each stem, one bit for each letter.
    letters: Vec<u32>,
}

impl Vocabulary {
    /// Appends a stem, which must sort after all others.
    pub fn push(&mut self, stem: &str) {
        self.text.push_str(stem);
        self.ends.push(self.text.len() as u32);
        self.letters.push(letters(stem));
    }

    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.letters.shrink_to_fit();
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the size in memory, in bytes.
    pub fn size(&self) -> usize {
        self.text.capacity() + 4 * (self.ends.capacity() + self.letters.capacity())
    }

    pub fn get(&self, at: usize) -> &str {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        let end = self.ends.get(at).map_or(start, |end| *end as usize);
        self.text.get(start..end).unwrap_or_default()
    }

    pub fn find(&self, stem: &str) -> Option<u32> {
        let at = self.first(|known| known.cmp(stem.as_bytes()) == Ordering::Less);
        (at < self.len() && self.get(at) == stem).then_some(at as u32)
    }

    /// Returns the range of the stems that begin with `prefix`, which may end within a character.
    pub fn beginning(&self, prefix: &[u8]) -> Range<usize> {
        let head = |known: &[u8]| known.get(..prefix.len()).unwrap_or(known).cmp(prefix);
        let start = self.first(|known| head(known) == Ordering::Less);
        let end = self.first(|known| head(known) != Ordering::Greater);
        start..end
    }

    /// Returns the letters of the stem at `at`, one bit for each.
    pub fn letters(&self, at: usize) -> u32 {
        self.letters.get(at).copied().unwrap_or_default()
    }

    /// Returns the first position for which `before` does not hold.
    fn first(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.get(middle).as_bytes()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Returns one bit for each letter in `stem`.
pub(super) fn letters(stem: &str) -> u32 {
    stem.bytes().fold(0, |letters, byte| letters | 1 << (byte & 31))
}

#[cfg(test)]
mod tests {
    use super::{Vocabulary, letters};

    #[test]
    fn finds_stems_and_beginnings() {
        let stems = ["a", "issu", "issue", "list", "lis\u{e9}", "z"];
        let mut sorted = stems.to_vec();
        sorted.sort_unstable();
        let mut vocabulary = Vocabulary::default();
        sorted.iter().for_each(|stem| vocabulary.push(stem));
        for (at, stem) in sorted.iter().enumerate() {
            assert_eq!(vocabulary.find(stem), Some(at as u32));
            assert_eq!(vocabulary.get(at), *stem);
            assert_eq!(vocabulary.letters(at), letters(stem));
            for end in 0..=stem.len() {
                let prefix = stem.as_bytes().get(..end).unwrap_or_default();
                let expected: Vec<_> = (0..sorted.len())
                    .filter(|at| vocabulary.get(*at).as_bytes().starts_with(prefix))
                    .collect();
                assert_eq!(vocabulary.beginning(prefix).collect::<Vec<_>>(), expected, "{prefix:?}");
            }
        }
        for unknown in ["", "b", "iss", "issues", "zz"] {
            assert_eq!(vocabulary.find(unknown), None, "{unknown}");
        }
        assert!(vocabulary.beginning(b"q").is_empty());
        assert_eq!(Vocabulary::default().find("a"), None);
    }
}
