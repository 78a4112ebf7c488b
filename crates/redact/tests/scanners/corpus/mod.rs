//! Sentences with personal data, by kind and language, in two halves: one for tuning, one for judging. The halves share
//! neither a sentence nor a value. Both are drawn from a seed.

mod addresses;
mod cards;
mod checks;
mod class;
mod dates;
mod network;
mod nothing;
mod numbers;
mod people;
mod phones;

use class::expand;
use nothing::NOTHING;

use crate::random::Random;

pub use class::{Class, Half, Sentences};

/// Sentences with personal data, and sentences without, by one author.
#[derive(Debug)]
pub struct Corpus {
    pub classes: Vec<&'static Class>,
    pub nothing: [&'static [&'static str]; 2],
}

impl Corpus {
    /// Draws a sentence without anything.
    pub fn nothing(&self, half: Half, random: &mut Random) -> String {
        expand(random.pick::<&str>(self.nothing[usize::from(half == Half::Judging)]), random)
    }
}

/// The corpus of the scanner's authors.
pub fn corpus() -> Corpus {
    let files = [
        phones::CLASSES,
        cards::CLASSES,
        dates::CLASSES,
        people::CLASSES,
        addresses::CLASSES,
        network::CLASSES,
        numbers::CLASSES,
    ];
    Corpus { classes: files.into_iter().flatten().collect(), nothing: NOTHING }
}
