use super::{
    new_name::NewName,
    skill_uris::{SkillUris, each_kept},
};
use crate::catalog::{
    Catalog,
    index::id_table::IdTable,
    model::{kind::Kind, rules::Assignments, vocabulary::Names},
    parse::lists::Source,
};

/// The prefix for the names of a server's tools and prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// The operator's name for the server.
    pub server: String,
    /// The prefix itself.
    pub text: String,
    /// Whether every name gets the prefix, or only names that another server lists too.
    pub always: bool,
}

impl Catalog {
    /// Compiles several servers like [`Catalog::compile`]. Names that are not unique get the prefixes of the servers
    /// that have one.
    pub fn merge(sources: &[Source<'_>], prefixes: &[Prefix], assignments: &Assignments) -> Self {
        let shared =
            [Kind::Tool, Kind::Prompt].map(|kind| (kind, shared(kind, sources, prefixes, assignments)));
        let skill_uris = SkillUris::new(sources, prefixes, assignments);
        Self::compile_as(sources, assignments, &|listed| {
            if matches!(listed.kind, Kind::Skill | Kind::Resource) {
                return skill_uris.rename(listed);
            }
            let (_, shared) = shared.iter().find(|(kind, _)| *kind == listed.kind)?;
            let prefix = prefixes.iter().find(|prefix| prefix.server == listed.server)?;
            let name = listed.called();
            let renames = prefix.always || shared.find(name).is_some();
            renames.then(|| NewName::new(listed, format!("{}{name}", prefix.text)))
        })
    }
}

/// Returns the names that more than one server lists. All names are read before any is assigned, so the result does not
/// depend on the order of the servers.
fn shared(kind: Kind, sources: &[Source<'_>], prefixes: &[Prefix], assignments: &Assignments) -> Names {
    if prefixes.is_empty() {
        return Names::default();
    }
    let items = sources.iter().flat_map(|source| {
        let text = source.lists.text().as_bytes();
        source.lists.items(kind).iter().filter_map(move |item| item.id(kind, text, 0))
    });
    let seed = IdTable::seed(sources.iter().map(|source| source.lists.items(kind).len()).sum(), items);
    let (mut met, mut owners, mut shared) = (Names::seeded(seed), Vec::new(), Names::seeded(seed));
    for (owner, source) in sources.iter().enumerate() {
        // Names that always have a prefix cannot collide.
        if prefixes.iter().any(|prefix| prefix.server == source.server && prefix.always) {
            continue;
        }
        each_kept(kind, source, assignments, &mut |listed| {
            let place = met.intern(listed.called());
            match owners.get(place) {
                None => owners.push(owner),
                Some(known) if *known == owner => {}
                Some(_) => _ = shared.intern(listed.called()),
            }
        });
    }
    shared
}
