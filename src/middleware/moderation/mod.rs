//! Policies as lists of phrases, and what of them stands in a text, evasions undone.
//!
//! Each phrase has a weight; a text's score under a policy is the sum of the weights of the phrases that stand in it,
//! each counted once. Whatever is flagged names its phrase and its place. It understands nothing: neither quotation,
//! nor negation, nor irony, nor any language but English.

mod fold;

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use fold::Word;

use crate::digest::Hashing;

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

/// The page that ships with the crate.
static PAGE: LazyLock<Page> = LazyLock::new(|| Page::parse(include_str!("policies.txt")));

/// Phrases, by the fold of their first word.
#[derive(Debug, Default)]
struct Page {
    policies: Vec<&'static str>,
    phrases: HashMap<Vec<u8>, Vec<Phrase>, Hashing>,
    /// Those whose first word may go on, by its first three letters.
    stems: HashMap<Vec<u8>, Vec<Phrase>, Hashing>,
}

#[derive(Debug)]
struct Phrase {
    policy: &'static str,
    text: &'static str,
    weight: u32,
    /// What may stand at each place.
    words: Vec<WordSet>,
}

/// Words of which one stands at a place of a phrase: each folded, and whether it may go on.
type WordSet = Arc<[(Vec<u8>, bool)]>;

/// How many letters of a word that may go on find it.
const STEM: usize = 3;

impl Page {
    fn parse(page: &'static str) -> Self {
        let (mut parsed, mut policy) = (Self::default(), "");
        let mut sets: HashMap<&str, WordSet> = HashMap::new();
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix("! ") {
                policy = name;
                parsed.policies.push(name);
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
            let words: Vec<WordSet> = text.split(' ').map(set).collect();
            let Some((first, open)) = words.first().and_then(|first| first.first()).cloned() else {
                continue;
            };
            let phrase = Phrase { policy, text, weight: weight.parse().unwrap_or(0), words };
            if open {
                parsed.stems.entry(first.into_iter().take(STEM).collect()).or_default().push(phrase);
            } else {
                parsed.phrases.entry(first).or_default().push(phrase);
            }
        }
        parsed
    }
}

fn folded(word: &str) -> Vec<u8> {
    fold::word(word, 0).map(|word| word.letters().to_vec()).unwrap_or_default()
}

/// The policy that a name means, as applications spell them: `hate_speech` is `hate`.
pub fn policy(name: &str) -> Option<&'static str> {
    let plain: String = name
        .chars()
        .map(|letter| if letter == '-' || letter == ' ' { '_' } else { letter.to_ascii_lowercase() })
        .collect();
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
    PAGE.policies.iter().copied().find(|policy| *policy == meant)
}

/// The names of all policies.
pub fn policies() -> &'static [&'static str] {
    &PAGE.policies
}

/// What of some policies stands in a text, in order.
pub fn flags(text: &str, policies: &[&str]) -> Vec<Flag> {
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
            let known = PAGE.phrases.get(letters).into_iter().flatten();
            let stems = letters.get(..STEM).and_then(|stem| PAGE.stems.get(stem)).into_iter().flatten();
            for phrase in known.chain(stems).filter(|phrase| policies.contains(&phrase.policy)) {
                if let Some(end) = stands(phrase, text, &first) {
                    let Phrase { policy, text, weight, .. } = *phrase;
                    flags.push(Flag {
                        policy: policy.to_owned(),
                        phrase: text.to_owned(),
                        weight,
                        start: first.start,
                        end,
                    });
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
