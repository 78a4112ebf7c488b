//! The sources of groups and tags beside the members of SEP-1300: members of `_meta` that other software writes.

use crate::{
    catalog::model::rules::{Assignments, META},
    expr::Field,
    json::{Members, Raw},
};

/// The sources of tags that are always read, unless the operator turns them off. FastMCP writes the first, its older
/// versions the second, and other servers the third.
const TAGS: [&str; 3] = ["fastmcp.tags", "_fastmcp.tags", "tags"];
/// The keys of `_meta` in which the default sources begin.
pub(crate) const DEFAULT_KEYS: [&str; 4] = ["fastmcp", "_fastmcp", "tags", Assignments::TOOLBOX];
/// The source of groups that is always read: Sieve writes what the lists of Google's MCP Toolbox say.
const GROUPS: [&str; 1] = ["com.google.cloud/toolbox.v1.groups"];

/// The sources from which groups and tags are read, the trusted ones first.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub groups: Vec<Source>,
    pub tags: Vec<Source>,
    /// Whether the configuration names a source, which may begin with any key.
    pub are_named: bool,
}

/// A path in the `_meta` of primitives.
#[derive(Debug)]
pub(crate) struct Source {
    /// The path with `_meta.` before it, for reports.
    pub member: String,
    /// Whether its names count in policies, because the configuration names the source.
    pub trusted: bool,
}

impl Sources {
    /// Returns the sources of a configuration.
    pub fn new(assignments: &Assignments) -> Self {
        let Assignments { groups_from, tags_from, .. } = assignments;
        let [groups, tags] = [groups_from, tags_from].map(|named| named.as_deref());
        Self {
            groups: sources(groups, &GROUPS),
            tags: sources(tags, &TAGS),
            are_named: [groups, tags].into_iter().flatten().any(|named| !named.is_empty()),
        }
    }

    /// Returns whether the groups are trusted that the lists of a server say, or `None` if they are not read.
    pub fn trusts_lists(assignments: &Assignments) -> Option<bool> {
        match &assignments.groups_from {
            None => Some(false),
            Some(named) if named.is_empty() => None,
            Some(named) => Some(named.iter().any(|source| source == Assignments::TOOLBOX)),
        }
    }
}

/// Returns the named sources, which are trusted, and the default ones.
fn sources(named: Option<&[String]>, defaults: &[&str]) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    let mut add = |path: &str, trusted| {
        let member = ["_meta.", path].concat();
        if !sources.iter().any(|known| known.member == member) {
            sources.push(Source { member, trusted });
        }
    };
    for named in named.unwrap_or_default() {
        match named.strip_prefix(META) {
            Some(path) => add(path, true),
            None => GROUPS.iter().for_each(|path| add(path, true)),
        }
    }
    if named != Some(&[]) {
        defaults.iter().for_each(|path| add(path, false));
    }
    sources
}

impl Source {
    /// Returns the value of the source in the `_meta` of a primitive.
    pub fn find<'a>(&self, meta: &Members<'a>) -> Option<Raw<'a>> {
        let path = self.member.strip_prefix("_meta.")?;
        Field::at_path(meta.clone(), path, |object, key| object.get(key), Members::read)
    }
}
