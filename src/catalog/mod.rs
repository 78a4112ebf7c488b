//! A catalog of primitives with their groups, tags and concerns, which is compiled once and queried many times.
//!
//! A [`Catalog`] is an immutable value that is compiled from list results and [`Assignments`]. It stores each primitive
//! as the bytes that clients receive, in registration order, so a page of a list is a copy of slices. It has a bitset
//! over the primitives for each group, tag and concern value, so a selection takes only word operations.

mod compile;
mod hash;
mod index;
mod model;
mod parse;
mod rule_trace;
mod snapshot;
mod suggest;
mod tokens;

pub use crate::json::Raw;
pub use index::primitive::Primitive;
pub use model::{
    kind::Kind,
    report::{Report, ReportCode},
    rules::{Group, Tag},
};
pub use tokens::counts::Tokens;

// Hidden from the documentation and excluded from semver: only the other crates of this repository use these.
#[doc(hidden)]
pub use compile::{
    collision::Collision,
    own_names::{MAX_LIST_NAMES, MAX_NAME, MAX_OWN_NAMES},
    prefixes::Prefix,
};
#[doc(hidden)]
pub use index::{bitset::Bitset, kind_index::KindIndex, visible::Scope};
#[doc(hidden)]
pub use model::{
    concern_mapping::ConcernMapping,
    group_tree::{MAX_GROUP_DEPTH, MAX_GROUP_PLACES},
    member_values::number_text,
    report::{MAX_REPORT_TEXT, MAX_REPORTS},
    resource_uri::{MAX_URI, ResourceUri, UriError},
    rules::{Assignments, Rule, ServerWords, TextOverrides},
    uri_template::template_matches,
};
#[doc(hidden)]
pub use parse::{
    lists::{Lists, Source},
    skill::{MAX_SKILL_FILES, MAX_SKILLS},
    source_text::SourceText,
};
#[doc(hidden)]
pub use rule_trace::{RuleOutcome, RuleTrace, Step};
#[doc(hidden)]
pub use snapshot::SNAPSHOT_VERSION;

pub(crate) use compile::{new_name::NewName, primitive_draft::SEP_2084_GROUPS};
pub(crate) use index::{attached::skill_root, bitset_plan::Plan};
pub(crate) use model::{
    group_tree::{GroupTree, check_parents},
    kind::ByKind,
    requirement::REQUIRED_CAPABILITIES,
    skill_path::unscoped,
    vocabulary::Names,
};
pub(crate) use parse::skill::{MAIN_FILE, is_plain};
pub(crate) use tokens::estimate::estimate as estimate_tokens;

use std::sync::OnceLock;

use index::{attached::Attached, member_spans::Spans, resources::Resources, skills::Skills};
use model::vocabulary::Vocabulary;
use tokens::counts::Costs;

/// The reverse-DNS prefix of every extension id, `_meta` key and method alias.
#[doc(hidden)]
pub const PREFIX: &str = "dev.mcpsieve";
/// The member of a list result that restricts its primitives to clients of one [`Era`](crate::revision::Era): `session`
/// or `stateless`.
pub(crate) const LIST_ERA: &str = "dev.mcpsieve/era";
/// The member of `_meta` of a list result that reports on its filter.
pub(crate) const FILTER_REPORT: &str = "dev.mcpsieve/filter";
/// The member of a list result with the gateway's reports on primitives of the server.
pub(crate) const LIST_REPORTS: &str = "dev.mcpsieve/reports";
/// The member of a list result with the groups, tags and concerns that its server declares. The command writes it.
#[cfg(feature = "command")]
pub(crate) const LIST_DECLARED: &str = "dev.mcpsieve/declared";
/// The keys of Sieve in `_meta` of a primitive, for its groups, tags and concerns.
const OWN: Own =
    Own { groups: "dev.mcpsieve/groups", tags: "dev.mcpsieve/tags", concerns: "dev.mcpsieve/concerns" };

/// The [prefixed](PREFIX) names of the facets.
struct Own {
    groups: &'static str,
    tags: &'static str,
    concerns: &'static str,
}

