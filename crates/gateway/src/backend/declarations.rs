//! The groups, tags and concerns that a server declares, as it sent them.

use serde::{Deserialize, Serialize};

/// Maximum number of groups, of tags and of concerns that one server declares. Further ones are left out.
pub const MAX_DECLARED: usize = 1024;
/// Maximum length, in bytes, of all groups that one server declares, and likewise of all tags and all concerns. Further
/// ones are left out.
pub const MAX_DECLARED_BYTES: usize = 1024 * 1024;

/// The groups, tags and concerns that a server declares, as it sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declarations {
    /// The groups.
    pub groups: Facet,
    /// The tags.
    pub tags: Facet,
    /// The concerns.
    pub concerns: Facet,
    /// The groups of Google's MCP Toolbox, each with the names of its members. They are complete or empty.
    #[serde(default)]
    pub toolbox: Facet,
    /// The concern values of primitives that were learned by listing the server for each value, one item a concern.
    #[serde(default)]
    pub learned: Facet,
    /// The hash of the lists from which they were learned; empty if the next listing learns them again.
    #[serde(default)]
    pub learned_from: String,
}

/// The declarations of one kind: groups, tags or concerns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facet {
    /// The declarations, each as JSON.
    pub items: Vec<String>,
    /// The reason why the list may be incomplete, if it may be.
    pub problem: Option<String>,
}

impl Declarations {
    /// Returns whether there are neither declarations nor problems.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns each kind of declarations, of this listing and of another.
    fn pairs<'a>(&'a mut self, other: &'a Self) -> [(&'a mut Facet, &'a Facet); 4] {
        let Self { groups, tags, concerns, toolbox, .. } = self;
        [(groups, &other.groups), (tags, &other.tags), (concerns, &other.concerns), (toolbox, &other.toolbox)]
    }

    /// Adds the kinds of declarations that are missing here from another listing of the server: one of the other
    /// revision, or an earlier one.
    pub(crate) fn complete(&mut self, other: &Self) {
        for (facet, other) in self.pairs(other) {
            facet.complete(other);
        }
    }

    /// Takes the earlier declarations of each kind that could not be listed now.
    pub(crate) fn keep(&mut self, before: &Self) {
        for (facet, before) in self.pairs(before) {
            if facet.problem.is_some() {
                facet.complete(before);
            }
        }
        self.keep_learned(before);
    }
}

impl Facet {
    /// Adds declarations up to the limits. Returns whether more can be added.
    pub fn add(&mut self, items: impl IntoIterator<Item = String>) -> bool {
        let mut bytes: usize = self.items.iter().map(String::len).sum();
        for item in items {
            bytes = bytes.saturating_add(item.len());
            if self.items.len() >= MAX_DECLARED {
                self.problem =
                    Some(format!("more than {MAX_DECLARED} are declared, the others are left out"));
                return false;
            }
            if bytes > MAX_DECLARED_BYTES {
                let problem =
                    format!("more than {MAX_DECLARED_BYTES} bytes are declared, the others are left out");
                self.problem = Some(problem);
                return false;
            }
            self.items.push(item);
        }
        true
    }

    fn complete(&mut self, other: &Self) {
        if self.items.is_empty() {
            self.items.clone_from(&other.items);
            self.problem = self.problem.take().or_else(|| other.problem.clone());
        }
    }

    /// Sets the reason why the list may be incomplete.
    pub fn failed(&mut self, problem: &str) {
        self.problem = Some(problem.to_owned());
    }
}
