//! Primitives with their groups, tags and concerns, compiled once and queried many times.
//!
//! A [`Catalog`] is an immutable value made from list results and [`Assignments`]. Each primitive is kept
//! as the bytes it will be sent as, in registration order, so that a page of a list is a copy of slices;
//! each group, tag and concern value has a bitset over the primitives, so that a selection is word
//! operations.

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

// For the other crates of this repository: hidden, and no part of what semver promises.
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
    rules::{Assignments, Rule, ServerWords, Shown},
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

pub(crate) use compile::{listed::SEP_2084_GROUPS, new_name::NewName};
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
/// The member of a list result that says that its primitives are those of callers of one [`Era`](crate::revision::Era)
/// alone: `session` or `stateless`.
pub(crate) const LIST_ERA: &str = "dev.mcpsieve/era";
/// The member of `_meta` of a list result that reports on its filter.
pub(crate) const FILTER_REPORT: &str = "dev.mcpsieve/filter";
/// The member of a list result with what the gateway has to say of primitives of the server, for reports.
pub(crate) const LIST_REPORTS: &str = "dev.mcpsieve/reports";
/// The member of a list result that holds what its server declares: groups, tags and concerns. The command writes it.
#[cfg(feature = "command")]
pub(crate) const LIST_DECLARED: &str = "dev.mcpsieve/declared";
/// Where a primitive's `_meta` says its groups, tags and concerns in our own words.
const OWN: Own =
    Own { groups: "dev.mcpsieve/groups", tags: "dev.mcpsieve/tags", concerns: "dev.mcpsieve/concerns" };

/// The [prefixed](PREFIX) names of the facets.
struct Own {
    groups: &'static str,
    tags: &'static str,
    concerns: &'static str,
}

/// Tools, resources, templates, prompts and skills of all sources, indexed.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Catalog {
    indexes: ByKind<KindIndex>,
    facets: Vocabulary,
    groups: Vec<Group>,
    tags: Vec<Tag>,
    /// How many of the groups, and of the tags, the operator declares: those stand first.
    declared: [usize; 2],
    /// What servers declare of them, in the order of the servers.
    words: Vec<ServerWords>,
    /// Made when first asked for: it reads every byte.
    hash: OnceLock<u128>,
    /// By kind, of each primitive; computed when a list first holds it.
    hashes: ByKind<OnceLock<Vec<OnceLock<u128>>>>,
    /// By kind; estimated when first asked for.
    costs: ByKind<OnceLock<Costs>>,
    /// By kind; noted when a policy first reads the text of primitives.
    spans: Spans,
    /// Made when a resource is first asked for.
    resources: OnceLock<Resources>,
    /// Made when something is first hidden.
    attached: OnceLock<Attached>,
    /// Made when a resource is first asked for.
    skills: OnceLock<Skills>,
    reports: Vec<Report>,
    collisions: Vec<Collision>,
}

impl Catalog {
    /// Returns the index of the primitives of one kind.
    pub fn kind_index(&self, kind: Kind) -> &KindIndex {
        kind.of(&self.indexes)
    }

    /// The capabilities that primitives require of clients, as JSON, by number, each with whether those primitives are
    /// hidden from other clients.
    pub(crate) fn requirements(&self) -> impl ExactSizeIterator<Item = (&str, bool)> {
        self.facets.requirements()
    }

    /// The capabilities that the primitive at `index` requires of clients, as JSON.
    pub(crate) fn required(&self, kind: Kind, index: usize) -> Option<&str> {
        let requirement = self.kind_index(kind).requirement_of(index)?;
        self.requirements().nth(requirement).map(|(needed, _)| needed)
    }

    /// The identities of resources and templates.
    fn resources(&self) -> &Resources {
        self.resources.get_or_init(|| Resources::new(&self.indexes, self.attached()))
    }

    fn attached(&self) -> &Attached {
        self.attached.get_or_init(|| Attached::new(self.kind_index(Kind::Tool)))
    }

    /// The listed resources that a server may take `uri` for, whatever their spelling: each by its index, and `None`
    /// for each that a rule took out.
    pub fn resources_like(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Option<usize>> {
        self.resources().same(uri)
    }

    /// Whether the template at `index` makes `uri`, in every form in which a server may resolve it.
    pub fn template_makes(&self, index: usize, uri: &ResourceUri<'_>) -> bool {
        self.resources().makes(index, uri)
    }

    /// The resources and templates that even a lenient server may take `uri` for or make it from: each by its index,
    /// and `None` for each that a rule took out.
    pub fn may_be(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = (Kind, Option<usize>)> {
        self.resources().lenient(uri)
    }

    /// The tools that refer to `uri`, by index: it is the page of their user interface.
    pub fn tools_showing(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = usize> {
        self.resources().linking(uri)
    }

    /// The main files of the skills that `uri` is a file of: each by its index, and `None` for each that a rule took
    /// out.
    pub fn skills_holding(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Option<usize>> {
        self.resources().skills(uri)
    }

    /// The skills of the catalog by their directories.
    pub(crate) fn skills(&self) -> &Skills {
        self.skills.get_or_init(|| Skills::new(self.kind_index(Kind::Skill)))
    }

    /// Primitives that were left out or repaired, and memberships that could not be read. What the operator might mend
    /// (groups that nobody declared, rules that match nothing) is for [`lint`](crate::config::lint) to say.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Primitives that were left out because another server's has their name.
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }

    /// Declared groups in declaration order, those of the operator first; then groups that only primitives name. A group
    /// that only a server declares may have no members: [`Scope::groups`] leaves it out.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Declared tags, in the same order.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }
}
