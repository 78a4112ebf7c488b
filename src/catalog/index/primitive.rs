//! The public view of one compiled primitive: kind, id, JSON, server, groups, tags and concerns.

use std::{fmt, sync::OnceLock};

use super::kind_index::KindIndex;
use crate::{
    catalog::{
        Catalog,
        model::{
            kind::Kind,
            member_values::{FRONTMATTER, frontmatter_key, member_of, written},
            purpose::Purpose,
            requirement::REQUIRED_CAPABILITIES,
        },
    },
    expr::{Field, Subject},
    json::{Members, Raw},
};

/// A tool, resource, resource template, prompt or skill of a compiled catalog.
pub struct Primitive<'a> {
    catalog: &'a Catalog,
    kind_index: &'a KindIndex,
    kind: Kind,
    index: usize,
    /// The purpose for which its groups and tags are read.
    purpose: Purpose,
    /// The members of the JSON, which are parsed at their first use. Names and facets are known without them.
    members: OnceLock<Members<'a>>,
}

/// Writes the kind and the id. The catalog, which may have megabytes, is left out.
impl fmt::Debug for Primitive<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Primitive").field("kind", &self.kind).field("id", &self.id()).finish_non_exhaustive()
    }
}

impl Catalog {
    /// Returns the primitive at `index` of its kind.
    pub fn primitive(&self, kind: Kind, index: usize) -> Option<Primitive<'_>> {
        let (kind_index, purpose, members) = (self.kind_index(kind), Purpose::Filter, OnceLock::new());
        let primitive = Primitive { catalog: self, kind_index, kind, index, purpose, members };
        (index < kind_index.len()).then_some(primitive)
    }
}

impl<'a> Primitive<'a> {
    /// The key in `_meta` of a primitive.
    pub const REQUIRED_CAPABILITIES: &'static str = REQUIRED_CAPABILITIES;
    /// Maximum nesting depth of a `_meta` from which a policy reads. A policy that reads a deeper one cannot judge the
    /// primitive.
    pub const MAX_META_DEPTH: usize = 64;

    /// Returns the kind of the primitive.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the name of a tool or prompt, the `uri` of a resource or skill, and the `uriTemplate` of a template.
    pub fn id(&self) -> &str {
        self.kind_index.id(self.index).unwrap_or_default()
    }

    /// Returns the JSON that clients receive.
    pub fn json(&self) -> &str {
        self.kind_index
            .bytes(self.index)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    /// Returns a member of the JSON that clients receive, such as `name`, `annotations` or `_meta`.
    pub fn member(&self, key: &str) -> Option<Raw<'_>> {
        self.members().get(key)
    }

    /// Returns the name that the operator gave the server that lists the primitive.
    pub fn server(&self) -> &str {
        self.kind_index.server(self.index).unwrap_or_default()
    }

    /// Returns the primitive with the groups and tags that count in policies. Those that its server publishes without
    /// the operator's trust count in filters only.
    #[must_use]
    pub fn trusted(self) -> Self {
        self.read_for(Purpose::Policy)
    }

    pub(crate) fn read_for(self, purpose: Purpose) -> Self {
        Self { purpose, ..self }
    }

    /// Returns the groups that the primitive is in, and their parent groups.
    pub fn groups(&self) -> Vec<&'a str> {
        let Self { catalog, kind_index, index, purpose, .. } = *self;
        catalog.facets.groups.named(kind_index.groups_of(index, purpose)).collect()
    }

    /// Returns the tags of the primitive.
    pub fn tags(&self) -> Vec<&'a str> {
        let Self { catalog, kind_index, index, purpose, .. } = *self;
        catalog.facets.tags.named(kind_index.tags_of(index, purpose)).collect()
    }

    /// Returns the values for a concern. Empty if the primitive has none.
    pub fn concern(&self, name: &str) -> Vec<&'a str> {
        let Self { catalog, kind_index, index, .. } = *self;
        let found = catalog.facets.concern(name);
        found.map_or_else(Vec::new, |(id, values)| {
            values.named(kind_index.concern_values_of(id, index)).collect()
        })
    }
}

impl<'a> Primitive<'a> {
    /// Returns the groups and tags that count in filters only.
    pub(crate) fn published(&self) -> Vec<&'a str> {
        let Self { catalog, kind_index, index, .. } = *self;
        let (groups, tags) = kind_index.published_of(index);
        let (all_groups, all_tags) = (&catalog.facets.groups, &catalog.facets.tags);
        all_groups.named(groups).chain(all_tags.named(tags)).collect()
    }

    /// Returns whether a field is the id of the primitive, which is known without parsing the text.
    pub(crate) fn is_id(&self, field: &Field) -> bool {
        match field {
            Field::Name => self.kind.is_named(),
            Field::Uri => !self.kind.is_named(),
            _ => false,
        }
    }

    /// Returns whether its `_meta` nests too deeply for policies to read it.
    pub(crate) fn has_deep_meta(&self) -> bool {
        self.value("_meta").is_some_and(|meta| meta.is_deeper(Self::MAX_META_DEPTH))
    }

    /// Returns the length of the member that a field is read from, in bytes.
    pub(crate) fn length(&self, field: &Field) -> usize {
        if self.is_id(field) {
            return self.kind_index.id(self.index).map_or(0, str::len);
        }
        let inner = frontmatter_key(self.kind, field).map(|_| FRONTMATTER);
        let members = [inner, member_of(self.kind, field)].into_iter().flatten();
        members.filter_map(|key| self.value(key)).map(|raw| raw.get().len()).sum()
    }

    /// Returns the value of a member. If the catalog knows its position, only that member is parsed.
    fn value(&self, key: &str) -> Option<Raw<'a>> {
        let spans = self.catalog.spans(self.kind);
        match spans.and_then(|spans| spans.get(self.index, key, self.text()?)) {
            Some(value) => value,
            None => self.members().get(key),
        }
    }

    fn text(&self) -> Option<&'a str> {
        self.kind_index.bytes(self.index).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    fn members(&self) -> &Members<'a> {
        self.members.get_or_init(|| self.text().and_then(Members::parse).unwrap_or_default())
    }
}

impl Subject for Primitive<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        let (facets, kind_index, purpose) = (&self.catalog.facets, self.kind_index, self.purpose);
        match field {
            Field::Kind => visit(self.kind.name()),
            Field::Server => self.kind_index.server(self.index).into_iter().for_each(visit),
            Field::Group => facets.groups.named(kind_index.groups_of(self.index, purpose)).for_each(visit),
            Field::Tag => facets.tags.named(kind_index.tags_of(self.index, purpose)).for_each(visit),
            Field::Concern(name) => {
                let Some((id, values)) = facets.concern(name) else { return };
                values.named(self.kind_index.concern_values_of(id, self.index)).for_each(visit);
            }
            field if self.is_id(field) => self.kind_index.id(self.index).into_iter().for_each(visit),
            _ => written(self.kind, field, &|key| self.value(key), visit),
        }
    }
}
