//! Personal data in texts: finding it, replacing it by placeholders, and restoring it.
//!
//! A [`Scanner`] finds personal data. A [`Redactor`](super::scan::Redactor) replaces the findings by placeholders of a
//! [`PlaceholderMap`](super::scan::PlaceholderMap), and [`restore`](super::scan::restore()) replaces these by the
//! values again. `restore(redact(text))` equals `text` byte for byte, for any text, because a text that already looks
//! like a placeholder is replaced as well. Known placeholders of a conversation stay unchanged, so a redacted text can
//! be sent again, or pass through another step.
//!
//! # Performance
//!
//! A text is read once. Most bytes are skipped, sixteen at a time. A digit, a capital, an `@` or a colon starts a
//! closer examination of a bounded number of bytes in either direction. One automaton matches about a hundred forms of
//! numbers, character by character. Checksums are computed only for numbers that need no announcement or that a word
//! nearby announces. A text without findings needs no allocation. The README in this folder states the quality, and
//! what the scanner misses.

pub(crate) mod address_orders;
pub(crate) mod address_rest;
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
pub(crate) mod street_word;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod url;
pub(crate) mod wallet;

pub use scanner::Scanner;
