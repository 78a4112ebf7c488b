//! Policies as lists of phrases, and a search for these phrases in texts that undoes evasive spellings.
//!
//! Each phrase has a weight. The score of a text under a policy is the sum of the weights of the phrases in it, each
//! counted once. A flag has the phrase and its position. The search does not recognize quotation, negation or irony,
//! and the built-in phrases are English.

mod fold;
mod own;
mod own_phrase;
mod page;

use fold::Word;
use page::{PAGE, Page, Phrase};

pub use own::{MAX_DESCRIPTION, MAX_PHRASES, MAX_POLICIES, Policies};
pub use own_phrase::{DEFAULT_WEIGHT, MAX_PHRASE, MAX_WEIGHT};

/// The severity of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing was flagged.
    None,
    /// A score of up to 3.
    Low,
    /// A score of up to 6.
    Medium,
    /// A score of more than 6.
    High,
}

impl Severity {
    /// Returns the severity of a score.
    pub fn from_score(score: u32) -> Self {
        match score {
            0 => Self::None,
            1..=3 => Self::Low,
            4..=6 => Self::Medium,
            _ => Self::High,
        }
    }

    /// Returns the name in arguments and metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Returns the severity with a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::None, Self::Low, Self::Medium, Self::High].into_iter().find(|severity| severity.name() == name)
    }
}

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

/// The policy for questions about how to hurt a person. `violence` and `harassment` include it.
pub const HARM_SEEKING: &str = "potential_harm_seeking";

/// Returns the built-in policy with a name or a common synonym of it, in any case: `hate_speech` is `hate`.
pub fn policy(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    let meant = match plain.as_str() {
        "hate_speech" => "hate",
        "selfharm" | "suicide" => "self_harm",
        "sexual_content" | "adult" => "sexual",
        "jailbreak" => "prompt_injection",
        "illegal_drugs" => "drugs",
        "scam" => "fraud",
        "threats" | "violent_content" => "violence",
        "bullying" => "harassment",
        other => other,
    };
    policies().iter().copied().find(|policy| *policy == meant)
}

/// Returns a name in small letters, with `_` between its words.
fn plain(name: &str) -> String {
    let plain = |letter: char| if letter == '-' || letter == ' ' { '_' } else { letter.to_ascii_lowercase() };
    name.chars().map(plain).collect()
}

/// Returns the names of the built-in policies.
pub fn policies() -> &'static [&'static str] {
    page::names()
}

/// Returns the built-in phrases of the given policies that a text contains, in order.
pub fn flags(text: &str, policies: &[&str]) -> Vec<Flag> {
    flags_of(&[&PAGE], text, policies)
}

/// Returns the phrases of some pages and the given policies that a text contains, in order.
fn flags_of(pages: &[&Page], text: &str, policies: &[&str]) -> Vec<Flag> {
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
