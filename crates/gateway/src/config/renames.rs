//! The operator's names for the groups, tags and concerns of an upstream server.

use mcp_sieve::{Error, json::Entry};

/// The operator's names for the groups, tags and concerns of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames {
    /// The names of groups.
    pub groups: NameMap,
    /// The names of tags.
    pub tags: NameMap,
    /// The names of concerns.
    pub concerns: NameMap,
}

/// A map from the names that a server uses to new names, or to `None` for names that are omitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameMap {
    names: Vec<(String, Option<String>)>,
    /// Whether names without an entry are omitted too.
    omits_others: bool,
}

impl Renames {
    /// Returns whether no name is changed.
    pub fn is_empty(&self) -> bool {
        [&self.groups, &self.tags, &self.concerns].iter().all(|map| map.names.is_empty() && !map.omits_others)
    }
}

impl NameMap {
    /// Reads an object of names to new names, or to `null`.
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let name = |entry: &Entry<'_>| match entry.raw().get() {
            "null" => Ok(None),
            _ => entry.some_text().map(Some).map_err(|_| entry.refuse("expected a non-empty string or null")),
        };
        entry.members(name).map(|names| Self { names, omits_others: false })
    }

    /// Returns the map that omits every name.
    pub(super) fn omitting_all() -> Self {
        Self { names: Vec::new(), omits_others: true }
    }

    /// Returns the name that callers see, or `None` if the operator omits the name.
    pub fn get<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        match self.names.iter().find(|(known, _)| known == name) {
            Some((_, renamed)) => renamed.as_deref(),
            None => (!self.omits_others).then_some(name),
        }
    }
}
