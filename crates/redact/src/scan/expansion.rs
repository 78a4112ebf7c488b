//! Placeholders that a conversation already contains: in history that is sent again, or from an earlier step.
//!
//! Such a placeholder stays in the text. The scanner reads the value in its place, so that it finds the same in a
//! redacted text as in the original one: redacting a text again changes nothing. A pseudonym stays too, and the
//! scanner reads it as it is written.

use std::borrow::Cow;

use crate::scan::{
    kind::Kind,
    placeholder::{PlaceholderIndex, next_bracketed},
    placeholder_map::{PlaceholderMap, PlaceholderName},
    pseudonym::Pseudonym,
};

/// The total size, in bytes, of the values that may be expanded in the texts of one redactor: this number, and
/// [`ROOM_PER_BYTE`] for each byte of the texts. The scanner reads placeholders beyond that as they are written.
const ROOM: usize = 1 << 20;
const ROOM_PER_BYTE: usize = 4;

/// The placeholders that a redactor knew when it was created: the first `count` of its map.
#[derive(Debug, Clone)]
pub(crate) struct KnownPlaceholders {
    count: usize,
    /// The index of their names, built when a text first contains a possible placeholder.
    names: Option<PlaceholderIndex>,
    room: usize,
}

/// Returns the index of the names of the first `count` placeholders.
fn names(placeholders: &PlaceholderMap, count: usize) -> PlaceholderIndex {
    let (mut names, mut name) = (PlaceholderIndex::new(true), String::new());
    for (place, (known, _)) in (0..count).filter_map(|place| Some((place, placeholders.entry(place)?))) {
        name.clear();
        known.push(placeholders.patterns(), &mut name);
        names.add(&name, place);
    }
    names
}

/// A text in which known placeholders are replaced by their values.
#[derive(Debug)]
pub(crate) struct ExpandedText<'t> {
    pub text: Cow<'t, str>,
    pub held: Vec<Expansion>,
}

/// The range of a value in the expanded text, and the range of its placeholder in the original text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expansion {
    pub value: (usize, usize),
    pub placeholder: (usize, usize),
    /// The kind in the placeholder's name. `None` for a pseudonym, and for a name of another form.
    pub kind: Option<Kind>,
}

impl KnownPlaceholders {
    pub fn new(placeholders: &PlaceholderMap) -> Self {
        Self { count: placeholders.len(), names: None, room: ROOM }
    }

    /// Replaces known placeholders by their values. A name in another spelling, which only tolerant restoration
    /// recognizes, has its own text as its value, and so has a pseudonym.
    pub fn expand<'t>(&mut self, placeholders: &PlaceholderMap, text: &'t str) -> ExpandedText<'t> {
        let (mut out, mut held, mut done, mut exact) = (String::new(), Vec::new(), 0, String::new());
        let mut next = if self.count == 0 { None } else { next_bracketed(text.as_bytes(), 0) };
        let mut pseudonym = Pseudonym::next(text, 0);
        self.room = self.room.saturating_add(text.len().saturating_mul(ROOM_PER_BYTE));
        loop {
            let (start, end, value, kind) = match (next, pseudonym) {
                (bracketed, Some(found)) if bracketed.is_none_or(|(start, ..)| found.start < start) => {
                    pseudonym = Pseudonym::next(text, found.end);
                    (found.start, found.end, None, None)
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
                    let kind = match known {
                        PlaceholderName::Generated(kind, _) => Some(*kind),
                        PlaceholderName::External(_) => None,
                    };
                    (start, end, fits.then_some(value), kind)
                }
                _ => break,
            };
            let value = value.unwrap_or_else(|| text.get(start..end).unwrap_or_default());
            out.push_str(text.get(done..start).unwrap_or_default());
            let place = (out.len(), out.len() + value.len());
            held.push(Expansion { value: place, placeholder: (start, end), kind });
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
    /// Returns the last placeholder whose value begins at or before a position of the expanded text.
    fn last(&self, place: usize) -> Option<Expansion> {
        let after = self.held.partition_point(|held| held.value.0 <= place);
        self.held.get(after.checked_sub(1)?).copied()
    }

    /// Converts a position in the expanded text to one in the original text. A position within a value becomes the
    /// start of its placeholder.
    pub fn origin(&self, place: usize) -> usize {
        match self.last(place) {
            Some(held) if place < held.value.1 => held.placeholder.0,
            Some(held) => held.placeholder.1 + (place - held.value.1),
            None => place,
        }
    }

    /// Converts a position in the original text to one in the expanded text. A position within a placeholder becomes
    /// the start of its value.
    pub fn place(&self, origin: usize) -> usize {
        let after = self.held.partition_point(|held| held.placeholder.0 <= origin);
        match after.checked_sub(1).and_then(|last| self.held.get(last)) {
            Some(held) if origin < held.placeholder.1 => held.value.0,
            Some(held) => held.value.1 + (origin - held.placeholder.1),
            None => origin,
        }
    }

    /// Returns whether a finding lies within the value of a placeholder.
    pub fn covers(&self, start: usize, end: usize) -> bool {
        self.last(start).is_some_and(|held| end <= held.value.1)
    }
}
