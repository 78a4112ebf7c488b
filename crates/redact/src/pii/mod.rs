//! Personal data in texts: names, addresses, e-mail addresses, telephone numbers, dates of birth, cards, accounts and
//! the numbers of documents of 25 countries.
//!
//! A [`Scanner`] finds personal data, and a [`Redactor`](crate::Redactor) replaces the findings. [`Preset`] selects the
//! kinds that matter to a region or a sector.
//!
//! # Performance
//!
//! A text is read once. Most bytes are skipped, sixteen at a time. A digit, a capital, an `@` or a colon starts a
//! closer examination of a bounded number of bytes in either direction. One automaton matches about a hundred forms of
//! numbers, character by character. Checksums are computed only for numbers that need no announcement or that a word
//! nearby announces. A text without findings needs no allocation.

pub(crate) mod address_orders;
pub(crate) mod address_rest;
pub(crate) mod around;
pub(crate) mod email;
pub(crate) mod names;
pub(crate) mod network;
pub(crate) mod numbers;
pub(crate) mod phone;
mod presets;
pub(crate) mod scanner;
pub(crate) mod settings;
pub(crate) mod street;
pub(crate) mod street_word;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod url;
pub(crate) mod wallet;

pub use presets::Preset;
pub use scanner::Scanner;
