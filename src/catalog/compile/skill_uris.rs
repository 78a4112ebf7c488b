//! URIs of skills that several servers list. A skill's URI is scoped to its server, so two servers may list the same
//! one. The name of the server is then inserted before the path, where it does not affect relative references.

use super::{
    new_name::NewName,
    own_names::{Declared, OwnNames},
    prefixes::Prefix,
    primitive_draft::PrimitiveDraft,
    rules::apply_rules,
};
use crate::{
    catalog::{
        index::attached::{directories, skill_directory},
        model::{
            group_tree::GroupTree,
            kind::Kind,
            rules::Assignments,
            skill_path::{scoped, server_path},
            vocabulary::Names,
        },
        parse::lists::Source,
    },
    sort_indices::sort_indices,
};

/// The directories of skills whose URIs change, each with its server.
#[derive(Debug, Default)]
pub(crate) struct SkillUris(Names);

impl SkillUris {
    /// Finds the skills whose directories several servers have, or that lie in a directory of another server. If the
    /// prefix of a server applies to every name, all its skills change. A skill in the directory of another one changes
    /// with it.
    pub fn new(sources: &[Source<'_>], prefixes: &[Prefix], assignments: &Assignments) -> Self {
        let mut changed = Names::default();
        let always = |server: &str| prefixes.iter().any(|prefix| prefix.always && prefix.server == server);
        let mut found: Vec<(String, &str)> = Vec::new();
        for source in sources {
            each_kept(Kind::Skill, source, assignments, &mut |listed| {
                let directory = skill_directory(&listed.id).unwrap_or_default();
                found.push((directory.to_owned(), source.server));
            });
        }
        let order = sort_indices(found.len(), &mut |a, b| found.get(a).cmp(&found.get(b)));
        // Nested directories come after the ones that contain them. These are the outermost directory of each server,
        // and of all servers.
        let mut last: Vec<(&str, &str)> = Vec::new();
        let mut outermost: Option<(&str, &str)> = None;
        for (directory, server) in order.into_iter().filter_map(|at| found.get(at as usize)) {
            let slot = last.iter_mut().find(|(of, _)| of == server);
            match slot {
                Some((_, root)) if directory.starts_with(*root) => continue,
                Some((_, root)) => *root = directory,
                None => last.push((server, directory)),
            }
            let mut change = |directory: &str, server: &str| _ = changed.intern(&scoped(server, directory));
            if always(server) {
                change(directory, server);
            }
            match outermost.filter(|(root, _)| directory.starts_with(*root)) {
                Some((root, of)) => {
                    change(root, of);
                    change(directory, server);
                }
                None => outermost = Some((directory, server)),
            }
        }
        Self(changed)
    }

    /// Returns the URI for callers of a skill or of a file of one, if it differs from the server's.
    pub fn rename(&self, listed: &PrimitiveDraft<'_>) -> Option<NewName> {
        if self.0.len() == 0 {
            return None;
        }
        let changed = |directory: &str| self.0.find(&scoped(listed.server, directory)).is_some();
        let uri = || server_path(listed.server, &listed.id);
        directories(&listed.id).any(changed).then(|| NewName::new(listed, uri()))
    }
}

/// Calls `visit` with each primitive of a kind that no rule hides.
pub(super) fn each_kept(
    kind: Kind,
    source: &Source<'_>,
    assignments: &Assignments,
    visit: &mut dyn FnMut(&PrimitiveDraft<'_>),
) {
    let group_tree = GroupTree::new(assignments);
    let own = Declared::new(assignments);
    let mut names = OwnNames::new(&own);
    for item in source.lists.items(kind) {
        let text = source.lists.text().as_bytes().get(item.start..item.end).unwrap_or_default();
        let listed = PrimitiveDraft::read(kind, source.server, &group_tree, text, item.offsets, &mut names);
        let Some(mut listed) = listed else { continue };
        if apply_rules(assignments, &mut listed) {
            visit(&listed);
        }
    }
}
