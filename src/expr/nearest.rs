//! Finds the closest candidate for a misspelled word.

use crate::edit_distance::edit_distance;
use crate::expr::Expr;

/// Maximum number of letters of a word that is compared. Typos in longer words are not considered, because the time is
/// quadratic.
const MOST: usize = 64;

impl Expr {
    /// Returns the candidate that `word` may be a typo of: one that begins with it, or that differs in few letters. Of
    /// equally close candidates, returns the first. The case of ASCII letters is ignored.
    pub fn nearest<'a>(word: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
        let word: Vec<char> = letters(word).take(MOST + 1).collect();
        let mut nearest = None;
        // One typo for every three letters is allowed, and at least one.
        let mut least = (word.len() / 3).max(1) + 1;
        for candidate in candidates.take_while(|_| word.len() <= MOST) {
            let other: Vec<char> = letters(candidate).take(MOST).collect();
            let begun = word.len() > 2 && other.starts_with(&word);
            let slips = if begun { 1 } else { distance(&word, &other) };
            if slips < least.min(other.len()) {
                (nearest, least) = (Some(candidate), slips);
            }
        }
        nearest
    }
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|c| c.to_ascii_lowercase())
}

/// Returns the optimal string alignment distance of two words of at most 64 letters.
pub fn distance(from: &[char], to: &[char]) -> usize {
    edit_distance::<{ MOST + 1 }, _>(from, to)
}
