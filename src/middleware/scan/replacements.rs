use crate::middleware::scan::{
    expansion::{ExpandedText, Expansion},
    finding::Finding,
    kind::Kind,
};

/// A part of a text that is to be replaced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replacement {
    pub kind: Kind,
    /// The start in the expanded text. The next field is the end.
    pub start: usize,
    pub end: usize,
    /// The start in the original text. The next field is the end.
    pub from: usize,
    pub to: usize,
    /// Whether the part is a finding alone, without a known placeholder.
    pub whole: bool,
}

/// An iterator over the parts of a text that are to be replaced, in order.
///
/// A finding and the known placeholders that it overlaps are one part. Its value contains the values of the
/// placeholders, so that a single restoration returns all of it.
pub(crate) struct Replacements<'s> {
    /// Returns the first finding from a position on. It is a trait object, so that this code is compiled once for all
    /// scanners.
    scan: &'s mut dyn FnMut(usize) -> Option<Finding>,
    text: &'s ExpandedText<'s>,
    /// The position at which the scanner continues. The next field is its last finding.
    place: usize,
    found: Option<Finding>,
    /// The index of the next known placeholder.
    held: usize,
}

impl<'s> Replacements<'s> {
    /// Returns the parts that begin at a position of the expanded text or later.
    pub fn new(
        scan: &'s mut dyn FnMut(usize) -> Option<Finding>,
        text: &'s ExpandedText<'s>,
        place: usize,
    ) -> Self {
        let held = text.held.partition_point(|held| held.value.0 < place);
        let mut pieces = Self { scan, text, place, found: None, held };
        pieces.find_next();
        pieces
    }

    fn find_next(&mut self) {
        self.found = (self.scan)(self.place);
        self.place = self.found.map_or(self.place, |found| found.end);
    }

    fn next_held(&self) -> Option<Expansion> {
        self.text.held.get(self.held).copied()
    }
}

impl Iterator for Replacements<'_> {
    type Item = Replacement;

    fn next(&mut self) -> Option<Replacement> {
        loop {
            // The next part begins with a finding or a placeholder; at the same position, with the placeholder.
            let (found, held) = (self.found?, self.next_held());
            let (mut start, mut end, mut kind, mut whole) = (found.start, found.end, Some(found.kind), true);
            match held.filter(|held| held.value.0 <= found.start) {
                Some(held) => {
                    (start, end) = held.value;
                    (kind, whole) = (None, false);
                    self.held += 1;
                }
                None => self.find_next(),
            }
            loop {
                if let Some(found) = self.found.filter(|found| found.start < end) {
                    if found.end > end {
                        end = found.end;
                        kind = kind.or(Some(found.kind));
                    }
                    self.find_next();
                } else if let Some(held) = self.next_held().filter(|held| held.value.0 < end) {
                    end = end.max(held.value.1);
                    whole = false;
                    self.held += 1;
                } else {
                    break;
                }
            }
            if let Some(kind) = kind {
                let from = self.text.origin(start);
                let to = if whole { from + (end - start) } else { self.text.origin(end) };
                return Some(Replacement { kind, start, end, from, to, whole });
            }
        }
    }
}
