use std::borrow::Cow;

use super::raw::Raw;

/// The members of a JSON object in their original order, with unparsed values.
#[derive(Debug, Default, Clone)]
pub struct Members<'a>(pub Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Members<'a> {
    /// The value of `key`; of a repeated key the last, as `JSON.parse` has it.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }
}
