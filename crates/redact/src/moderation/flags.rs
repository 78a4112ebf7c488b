//! The search for the phrases of policies in a text.

use super::{
    fold::{self, Word},
    page::{Page, Phrase},
};

/// A phrase of a policy that was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The name of the policy.
    pub policy: String,
    /// The phrase, as written in the list.
    pub phrase: String,
    /// The weight of the phrase.
    pub weight: u32,
    /// The position of the first byte.
    pub start: usize,
    /// The position after the last byte.
    pub end: usize,
}

/// Returns the phrases of some pages and the given policies that a text contains, in order.
pub(super) fn flags_of(pages: &[&Page], text: &str, policies: &[&str]) -> Vec<Flag> {
    let mut flags = Vec::new();
    // `alone` counts single letters in a row. They are joined from the first one, and from the second one in case the
    // first is an article. Later letters are part of these words.
    let (mut place, mut alone) = (0, 0);
    while let Some(word) = fold::word(text, place) {
        place = word.end;
        alone = if word.alone() { alone + 1 } else { 0 };
        let joined = if alone < 3 { fold::joined(text, word) } else { None };
        for first in [Some(word), joined].into_iter().flatten() {
            let letters = first.letters();
            for page in pages {
                for phrase in
                    page.beginning_with(letters).filter(|phrase| policies.contains(&&*phrase.policy))
                {
                    if let Some(end) = stands(phrase, text, &first) {
                        flags.push(Flag {
                            policy: phrase.policy.to_string(),
                            phrase: phrase.text.to_string(),
                            weight: phrase.weight,
                            start: first.start,
                            end,
                        });
                    }
                }
            }
        }
    }
    flags
}

/// Returns the end of a phrase if the text contains it from the word `first` on.
fn stands(phrase: &Phrase, text: &str, first: &Word) -> Option<usize> {
    let mut word = *first;
    for (place, words) in phrase.words.iter().enumerate() {
        let fits = |word: &Word| {
            words.iter().any(|(letters, open)| {
                if *open { word.letters().starts_with(letters) } else { word.letters() == letters.as_slice() }
            })
        };
        if place > 0 {
            let next = fold::word(text, word.end)?;
            word = if fits(&next) { next } else { fold::joined(text, next)? };
        }
        if !fits(&word) {
            return None;
        }
    }
    Some(word.end)
}
