//! The findings of a scanner, and the trait of scanners.

use crate::scan::{kind::Kind, patterns::Patterns};

/// A part of a text, and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub kind: Kind,
    /// The position of the first byte.
    pub start: usize,
    /// The position after the last byte.
    pub end: usize,
}

/// A scanner: it finds parts of texts that are to be replaced.
pub trait Scan {
    /// Maximum distance, in bytes, at which text before or after a position influences the finding there.
    const REACH: usize;

    /// Returns the first finding of a text that begins at `from` or later.
    fn next(&self, text: &str, from: usize) -> Option<Finding>;

    /// Returns a function that calls [`Scan::next`] for one text, with positions that never decrease. An implementation
    /// may keep findings from one call to the next.
    fn cursor<'s>(&'s self, text: &'s str) -> impl FnMut(usize) -> Option<Finding> + 's {
        move |from| self.next(text, from)
    }

    /// Returns the custom patterns, which name their kinds.
    fn patterns(&self) -> &Patterns {
        Patterns::NONE
    }

    /// Iterates over the findings of a text, in order and without overlaps.
    fn findings<'s>(&'s self, text: &'s str) -> impl Iterator<Item = Finding> + 's
    where
        Self: Sized,
    {
        let (mut cursor, mut from) = (self.cursor(text), 0);
        std::iter::from_fn(move || {
            let found = cursor(from)?;
            from = found.end;
            Some(found)
        })
    }
}

/// The result of a scan at one position.
pub(crate) enum ScanStep {
    Found(Finding),
    /// No finding begins before this position.
    SkipTo(usize),
}
