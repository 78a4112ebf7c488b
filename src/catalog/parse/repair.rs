//! Repairs of text by which nothing is lost: members that are `null` are removed, what is missing is put in.

use std::ops::Range;

use super::source_text::SourceText;

/// A part of the text, and what takes its place.
#[derive(Debug)]
pub(crate) struct Edit {
    pub range: Range<usize>,
    pub text: &'static str,
}

/// Removes members from one object, each with the comma that its neighbours do without.
#[derive(Debug)]
pub(crate) struct Cuts {
    /// Where the last member ended, or the object began.
    end: usize,
    /// Whether a member was kept.
    pub kept: bool,
    /// Where the first member began, if none was kept since.
    leading: Option<usize>,
}

impl Cuts {
    /// For an object that begins at this place, behind its brace.
    pub fn new(begins: usize) -> Self {
        Self { end: begins, kept: false, leading: None }
    }

    /// Keeps the member that begins at this place. What is before it and removed goes with the comma behind.
    pub fn keep(&mut self, start: usize, edits: &mut Vec<Edit>) {
        self.kept = true;
        self.lead(start, edits);
    }

    /// Removes a member.
    #[cold]
    pub fn cut(&mut self, place: Range<usize>, edits: &mut Vec<Edit>) {
        if self.kept {
            // With the comma before it.
            edits.push(Edit { range: self.end..place.end, text: "" });
        } else {
            self.leading = self.leading.or(Some(place.start));
        }
    }

    /// Says where the last member ended.
    pub fn pass(&mut self, end: usize) {
        self.end = end;
    }

    /// Ends the object.
    pub fn close(&mut self, edits: &mut Vec<Edit>) {
        self.lead(self.end, edits);
    }

    fn lead(&mut self, end: usize, edits: &mut Vec<Edit>) {
        if let Some(start) = self.leading.take() {
            edits.push(Edit { range: start..end, text: "" });
        }
    }
}

/// Returns the text with all edits made. They are in order and do not overlap.
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
