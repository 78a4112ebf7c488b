//! What a scanner finds in a text.

use crate::middleware::scan::{kind::Kind, patterns::Patterns};

/// A piece of a text, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

/// What finds things in texts.
pub trait Scan {
    /// How far before and behind a place what is found there may depend on the text, in bytes.
    const REACH: usize;

    /// The first finding of a text that begins at `from` or later.
    fn next(&self, text: &str, from: usize) -> Option<Finding>;

    /// Finds what [`Scan::next`] finds in one text, from places that only grow. What was found ahead may be kept
    /// from one place to the next.
    fn cursor<'s>(&'s self, text: &'s str) -> impl FnMut(usize) -> Option<Finding> + 's {
        move |from| self.next(text, from)
    }

    /// The names of kinds of an operator's own.
    fn patterns(&self) -> &Patterns {
        Patterns::NONE
    }

    /// Every finding of a text, in order; none overlaps another.
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

/// What a look at a place came to.
pub(crate) enum ScanStep {
    Found(Finding),
    /// Nothing begins before this place.
    SkipTo(usize),
}
