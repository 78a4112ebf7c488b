//! Compiles several servers into one catalog, and resolves name collisions between them.

use super::{
    compiler::{Naming, Rename},
    older_templates::OlderTemplates,
    owners::Owners,
    page_uris::PageUris,
    prefixes::Prefix,
    primitive_draft::PrimitiveDraft,
    skill_uris::SkillUris,
};
use crate::catalog::{
    Catalog,
    model::{kind::Kind, name_record::NameRecord, rules::Assignments},
    parse::lists::Source,
};

impl Catalog {
    /// Compiles several servers like [`Catalog::compile`], without a record of the servers that had each name. A name
    /// that several servers list belongs to none of them, unless a rule gives it to one.
    pub fn merge(sources: &[Source<'_>], prefixes: &[Prefix], assignments: &Assignments) -> Self {
        Self::merge_recorded(sources, prefixes, assignments, None)
    }

    /// Compiles several servers. A name that several of them list belongs to the one in `record`, or else to the first.
    /// The primitives of the others get the prefixes of their servers, or are left out.
    pub fn merge_recorded(
        sources: &[Source<'_>],
        prefixes: &[Prefix],
        assignments: &Assignments,
        record: Option<&NameRecord>,
    ) -> Self {
        let owners = [Kind::Tool, Kind::Resource, Kind::Template, Kind::Prompt]
            .map(|kind| (kind, Owners::new(kind, sources, prefixes, assignments, record)));
        let skill_uris = SkillUris::new(sources, prefixes, assignments, record);
        let page_uris = PageUris::new(sources, prefixes, assignments, record);
        let older_templates = OlderTemplates::new(sources, assignments, record);
        let name = |listed: &PrimitiveDraft<'_>| {
            if matches!(listed.kind, Kind::Skill | Kind::Resource)
                && let Some(naming) = skill_uris.rename(listed)
            {
                return naming;
            }
            if listed.kind == Kind::Resource
                && let Some(naming) = page_uris.rename(listed)
            {
                return naming;
            }
            if listed.kind == Kind::Resource
                && let Some(owner) = older_templates.owner(listed)
            {
                return Naming::LeftOut { id: listed.id.to_string(), owner: Ok(owner.to_owned()) };
            }
            let Some((_, owners)) = owners.iter().find(|(kind, _)| *kind == listed.kind) else {
                return Naming::Kept;
            };
            owners.resolve(listed, prefixes)
        };
        let page = |server: &str, uri: &str| page_uris.page(server, uri);
        Self::compile_as(sources, assignments, record, Rename { name: &name, page: &page })
    }
}
