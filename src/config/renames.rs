//! The names that the operator gives to what a server calls its groups, tags and concerns.

use crate::{error::Error, json::Entry};

/// The names that the operator gives to the groups, tags and concerns of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames {
    /// The names of groups.
    pub groups: NameMap,
    /// The names of tags.
    pub tags: NameMap,
    /// The names of concerns.
    pub concerns: NameMap,
}

/// New names by the names that a server uses. A name without a new one is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameMap(Vec<(String, Option<String>)>);

impl Renames {
    /// Returns whether every name stays as it is.
    pub fn is_empty(&self) -> bool {
        [&self.groups, &self.tags, &self.concerns].iter().all(|map| map.0.is_empty())
    }
}

impl NameMap {
    /// Reads an object of names to new names, or to `null`.
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let name = |entry: &Entry<'_>| match entry.raw().get() {
            "null" => Ok(None),
            _ => entry.some_text().map(Some).map_err(|_| entry.refuse("expected a non-empty string or null")),
        };
        entry.members(name).map(Self)
    }

    /// Returns the name that callers know, or `None` where the operator leaves the name out.
    pub fn get<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        match self.0.iter().find(|(known, _)| known == name) {
            Some((_, renamed)) => renamed.as_deref(),
            None => Some(name),
        }
    }
}
