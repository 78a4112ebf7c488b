//! URIs of skills that several servers list. A skill's URI is scoped to its server, so two servers may list the same
//! one. The name of the server is then inserted before the path, where it does not affect relative references.

use super::{
    compiler::Naming,
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
            name_record::NameRecord,
            rules::Assignments,
            skill_path::{scoped, server_path},
            vocabulary::Names,
        },
        parse::lists::Source,
    },
    sort_indices::sort_indices,
};

/// The skills whose URIs change, and the resources that take the URI of another server's skill.
#[derive(Debug, Default)]
pub(crate) struct SkillUris<'a> {
    /// The directories of skills whose URIs change, each with its server.
    changed: Names,
    /// The resources in a directory of another server's skill that are left out, each with its server.
    taken: Names,
    /// The directories of skills, each with its server and their positions in the record. Ascending.
    directories: Vec<Directory<'a>>,
    /// Whether a record decides between servers. If not, neither keeps its URI.
    is_recorded: bool,
}

/// The directory of a skill, its server and its position in the record.
type Directory<'a> = (String, &'a str, usize);

impl<'a> SkillUris<'a> {
    /// Finds the skills whose directories several servers have, or that lie in a directory of another server. The
    /// server that is recorded as the first keeps its directory. If the prefix of a server applies to every name, all
    /// its skills change. A skill in the directory of another one changes with it.
    pub fn new(
        sources: &'a [Source<'_>],
        prefixes: &[Prefix],
        assignments: &Assignments,
        record: Option<&NameRecord>,
    ) -> Self {
        let rank = |listed: &PrimitiveDraft<'_>| {
            record.map_or(usize::MAX, |record| record.rank_of(listed.kind, &listed.id, listed.server))
        };
        let mut uris = Self { is_recorded: record.is_some(), ..Self::default() };
        let mut found: Vec<Directory<'a>> = Vec::new();
        for source in sources {
            each_kept(Kind::Skill, source, assignments, &mut |listed| {
                let directory = skill_directory(&listed.id).unwrap_or_default().to_owned();
                let rank = rank(listed);
                let skill = (directory, source.server, rank);
                // Another server had the URI, even if it does not list it now.
                if rank == usize::MAX
                    && record.is_some_and(|record| record.owner(Kind::Skill, &listed.id).is_some())
                {
                    uris.change(&skill);
                }
                found.push(skill);
            });
        }
        if found.is_empty() {
            return uris;
        }
        let order = sort_indices(found.len(), &mut |a, b| found.get(a).cmp(&found.get(b)));
        // Nested directories come after the ones that contain them. These are the outermost directories of each server.
        let mut last: Vec<&Directory<'a>> = Vec::new();
        for skill in order.iter().filter_map(|at| found.get(*at as usize)) {
            let (directory, server, _) = skill;
            let own = last.iter().position(|(_, of, _)| of == server);
            if own.and_then(|at| last.get(at)).is_some_and(|(root, ..)| directory.starts_with(root.as_str()))
            {
                continue;
            }
            if prefixes.iter().any(|prefix| prefix.always && prefix.server == *server) {
                uris.change(skill);
            }
            for around in
                last.iter().filter(|(root, of, _)| of != server && directory.starts_with(root.as_str()))
            {
                uris.part(around, skill.2, |uris| uris.change(skill));
            }
            match own.and_then(|at| last.get_mut(at)) {
                Some(root) => *root = skill,
                None => last.push(skill),
            }
        }
        uris.directories = order.iter().filter_map(|at| found.get(*at as usize).cloned()).collect();
        for source in sources {
            each_kept(Kind::Resource, source, assignments, &mut |listed| {
                uris.resource(&listed.id, source.server, rank(listed));
            });
        }
        uris
    }

    /// Resolves the collision of a resource with the skills of other servers in whose directories it is.
    fn resource(&mut self, uri: &str, server: &str, rank: usize) {
        let around = |directory: &str| {
            let from = self.directories.partition_point(|(known, ..)| known.as_str() < directory);
            let same = self.directories.get(from..).unwrap_or_default().iter();
            let others = same
                .take_while(move |(known, ..)| known == directory)
                .filter(move |(_, of, _)| *of != server);
            others.cloned().collect::<Vec<_>>()
        };
        let around: Vec<_> = directories(uri).flat_map(around).collect();
        for skill in around {
            self.part(&skill, rank, |uris| _ = uris.taken.intern(&scoped(server, uri)));
        }
    }

    /// Changes the URI of `skill`, or calls `change` for the primitive with this position in the record that collides
    /// with it. Does both if neither was recorded before the other.
    fn part(&mut self, skill: &Directory<'_>, rank: usize, change: impl FnOnce(&mut Self)) {
        if skill.2 >= rank {
            self.change(skill);
        }
        if skill.2 <= rank {
            change(self);
        }
    }

    fn change(&mut self, (directory, server, _): &Directory<'_>) {
        self.changed.intern(&scoped(server, directory));
    }

    /// Returns the name for callers of a skill or of a file of one, unless it is the server's.
    pub fn rename(&self, listed: &PrimitiveDraft<'_>) -> Option<Naming> {
        if self.directories.is_empty() {
            return None;
        }
        let changed = |directory: &str| self.changed.find(&scoped(listed.server, directory)).is_some();
        if directories(&listed.id).any(changed) {
            return Some(Naming::New(NewName::new(listed, server_path(listed.server, &listed.id))));
        }
        let is_taken =
            listed.kind == Kind::Resource && self.taken.find(&scoped(listed.server, &listed.id)).is_some();
        is_taken.then(|| {
            let holds = |directory: &str| {
                let mut skills = self.directories.iter();
                skills.find(|(known, of, _)| known == directory && *of != listed.server).map(|(_, of, _)| *of)
            };
            let owner = directories(&listed.id).find_map(holds).unwrap_or_default().to_owned();
            let owner = if self.is_recorded { Ok(owner) } else { Err(owner) };
            Naming::LeftOut { id: listed.id.clone().into_owned(), owner }
        })
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
