//! What identifies people, in texts: found, replaced by placeholders, and put back.
//!
//! [`Scanner`] finds; [`Redactor`](super::scan::Redactor) replaces what is found by placeholders that a
//! [`PlaceholderMap`](super::scan::PlaceholderMap) gives out; [`restore`](super::scan::restore()) puts back what the placeholders stand for. `restore(redact(text))` is `text`, byte for byte, whatever the text: what already
//! looks like a placeholder is replaced as well. A placeholder that the conversation knows stays as it is, so a text that was
//! redacted stays so when it is sent again, or goes through another step.
//!
//! # How it is fast
//!
//! A text is read once. Most bytes are passed over, sixteen at a time; a digit, a capital, an `@`, a colon begin a
//! closer look that goes a bounded number of bytes in either direction. The hundred or so ways to write a number are one
//! automaton, narrowed character by character, and only those that stand alone or that a word nearby announces are
//! checked. Nothing is allocated for a text in which nothing is
//! found. The README in this folder says how well it does, and what it misses.

pub(crate) mod address_orders;
pub(crate) mod around;
pub(crate) mod email;
pub(crate) mod names;
pub(crate) mod network;
pub(crate) mod numbers;
pub(crate) mod phone;
pub(crate) mod presets;
pub(crate) mod scanner;
pub(crate) mod settings;
pub(crate) mod street;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod url;
pub(crate) mod wallet;

pub use scanner::Scanner;
