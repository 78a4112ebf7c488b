//! The corpus classes: a kind in a language, with sentence templates and generated values.

use mcp_sieve_redact::Kind;

use crate::{generate::Labelled, random::Random};

/// Which half a sentence is of. Nothing is tuned on the second: only its figures are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Tuning,
    Judging,
}

/// Sentences, with `{}` where the value stands, and the parts that values are made of: one of each list in turn. In a
/// part `#` is a digit, `^` a digit but 0, `$` a capital.
#[derive(Debug)]
pub struct Sentences {
    pub around: &'static [&'static str],
    pub parts: &'static [&'static [&'static str]],
}

/// A kind in a language.
#[derive(Debug)]
pub struct Class {
    pub kind: Kind,
    pub language: &'static str,
    /// Whether a drawn value can be one.
    pub holds: fn(&str) -> bool,
    pub tuning: Sentences,
    pub judging: Sentences,
}

impl Class {
    /// Draws a sentence with its label.
    pub fn sentence(&self, half: Half, random: &mut Random) -> Labelled {
        let sentences = if half == Half::Tuning { &self.tuning } else { &self.judging };
        let value = loop {
            let draw = |part: &&[&str]| {
                let part = *random.pick::<&str>(part);
                expand(part, random)
            };
            let value: String = sentences.parts.iter().map(draw).collect();
            if (self.holds)(&value) {
                break value;
            }
        };
        let (before, behind) = random.pick(sentences.around).split_once("{}").unwrap();
        Labelled {
            text: format!("{before}{value}{behind}"),
            truth: vec![(self.kind, before.len(), before.len() + value.len())],
        }
    }
}

pub fn expand(part: &str, random: &mut Random) -> String {
    let one = |character: char| match character {
        '#' => char::from(b'0' + random.below(10) as u8),
        '^' => char::from(b'1' + random.below(9) as u8),
        '$' => char::from(b'A' + random.below(26) as u8),
        other => other,
    };
    part.chars().map(one).collect()
}

pub const fn class(
    kind: Kind,
    language: &'static str,
    holds: fn(&str) -> bool,
    tuning: Sentences,
    judging: Sentences,
) -> Class {
    Class { kind, language, holds, tuning, judging }
}

pub const fn sentences(
    around: &'static [&'static str],
    parts: &'static [&'static [&'static str]],
) -> Sentences {
    Sentences { around, parts }
}
