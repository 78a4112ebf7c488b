use crate::middleware::scan::{
    expansion::{ExpandedText, Expansion},
    finding::Finding,
    kind::Kind,
};

/// What is to be replaced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replacement {
    pub kind: Kind,
    /// In the expanded text.
    pub start: usize,
    pub end: usize,
    /// In the text as it came.
    pub from: usize,
    pub to: usize,
    /// Whether it is what the scanner found and no more.
    pub whole: bool,
}

/// The pieces of a text that are to be replaced, in order. A finding and the placeholders that it overlaps are one piece,
/// whose value has the values of the placeholders: one restoration brings all of it back.
pub(crate) struct Replacements<'s> {
    /// Finds in the text, from a place on. There are two scanners, and one of these.
    scan: &'s mut dyn FnMut(usize) -> Option<Finding>,
    text: &'s ExpandedText<'s>,
    /// Where the scanner goes on, and what it found there.
    place: usize,
    found: Option<Finding>,
    /// The next placeholder.
    held: usize,
}

impl<'s> Replacements<'s> {
    /// Those that begin at a place of the expanded text or later.
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
            // What begins next: a placeholder comes before a finding that begins with it.
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
