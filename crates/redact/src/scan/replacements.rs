//! Iterates over the parts of a text to replace, and merges overlapping findings and placeholders.

use crate::scan::{
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
/// A known placeholder stays if a finding around it has its kind: a model may write `Ask [PERSON_1]` where the scanner
/// reads a name of three words. What is beside the placeholder is then scanned as a text of its own. A finding of
/// another kind and the placeholders that it overlaps are one part. Its value contains the values of the placeholders,
/// so that a single restoration returns all of it.
pub(crate) struct Replacements<'s> {
    scan: Scanning<'s>,
    text: &'s ExpandedText<'s>,
    /// The position at which the scanner continues. The next field is its last finding.
    place: usize,
    found: Option<Finding>,
    /// The index of the next known placeholder.
    held: usize,
    /// Parts beside placeholders, the last one first.
    beside: Vec<Replacement>,
}

/// A scanner of any type, so that the iterator is compiled once for all of them.
pub(crate) struct Scanning<'s> {
    /// Returns the first finding of the expanded text from a position on.
    pub next: &'s mut dyn FnMut(usize) -> Option<Finding>,
    /// Returns the findings of another text.
    pub all: &'s dyn Fn(&str) -> Vec<Finding>,
}

/// A finding, or a known placeholder, with those that it overlaps.
struct Cluster {
    start: usize,
    end: usize,
    /// The kind of the first finding that is not within a placeholder.
    kind: Option<Kind>,
    /// Whether all findings and placeholders have that kind.
    alike: bool,
}

impl<'s> Replacements<'s> {
    /// Returns the parts that begin at a position of the expanded text or later.
    pub fn new(scan: Scanning<'s>, text: &'s ExpandedText<'s>, place: usize) -> Self {
        let held = text.held.partition_point(|held| held.value.0 < place);
        let mut pieces = Self { scan, text, place, found: None, held, beside: Vec::new() };
        pieces.find_next();
        pieces
    }

    fn find_next(&mut self) {
        self.found = (self.scan.next)(self.place);
        self.place = self.found.map_or(self.place, |found| found.end);
    }

    fn next_held(&self) -> Option<Expansion> {
        self.text.held.get(self.held).copied()
    }

    /// Returns the next finding or placeholder, with those that it overlaps; at the same position, the placeholder is
    /// first. `None` after the last finding.
    fn next_cluster(&mut self) -> Option<Cluster> {
        let (found, held) = (self.found?, self.next_held());
        let mut cluster = Cluster { start: found.start, end: found.end, kind: Some(found.kind), alike: true };
        match held.filter(|held| held.value.0 <= found.start) {
            Some(held) => {
                (cluster.start, cluster.end) = held.value;
                cluster.kind = None;
                self.held += 1;
            }
            None => self.find_next(),
        }
        loop {
            if let Some(found) = self.found.filter(|found| found.start < cluster.end) {
                if found.end > cluster.end {
                    cluster.end = found.end;
                    let kind = *cluster.kind.get_or_insert(found.kind);
                    cluster.alike &= found.kind == kind;
                }
                self.find_next();
            } else if let Some(held) = self.next_held().filter(|held| held.value.0 < cluster.end) {
                cluster.end = cluster.end.max(held.value.1);
                self.held += 1;
            } else {
                return Some(cluster);
            }
        }
    }

    /// Finds the parts beside the placeholders of a cluster.
    fn find_beside(&mut self, cluster: &Cluster, held: &[Expansion]) {
        let starts = [cluster.start].into_iter().chain(held.iter().map(|held| held.value.1));
        let ends = held.iter().map(|held| held.value.0).chain([cluster.end]);
        for (start, end) in starts.zip(ends) {
            for found in (self.scan.all)(self.text.text.get(start..end).unwrap_or_default()) {
                self.beside.push(self.whole(found.kind, start + found.start, start + found.end));
            }
        }
        self.beside.reverse();
    }

    /// Returns a part of the expanded text that contains no placeholder.
    fn whole(&self, kind: Kind, start: usize, end: usize) -> Replacement {
        let from = self.text.origin(start);
        Replacement { kind, start, end, from, to: from + (end - start), whole: true }
    }
}

impl Iterator for Replacements<'_> {
    type Item = Replacement;

    fn next(&mut self) -> Option<Replacement> {
        loop {
            if let Some(part) = self.beside.pop() {
                return Some(part);
            }
            let (first, text) = (self.held, self.text);
            let cluster = self.next_cluster()?;
            let Some(kind) = cluster.kind else { continue };
            let held = text.held.get(first..self.held).unwrap_or_default();
            if held.is_empty() {
                return Some(self.whole(kind, cluster.start, cluster.end));
            }
            // Restoration relies on every text that looks like a placeholder having one of its own.
            let stays = cluster.alike && kind != Kind::Placeholder;
            if stays && held.iter().all(|held| held.kind == Some(kind)) {
                self.find_beside(&cluster, held);
                continue;
            }
            let (start, end) = (cluster.start, cluster.end);
            let (from, to) = (text.origin(start), text.origin(end));
            return Some(Replacement { kind, start, end, from, to, whole: false });
        }
    }
}
