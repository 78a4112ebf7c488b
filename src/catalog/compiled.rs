//! The compiled catalog, and access to its parts.

use std::sync::OnceLock;

use super::{
    compile::collision::Collision,
    index::{
        attached::Attached, kind_index::KindIndex, member_spans::Spans, resources::Resources, skills::Skills,
    },
    model::{
        change::Change,
        kind::{ByKind, Kind},
        name_record::NameRecord,
        report::Report,
        rules::{Group, ServerWords, Tag},
        skill_path::unscoped,
        vocabulary::Vocabulary,
    },
    parse::schema::OUTPUT_SCHEMA,
    tokens::counts::Costs,
};

/// The tools, resources, templates, prompts and skills of all sources, indexed.
#[derive(Debug, Clone)]
pub struct Catalog {
    pub(super) indexes: ByKind<KindIndex>,
    pub(super) facets: Vocabulary,
    pub(super) groups: Vec<Group>,
    pub(super) tags: Vec<Tag>,
    /// The number of groups and of tags that the operator declares. They come first.
    pub(super) declared: [usize; 2],
    /// The groups and tags that servers declare, in the order of the servers.
    pub(super) words: Vec<ServerWords>,
    /// The content hash, which is computed at its first use, because that reads every byte.
    pub(super) hash: OnceLock<u128>,
    /// The hash of each primitive, by kind. Computed when a list first contains the primitive.
    pub(super) hashes: ByKind<OnceLock<Vec<OnceLock<u128>>>>,
    /// The token counts, by kind. Estimated at their first use.
    pub(super) costs: ByKind<OnceLock<Costs>>,
    /// The positions of members, by kind. Computed when a policy first reads the text of primitives.
    pub(super) spans: Spans,
    /// Built when a resource is first requested.
    pub(super) resources: OnceLock<Resources>,
    /// Built when a primitive is first hidden.
    pub(super) attached: OnceLock<Attached>,
    /// Built when a resource is first requested.
    pub(super) skills: OnceLock<Skills>,
    pub(super) reports: Vec<Report>,
    pub(super) collisions: Vec<Collision>,
    /// The addresses of pages that differ for callers, each with the server's own.
    pub(super) renamed_pages: Vec<(String, String)>,
    /// The primitives that differ from the lock. A snapshot has none.
    pub(super) changes: Vec<Change>,
    /// Whether the order of templates is the order in which servers first listed them. If not, a URI that templates of
    /// several servers match belongs to none of them.
    pub(super) is_recorded: bool,
    /// Whether this is the catalog [for sessions](Catalog::for_sessions).
    pub(super) is_for_sessions: bool,
}

impl Catalog {
    /// Returns the server and the URI of such a key.
    pub fn unscoped(key: &str) -> (&str, &str) {
        unscoped(key)
    }

    /// Returns the index of the primitives of one kind.
    pub fn kind_index(&self, kind: Kind) -> &KindIndex {
        kind.of(&self.indexes)
    }

    /// Returns the catalog for clients of revisions before 2026-07-28, if these reject the output schema of a tool. Such
    /// tools have none there, and all else is equal.
    pub(crate) fn for_sessions(&self) -> Option<Self> {
        let tools = self.kind_index(Kind::Tool);
        let without = tools.without(OUTPUT_SCHEMA, tools.modern_outputs()?);
        let mut catalog = Self {
            hash: OnceLock::new(),
            hashes: Default::default(),
            spans: Default::default(),
            is_for_sessions: true,
            ..self.clone()
        };
        *Kind::Tool.of_mut(&mut catalog.indexes) = without;
        Some(catalog)
    }

    /// Returns whether this is the catalog for clients of revisions before 2026-07-28, in which tools lack output
    /// schemas that these reject.
    pub fn is_for_sessions(&self) -> bool {
        self.is_for_sessions
    }

    /// Returns the capabilities that primitives require of clients, as JSON, by number. The flag is whether those
    /// primitives are hidden from clients without the capabilities.
    pub fn requirements(&self) -> impl ExactSizeIterator<Item = (&str, bool)> {
        self.facets.requirements()
    }

    /// Returns the capabilities that the primitive at `index` requires of clients, as JSON.
    pub fn required(&self, kind: Kind, index: usize) -> Option<&str> {
        let requirement = self.kind_index(kind).requirement_of(index)?;
        self.requirements().nth(requirement).map(|(needed, _)| needed)
    }

    /// Returns the index of resources and templates by identity.
    pub(crate) fn resources(&self) -> &Resources {
        self.resources.get_or_init(|| Resources::new(&self.indexes, self.attached()))
    }

    pub(super) fn attached(&self) -> &Attached {
        self.attached.get_or_init(|| Attached::new(self.kind_index(Kind::Tool)))
    }

    /// Returns the page that tools open with this number: the server, its address for callers, and the server's own
    /// address. Pages are numbered from 0, in the order of the tools.
    pub fn page(&self, number: usize) -> Option<(&str, &str, &str)> {
        let (uri, tool) = self.attached().page(number)?;
        let renamed = self.renamed_pages.iter().find(|(page, _)| page == uri);
        let server = self.kind_index(Kind::Tool).server(tool).unwrap_or_default();
        Some((server, uri, renamed.map_or(uri, |(_, own)| own)))
    }

    /// Returns the address for callers of a server's page, if it differs.
    pub fn public_page(&self, server: &str, own: &str) -> Option<&str> {
        let renamed = self.renamed_pages.iter().filter(|(_, known)| known == own);
        let public = renamed.map(|(page, _)| page.as_str());
        let of_server = |page: &&str| {
            let number = self.find_page(page);
            number.and_then(|number| self.page(number)).is_some_and(|(of, ..)| of == server)
        };
        public.into_iter().find(of_server)
    }

    /// Returns the tool that opens the page with this number, and its address for callers.
    pub(crate) fn page_tool(&self, number: usize) -> Option<(usize, &str)> {
        self.attached().page(number).map(|(uri, tool)| (tool, uri))
    }

    /// Returns the number of the page that callers know by this address.
    pub fn find_page(&self, uri: &str) -> Option<usize> {
        (0..).map_while(|number| self.page(number)).position(|(_, page, _)| page == uri)
    }

    /// Records the servers of the names that no server had before. Returns whether there are any.
    pub fn record_names(&self, record: &mut NameRecord) -> bool {
        let listed = Kind::ALL.into_iter().flat_map(|kind| {
            let kind_index = self.kind_index(kind);
            let ids = kind_index.ids().enumerate();
            ids.map(move |(index, id)| (kind, id, kind_index.server(index).unwrap_or_default()))
        });
        let pages = (0..).map_while(|number| self.page(number));
        record.learn(listed.chain(pages.map(|(server, uri, _)| (Kind::Resource, uri, server))))
    }

    /// Returns whether templates come in the order in which servers first listed them.
    pub fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// Returns the skills of the catalog by their directories.
    pub fn skills(&self) -> &Skills {
        self.skills.get_or_init(|| Skills::new(self.kind_index(Kind::Skill)))
    }

    /// Returns the reports on primitives that were left out or repaired, and on memberships that could not be read.
    /// Problems of the configuration, such as undeclared groups or rules that match nothing, are reported by
    /// the lint of the gateway.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Returns the primitives that differ from the lock, hidden ones included. It is for the operator.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns the primitives that were left out because another server has one of that name.
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }

    /// Returns the declared groups in declaration order, with those of the operator first, followed by groups that only
    /// primitives name. A group that only a server declares may have no members.
    /// [`Scope::groups`](crate::catalog::Scope::groups) leaves such groups out.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the tags, in the same order.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }
}