/// The tools, resources, templates, prompts and skills of all sources, indexed.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Catalog {
    indexes: ByKind<KindIndex>,
    facets: Vocabulary,
    groups: Vec<Group>,
    tags: Vec<Tag>,
    /// The number of groups and of tags that the operator declares. They come first.
    declared: [usize; 2],
    /// The groups and tags that servers declare, in the order of the servers.
    words: Vec<ServerWords>,
    /// The content hash, which is computed at its first use, because that reads every byte.
    hash: OnceLock<u128>,
    /// The hash of each primitive, by kind. Computed when a list first contains the primitive.
    hashes: ByKind<OnceLock<Vec<OnceLock<u128>>>>,
    /// The token counts, by kind. Estimated at their first use.
    costs: ByKind<OnceLock<Costs>>,
    /// The positions of members, by kind. Computed when a policy first reads the text of primitives.
    spans: Spans,
    /// Built when a resource is first requested.
    resources: OnceLock<Resources>,
    /// Built when a primitive is first hidden.
    attached: OnceLock<Attached>,
    /// Built when a resource is first requested.
    skills: OnceLock<Skills>,
    reports: Vec<Report>,
    collisions: Vec<Collision>,
}

impl Catalog {
    /// Returns the index of the primitives of one kind.
    pub fn kind_index(&self, kind: Kind) -> &KindIndex {
        kind.of(&self.indexes)
    }

    /// Returns the capabilities that primitives require of clients, as JSON, by number. The flag is whether those
    /// primitives are hidden from clients without the capabilities.
    pub(crate) fn requirements(&self) -> impl ExactSizeIterator<Item = (&str, bool)> {
        self.facets.requirements()
    }

    /// Returns the capabilities that the primitive at `index` requires of clients, as JSON.
    pub(crate) fn required(&self, kind: Kind, index: usize) -> Option<&str> {
        let requirement = self.kind_index(kind).requirement_of(index)?;
        self.requirements().nth(requirement).map(|(needed, _)| needed)
    }

    /// Returns the index of resources and templates by identity.
    fn resources(&self) -> &Resources {
        self.resources.get_or_init(|| Resources::new(&self.indexes, self.attached()))
    }

    fn attached(&self) -> &Attached {
        self.attached.get_or_init(|| Attached::new(self.kind_index(Kind::Tool)))
    }

    /// Returns the listed resources that a server may identify with `uri`, whatever their spelling. Each is an index,
    /// or `None` for one that a rule hides.
    pub fn resources_like(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Option<usize>> {
        self.resources().same(uri)
    }

    /// Returns whether the template at `index` matches `uri` in every form to which a server may resolve it.
    pub fn template_makes(&self, index: usize, uri: &ResourceUri<'_>) -> bool {
        self.resources().makes(index, uri)
    }

    /// Returns the resources and templates that even a lenient server may match with `uri`. Each is an index, or `None`
    /// for one that a rule hides.
    pub fn may_be(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = (Kind, Option<usize>)> {
        self.resources().lenient(uri)
    }

    /// Returns the indices of the tools whose user interface is the page at `uri`, for each form in which a server may
    /// read the URI.
    pub fn tools_showing(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Vec<usize>> {
        self.resources().linking(uri)
    }

    /// Returns the main files of the skills that contain the file `uri`. Each is an index, or `None` for one that a
    /// rule hides.
    pub fn skills_holding(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Option<usize>> {
        self.resources().skills(uri)
    }

    /// Returns the skills of the catalog by their directories.
    pub(crate) fn skills(&self) -> &Skills {
        self.skills.get_or_init(|| Skills::new(self.kind_index(Kind::Skill)))
    }

    /// Returns the reports on primitives that were left out or repaired, and on memberships that could not be read.
    /// Problems of the configuration, such as undeclared groups or rules that match nothing, are reported by
    /// [`lint`](crate::config::lint).
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Returns the primitives that were left out because another server has one of that name.
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }

    /// Returns the declared groups in declaration order, with those of the operator first, followed by groups that only
    /// primitives name. A group that only a server declares may have no members. [`Scope::groups`] leaves such groups
    /// out.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the tags, in the same order.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }
}
