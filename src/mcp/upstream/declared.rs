//! The groups, tags and concerns that a server declares, as it wrote them.

use serde::{Deserialize, Serialize};

/// Maximum number of groups that one server declares, and of tags, and of concerns. The others are left out.
pub const MAX_DECLARED: usize = 1024;
/// Maximum length, in bytes, of all groups that one server declares, and of all tags, and of all concerns. The others
/// are left out.
pub const MAX_DECLARED_BYTES: usize = 1024 * 1024;

/// The groups, tags and concerns that a server declares, as it wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declarations {
    /// Its groups.
    pub groups: Facet,
    /// Its tags.
    pub tags: Facet,
    /// Its concerns.
    pub concerns: Facet,
}

/// The declarations of one sort.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facet {
    /// The declarations, as JSON.
    pub items: Vec<String>,
    /// Why there may be others.
    pub problem: Option<String>,
}

impl Declarations {
    /// Returns whether nothing is declared, and nothing went wrong.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes the declarations of another listing of the server for those that are missing here: of the other revision,
    /// or from before, where they could not be listed now.
    pub(crate) fn complete(&mut self, other: &Self) {
        let Self { groups, tags, concerns } = other;
        for (facet, other) in
            [(&mut self.groups, groups), (&mut self.tags, tags), (&mut self.concerns, concerns)]
        {
            facet.complete(other);
        }
    }

    /// Takes what was declared before for what could not be listed now.
    pub(crate) fn keep(&mut self, before: &Self) {
        let Self { groups, tags, concerns } = before;
        for (facet, before) in
            [(&mut self.groups, groups), (&mut self.tags, tags), (&mut self.concerns, concerns)]
        {
            if facet.problem.is_some() {
                facet.complete(before);
            }
        }
    }
}

impl Facet {
    /// Adds declarations as far as there is room. Returns whether there is room for more.
    pub(crate) fn add(&mut self, items: impl IntoIterator<Item = String>) -> bool {
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

    pub(crate) fn failed(&mut self, problem: &str) {
        self.problem = Some(problem.to_owned());
    }
}
