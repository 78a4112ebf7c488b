//! Parses the phrases of an operator's own moderation policies, with their weights.

use std::sync::Arc;

use mcp_sieve::{Error, json::Entry};

use super::{
    fold::{self, LONGEST},
    page::{STEM, WordSet},
};

/// Maximum length of a phrase, in bytes.
pub(super) const MAX_PHRASE: usize = 128;
/// Maximum weight of a phrase.
pub(super) const MAX_WEIGHT: u32 = 9;
/// The weight of a phrase that sets none. On its own, it has [`Severity::Medium`](super::Severity::Medium).
pub(super) const DEFAULT_WEIGHT: u32 = 4;

/// Parses a phrase and its weight: a string, or an object with `phrase` and `weight`.
pub(super) fn phrase(entry: &Entry<'_>) -> Result<(String, u32), Error> {
    let (mut text, mut weight) = (String::new(), DEFAULT_WEIGHT);
    if !entry.raw().is_object() {
        return checked(entry).map(|text| (text, weight));
    }
    let mut record = entry.record(&["phrase", "weight"])?;
    record.need(&["phrase"]);
    record.fill("phrase", &mut text, checked);
    record.fill("weight", &mut weight, |entry| entry.whole(1, i64::from(MAX_WEIGHT)));
    record.end().map(|()| (text, weight))
}

/// Parses the text of a phrase, and rejects one that could never match.
fn checked(entry: &Entry<'_>) -> Result<String, Error> {
    let text = entry.some_text()?;
    if text.len() > MAX_PHRASE {
        return Err(entry.refuse(format!("expected at most {MAX_PHRASE} bytes")));
    }
    words(&text).map(|_| text).map_err(|message| entry.refuse(message))
}

/// Returns the normalized words of a phrase, which are compared with those of a text.
///
/// # Errors
/// Returns a message for a phrase that would never match, or would match if a text contains only a part of it.
pub(super) fn words(text: &str) -> Result<Vec<WordSet>, String> {
    let (mut words, mut place) = (Vec::new(), 0);
    while let Some(word) = fold::word(text, place) {
        separates(text.get(place..word.start).unwrap_or_default())?;
        let (letters, open) = (word.letters(), text.as_bytes().get(word.end) == Some(&b'*'));
        let written = text.get(word.start..word.end).unwrap_or_default();
        if letters.contains(&b'?') {
            return Err(format!("expected letters of the Latin alphabet in `{written}`"));
        }
        if letters.len() == LONGEST {
            return Err(format!("expected words of less than {LONGEST} letters, found `{written}`"));
        }
        if open && letters.len() < STEM {
            return Err(format!("expected at least {STEM} different letters before `*` in `{written}*`"));
        }
        words.push(Arc::from([(letters.to_vec(), open)]));
        place = word.end + usize::from(open);
    }
    separates(text.get(place..).unwrap_or_default())?;
    if words.is_empty() { Err("expected at least one word".to_owned()) } else { Ok(words) }
}

/// Rejects characters between words that are not compared, although the author may expect it.
fn separates(between: &str) -> Result<(), String> {
    match between.chars().find(|c| c.is_alphanumeric() || *c == '*') {
        Some('*') => Err("expected `*` only at the end of a word".to_owned()),
        Some(found) => Err(format!("expected words of letters: `{found}` is not compared with a text")),
        None => Ok(()),
    }
}
