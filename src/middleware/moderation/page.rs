use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use super::fold;
use crate::digest::Hashing;

/// The built-in phrases.
pub(super) static PAGE: LazyLock<Page> = LazyLock::new(|| Page::parse(SOURCE));
const SOURCE: &str = include_str!("policies.txt");

/// The names of the policies of [`PAGE`], in its order.
pub(super) fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| SOURCE.lines().filter_map(|line| line.strip_prefix("! ")).collect());
    &NAMES
}

/// Phrases, indexed by their normalized first word.
#[derive(Debug, Default)]
pub(super) struct Page {
    phrases: HashMap<Vec<u8>, Vec<Phrase>, Hashing>,
    /// The phrases whose first word may have any ending, by its first [`STEM`] letters.
    stems: HashMap<Vec<u8>, Vec<Phrase>, Hashing>,
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

    /// Adds a phrase, indexed by the first alternative of its first word. A phrase without words is ignored.
    pub fn add(&mut self, phrase: Phrase) {
        let Some((first, open)) = phrase.words.first().and_then(|first| first.first()).cloned() else {
            return;
        };
        if open {
            self.stems.entry(first.into_iter().take(STEM).collect()).or_default().push(phrase);
        } else {
            self.phrases.entry(first).or_default().push(phrase);
        }
    }

    /// Returns the phrases that may begin with a word of these letters.
    #[inline]
    pub fn beginning_with<'p>(&'p self, letters: &[u8]) -> impl Iterator<Item = &'p Phrase> + use<'p> {
        let known = self.phrases.get(letters).into_iter().flatten();
        known.chain(letters.get(..STEM).and_then(|stem| self.stems.get(stem)).into_iter().flatten())
    }
}

fn folded(word: &str) -> Vec<u8> {
    fold::word(word, 0).map(|word| word.letters().to_vec()).unwrap_or_default()
}
