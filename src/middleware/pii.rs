//! What identifies people, in texts: found, replaced by handles, and put back.
//!
//! [`Scanner`] finds; [`Redactor`] replaces what is found by handles that a [`Handles`] gives out; [`restore`] puts
//! back what the handles stand for. `restore(redact(text))` is `text`, byte for byte, whatever the text: what already
//! looks like a handle is replaced as well.
//!
//! # How it is fast
//!
//! A text is read once. Its bytes fall into classes, and most into the one that is passed over; a digit, an `@`, a
//! colon begin a closer look that goes a bounded number of bytes in either direction. The hundred or so ways to write
//! a number are one automaton, narrowed character by character. Nothing is allocated for a text in which nothing is
//! found. The README in this folder says how well it does, and what it misses.

mod bytes;
mod checks;
mod crypto;
mod date;
mod email;
mod handle;
mod kind;
mod lexicon;
mod machine;
mod name;
mod net;
mod number;
mod phone;
mod redact;
mod restore;
mod scanner;
mod stream;
mod street;
mod table;
mod url;
mod words;

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
