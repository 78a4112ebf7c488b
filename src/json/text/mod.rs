//! The text of JSON strings: escapes, and fast comparison of keys and names.

mod lane;
mod plain;
mod same;
mod surrogates;
mod unescape;

pub(crate) use plain::plain;
pub(super) use plain::plain_start;
pub(crate) use same::same_text;
pub(super) use surrogates::well_formed;
pub(super) use unescape::unescape;
