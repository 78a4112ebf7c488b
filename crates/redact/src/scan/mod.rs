//! The common parts of the scanners: byte searches, findings, and the placeholders that replace them.

pub(crate) mod action;
pub(crate) mod base64;
pub(crate) mod byte_class;
pub(crate) mod byte_search;
pub(crate) mod bytes;
pub(crate) mod check_digits;
pub(crate) mod expansion;
pub(crate) mod finding;
pub(crate) mod kind;
pub(crate) mod pattern_check;
pub(crate) mod pattern_match;
pub(crate) mod patterns;
pub(crate) mod placeholder;
pub(crate) mod placeholder_map;
pub(crate) mod pseudonym;
pub(crate) mod redact;
pub(crate) mod replacements;
pub(crate) mod restore;
pub(crate) mod stream;
pub(crate) mod tolerant;
pub(crate) mod word_table;
