//! What identifies people, in texts: found, replaced by handles, and put back.
//!
//! [`Scanner`] finds; [`Redactor`] replaces what is found by handles that a [`Handles`] gives out; [`restore`] puts
//! back what the handles stand for. `restore(redact(text))` is `text`, byte for byte, whatever the text: what already
//! looks like a handle is replaced as well. A handle that the conversation knows stays as it is, so a text that was
//! redacted stays so when it is sent again, or goes through another step.
//!
//! # How it is fast
//!
//! A text is read once. Most bytes are passed over, sixteen at a time; a digit, a capital, an `@`, a colon begin a
//! closer look that goes a bounded number of bytes in either direction. The hundred or so ways to write a number are one
//! automaton, narrowed character by character, and only those that stand alone or that a word nearby announces are
//! checked. Nothing is allocated for a text in which nothing is
//! found. The README in this folder says how well it does, and what it misses.

mod announce;
pub(super) mod bytes;
mod checks;
mod crypto;
mod date;
mod email;
pub(super) mod handle;
mod kind;
mod known;
mod lexicon;
mod machine;
mod name;
mod net;
mod number;
#[cfg(test)]
mod oracle;
mod phone;
mod redact;
mod restore;
pub(super) mod scanner;
mod stream;
mod street;
mod table;
mod url;
pub(super) mod words;

pub(super) use handle::size_of_handles;
pub use kind::{Kind, Kinds};
pub use redact::{Handles, Redactor};
pub use restore::{Restorer, restore};
pub use scanner::Scanner;
pub use stream::Stream;

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
