//! What a scanner finds in a text.

use crate::middleware::scan::kind::Kind;

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

    /// Every finding of a text, in order; none overlaps another.
    fn findings<'s>(&'s self, text: &'s str) -> impl Iterator<Item = Finding> + 's
    where
        Self: Sized,
    {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.next(text, from)?;
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
