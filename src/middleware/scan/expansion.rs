//! Placeholders that a conversation knew before a text came: in history that is sent again, or from an earlier step.
//!
//! Such a placeholder stays in the text. The scanner reads the value in its place, so that it finds in a redacted text
//! what it found in the original one, and nothing else: what was redacted once stays as it is. A pseudonym stays too, and the
//! scanner reads it as it is written.

use std::borrow::Cow;

use crate::middleware::scan::{
    placeholder::{PlaceholderIndex, next_bracketed},
    placeholder_map::PlaceholderMap,
    pseudonym::Pseudonym,
};

/// Most bytes that values may add to the texts of one redactor: so many, and as many times the length of the texts.
/// The scanner reads a placeholder beyond that as it is written.
const ROOM: usize = 1 << 20;
const ROOM_PER_BYTE: usize = 4;

/// The placeholders that were known when a redactor was made: the first of its placeholders.
#[derive(Debug, Clone)]
pub(crate) struct KnownPlaceholders {
    count: usize,
    /// Their names, read when a text first holds what can be one.
    names: Option<PlaceholderIndex>,
    room: usize,
}

/// The names of the first placeholders.
fn names(placeholders: &PlaceholderMap, count: usize) -> PlaceholderIndex {
    let (mut names, mut name) = (PlaceholderIndex::new(true), String::new());
    for (place, (known, _)) in (0..count).filter_map(|place| Some((place, placeholders.entry(place)?))) {
        name.clear();
        known.push(placeholders.patterns(), &mut name);
        names.add(&name, place);
    }
    names
}

/// A text with values in place of the placeholders that are known.
#[derive(Debug)]
pub(crate) struct ExpandedText<'t> {
    pub text: Cow<'t, str>,
    pub held: Vec<Expansion>,
}

/// A known placeholder: its value in the expanded text, and the placeholder in the text as it came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expansion {
    pub value: (usize, usize),
    pub placeholder: (usize, usize),
}

impl KnownPlaceholders {
    pub fn new(placeholders: &PlaceholderMap) -> Self {
        Self { count: placeholders.len(), names: None, room: ROOM }
    }

    /// Puts values in place of placeholders. A name in another spelling, which only tolerant restoration takes for the
    /// placeholder, stands for itself, and so does a pseudonym.
    pub fn expand<'t>(&mut self, placeholders: &PlaceholderMap, text: &'t str) -> ExpandedText<'t> {
        let (mut out, mut held, mut done, mut exact) = (String::new(), Vec::new(), 0, String::new());
        let mut next = if self.count == 0 { None } else { next_bracketed(text.as_bytes(), 0) };
        let mut pseudonym = Pseudonym::next(text, 0);
        self.room = self.room.saturating_add(text.len().saturating_mul(ROOM_PER_BYTE));
        loop {
            let (start, end, value) = match (next, pseudonym) {
                (bracketed, Some(found)) if bracketed.is_none_or(|(start, ..)| found.start < start) => {
                    pseudonym = Pseudonym::next(text, found.end);
                    (found.start, found.end, None)
                }
                (Some((start, end, name)), _) => {
                    let names = self.names.get_or_insert_with(|| names(placeholders, self.count));
                    let known = names.get(name).and_then(|place| placeholders.entry(place));
                    next = next_bracketed(text.as_bytes(), if known.is_some() { end } else { start + 1 });
                    let Some((known, value)) = known else { continue };
                    exact.clear();
                    known.push(placeholders.patterns(), &mut exact);
                    let fits = exact.as_bytes() == name && value.len() <= self.room;
                    self.room -= if fits { value.len() } else { 0 };
                    (start, end, fits.then_some(value))
                }
                _ => break,
            };
            let value = value.unwrap_or_else(|| text.get(start..end).unwrap_or_default());
            out.push_str(text.get(done..start).unwrap_or_default());
            held.push(Expansion { value: (out.len(), out.len() + value.len()), placeholder: (start, end) });
            out.push_str(value);
            done = end;
        }
        if held.is_empty() {
            return ExpandedText { text: Cow::Borrowed(text), held };
        }
        out.push_str(text.get(done..).unwrap_or_default());
        ExpandedText { text: Cow::Owned(out), held }
    }
}

impl ExpandedText<'_> {
    /// The last placeholder whose value begins at a place of the expanded text or before it.
    fn last(&self, place: usize) -> Option<Expansion> {
        let after = self.held.partition_point(|held| held.value.0 <= place);
        self.held.get(after.checked_sub(1)?).copied()
    }

    /// Where the byte at a place of the expanded text stands in the text as it came; for a byte of a value, where its
    /// placeholder begins.
    pub fn origin(&self, place: usize) -> usize {
        match self.last(place) {
            Some(held) if place < held.value.1 => held.placeholder.0,
            Some(held) => held.placeholder.1 + (place - held.value.1),
            None => place,
        }
    }

    /// Where the byte at a place of the text as it came stands in the expanded text; for a byte of a placeholder, where its
    /// value begins.
    pub fn place(&self, origin: usize) -> usize {
        let after = self.held.partition_point(|held| held.placeholder.0 <= origin);
        match after.checked_sub(1).and_then(|last| self.held.get(last)) {
            Some(held) if origin < held.placeholder.1 => held.value.0,
            Some(held) => held.value.1 + (origin - held.placeholder.1),
            None => origin,
        }
    }

    /// Whether a finding is part of what a placeholder stands for already.
    pub fn covers(&self, start: usize, end: usize) -> bool {
        self.last(start).is_some_and(|held| end <= held.value.1)
    }
}
