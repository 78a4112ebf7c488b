//! The built-in moderation phrases, indexed by their first word.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use mcp_sieve::Hashing;

use super::fold;

/// The built-in phrases.
pub(super) static PAGE: LazyLock<Page> = LazyLock::new(|| Page::parse(SOURCE));
const SOURCE: &str = include_str!("policies.txt");

/// Returns the names of the policies of [`PAGE`], in its order.
pub(super) fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| SOURCE.lines().filter_map(|line| line.strip_prefix("! ")).collect());
    &NAMES
}

/// Phrases, indexed by their normalized first word.
#[derive(Debug, Default)]
pub(super) struct Page {
    phrases: HashMap<Vec<u8>, Vec<Arc<Phrase>>, Hashing>,
    /// The phrases whose first word may have any ending, by its first [`STEM`] letters.
    stems: HashMap<Vec<u8>, Vec<Arc<Phrase>>, Hashing>,
}

#[derive(Debug)]
pub(super) struct Phrase {
    pub policy: Cow<'static, str>,
    pub text: Cow<'static, str>,
    pub weight: u32,
    /// The alternatives for each word.
    pub words: Vec<WordSet>,
}

/// The alternatives for a word of a phrase, normalized, each with whether it may have any ending.
pub(super) type WordSet = Arc<[(Vec<u8>, bool)]>;

/// The number of letters by which a word that may have any ending is indexed.
pub(super) const STEM: usize = 3;

impl Page {
    fn parse(page: &'static str) -> Self {
        let (mut parsed, mut policy) = (Self::default(), "");
        let mut sets: HashMap<&str, WordSet> = HashMap::new();
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix("! ") {
                policy = name;
                continue;
            }
            let Some((weight, text)) = line.split_once(' ') else { continue };
            if weight == "=" {
                let (name, words) = text.split_once(' ').unwrap_or_default();
                sets.insert(name, words.split(' ').map(|word| (folded(word), word.ends_with('*'))).collect());
                continue;
            }
            let set = |word| match sets.get(word) {
                Some(set) => Arc::clone(set),
                None => Arc::from([(folded(word), word.ends_with('*'))]),
            };
            let words = text.split(' ').map(set).collect();
            let weight = weight.parse().unwrap_or(0);
            parsed.add(Phrase { policy: policy.into(), text: text.into(), weight, words });
        }
        parsed
    }

    /// Adds a phrase, indexed by each alternative of its first word. A phrase without words is ignored.
    pub fn add(&mut self, phrase: Phrase) {
        let phrase = Arc::new(phrase);
        for (letters, open) in phrase.words.first().into_iter().flat_map(|first| first.iter()) {
            let indexed = if *open {
                self.stems.entry(letters.iter().copied().take(STEM).collect()).or_default()
            } else {
                self.phrases.entry(letters.clone()).or_default()
            };
            // Two alternatives may have one stem.
            if !indexed.last().is_some_and(|last| Arc::ptr_eq(last, &phrase)) {
                indexed.push(Arc::clone(&phrase));
            }
        }
    }

    /// Returns the phrases that may begin with a word of these letters.
    #[inline]
    pub fn beginning_with<'p>(&'p self, letters: &[u8]) -> impl Iterator<Item = &'p Phrase> + use<'p> {
        let known = self.phrases.get(letters).into_iter().flatten();
        let stems = letters.get(..STEM).and_then(|stem| self.stems.get(stem));
        known.chain(stems.into_iter().flatten()).map(Arc::as_ref)
    }
}

fn folded(word: &str) -> Vec<u8> {
    fold::word(word, 0).map(|word| word.letters().to_vec()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_begins_with_any_alternative_of_its_first_word() {
        let page = Page::parse("! drill\n= THEM children kids* kidneys*\n2 THEM outside");
        for (first, found) in [("children", 1), ("kidsies", 1), ("kidneys", 1), ("child", 0)] {
            assert_eq!(page.beginning_with(&folded(first)).count(), found, "{first}");
        }
    }
}
