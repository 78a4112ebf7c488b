//! Repairs of text without loss: `null` members are removed, and missing parts are inserted.

use std::ops::Range;

use super::source_text::SourceText;

/// A part of the text, and its replacement.
#[derive(Debug)]
pub(crate) struct Edit {
    pub range: Range<usize>,
    pub text: &'static str,
}

/// Removes members from one object, each with one adjacent comma.
#[derive(Debug)]
pub(crate) struct Cuts {
    /// The end of the last member, or the start of the object.
    end: usize,
    /// Whether a member was kept.
    pub kept: bool,
    /// The start of the first removed member, if no member was kept since.
    leading: Option<usize>,
}

impl Cuts {
    /// Creates the state for an object that begins at this position, after its brace.
    pub fn new(begins: usize) -> Self {
        Self { end: begins, kept: false, leading: None }
    }

    /// Keeps the member that begins at `start`. If only removed members precede it, they are cut with their last comma.
    #[inline(always)]
    pub fn keep(&mut self, start: usize, edits: &mut Vec<Edit>) {
        self.kept = true;
        if self.leading.is_some() {
            self.lead(start, edits);
        }
    }

    /// Removes a member.
    #[cold]
    pub fn cut(&mut self, place: Range<usize>, edits: &mut Vec<Edit>) {
        if self.kept {
            // The comma before it is removed too.
            edits.push(Edit { range: self.end..place.end, text: "" });
        } else {
            self.leading = self.leading.or(Some(place.start));
        }
    }

    /// Sets the end of the last member.
    pub fn pass(&mut self, end: usize) {
        self.end = end;
    }

    /// Ends the object.
    pub fn close(&mut self, edits: &mut Vec<Edit>) {
        if self.leading.is_some() {
            self.lead(self.end, edits);
        }
    }

    #[cold]
    fn lead(&mut self, end: usize, edits: &mut Vec<Edit>) {
        if let Some(start) = self.leading.take() {
            edits.push(Edit { range: start..end, text: "" });
        }
    }
}

/// Returns the text with all edits applied. They must be in order and must not overlap.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> SourceText {
    let mut repaired = SourceText::with_room(text.len());
    let mut at = 0;
    for Edit { range, text: instead } in edits {
        repaired.push(text.as_bytes().get(at..range.start).unwrap_or_default());
        repaired.push(instead.as_bytes());
        at = range.end;
    }
    repaired.push(text.as_bytes().get(at..).unwrap_or_default());
    repaired
}
