//! Policies as lists of phrases, and what of them stands in a text, evasions undone.
//!
//! Each phrase has a weight; a text's score under a policy is the sum of the weights of the phrases that stand in it,
//! each counted once. Whatever is flagged names its phrase and its place. It understands nothing: neither quotation,
//! nor negation, nor irony, nor any language but English.

mod fold;
mod own;
mod own_phrase;
mod page;

use fold::Word;
use page::{PAGE, Page, Phrase};

pub use own::{MAX_DESCRIPTION, MAX_PHRASES, MAX_POLICIES, Policies};
pub use own_phrase::{DEFAULT_WEIGHT, MAX_PHRASE, MAX_WEIGHT};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing was flagged.
    None,
    /// A score of up to 3.
    Low,
    /// A score of up to 6.
    Medium,
    /// More.
    High,
}

impl Severity {
    /// That of a score.
    pub fn of(score: u32) -> Self {
        match score {
            0 => Self::None,
            1..=3 => Self::Low,
            4..=6 => Self::Medium,
            _ => Self::High,
        }
    }

    /// Its name, as metadata has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The severity of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::None, Self::Low, Self::Medium, Self::High].into_iter().find(|severity| severity.name() == name)
    }
}

/// A phrase that stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The policy that it is a phrase of.
    pub policy: String,
    /// The phrase, as the list has it.
    pub phrase: String,
    /// What it weighs.
    pub weight: u32,
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

/// The policy of questions how to hurt a person. `violence` and `harassment` include it.
pub const HARM_SEEKING: &str = "potential_harm_seeking";

/// The policy that a name means, as applications spell them: `hate_speech` is `hate`.
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

/// A name in small letters, with `_` between its words.
fn plain(name: &str) -> String {
    let plain = |letter: char| if letter == '-' || letter == ' ' { '_' } else { letter.to_ascii_lowercase() };
    name.chars().map(plain).collect()
}

/// The names of all policies.
pub fn policies() -> &'static [&'static str] {
    page::names()
}

/// What of some policies stands in a text, in order.
pub fn flags(text: &str, policies: &[&str]) -> Vec<Flag> {
    flags_of(&[&PAGE], text, policies)
}

/// The same for the phrases of several pages.
fn flags_of(pages: &[&Page], text: &str, policies: &[&str]) -> Vec<Flag> {
    let mut flags = Vec::new();
    // How many letters stood alone in a row before: those after the second were joined with one of the first two, of
    // which the first may be an article.
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

/// Where a phrase that begins with a word ends, if it stands there.
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
