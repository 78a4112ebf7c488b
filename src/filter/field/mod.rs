//! The table of the fields of a filter. The parsers for JSON and URLs, the canonical form, suggestions for misspelt
//! names, presets and capabilities all derive from it.

mod announced;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod documents;
mod shape;
mod table;

pub(crate) use shape::access;
pub use shape::{Access, Shape};
pub use table::{FilterField, Vocabulary};
pub(super) use table::{Member, find_field, find_parameter, parameter_aliases, parameters};
