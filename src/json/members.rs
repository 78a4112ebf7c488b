//! The members of a parsed JSON object, in their original order.

use std::borrow::Cow;

use super::raw::Raw;

/// The members of a JSON object in their original order, with unparsed values.
#[derive(Debug, Default, Clone)]
pub struct Members<'a>(pub Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Members<'a> {
    /// Returns the value of `key`. If the key is repeated, the last value counts, as for `JSON.parse`.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }
}
