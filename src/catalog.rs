//! Primitives and their facets, compiled once and asked many times.
//!
//! A [`Catalog`] is an immutable value made from list results and [`Assignments`]. Each primitive is kept
//! as the bytes it will be sent as, in registration order, so that a page of a list is a copy of slices;
//! each group, tag and concern value has a bitset over the primitives, so that a selection is word
//! operations.

mod arranged;
mod assign;
mod bits;
mod compile;
mod estimate;
mod facets;
mod gather;
mod hash;
mod ids;
mod incoming;
mod kind;
mod lineage;
mod lists;
mod meant;
mod merge;
mod pick;
mod plan;
mod primitive;
mod render;
mod review;
mod scope;
mod shape;
mod shelf;
mod snapshot;
mod stock;
mod template;
mod tokens;

pub(crate) use arranged::arranged;
pub use assign::{Assignments, Group, Rule, Shown, Tag};
pub use bits::Bits;
pub use incoming::Incoming;
pub use kind::Kind;
pub use lineage::MAX_GROUP_DEPTH;
pub(crate) use lineage::check_parents;
pub use lists::{Lists, Source};
pub use merge::{Collision, Prefix};
pub use primitive::{Primitive, number_text};
pub use review::{Meeting, Outcome, Review};
pub use scope::Scope;
pub use shelf::Shelf;
pub use snapshot::SNAPSHOT_VERSION;
pub use template::template_matches;
pub use tokens::Tokens;

use std::sync::OnceLock;

pub(crate) use estimate::estimate as estimate_tokens;
use facets::Facets;
pub(crate) use facets::Names;
use tokens::Costs;

/// The reverse-DNS prefix of every extension id, `_meta` key and method alias.
pub const PREFIX: &str = "dev.mcpsieve";
/// Where a primitive's `_meta` says its groups, tags and concerns in our own words.
const OWN: Own =
    Own { groups: "dev.mcpsieve/groups", tags: "dev.mcpsieve/tags", concerns: "dev.mcpsieve/concerns" };

/// The [prefixed](PREFIX) names of the facets.
struct Own {
    groups: &'static str,
    tags: &'static str,
    concerns: &'static str,
}

/// Tools, resources, templates and prompts of all sources, indexed.
#[derive(Debug, Clone)]
pub struct Catalog {
    shelves: [Shelf; 4],
    facets: Facets,
    groups: Vec<Group>,
    tags: Vec<Tag>,
    /// How many of the groups, and of the tags, were declared: those stand first.
    declared: [usize; 2],
    /// Made when first asked for: it reads every byte.
    hash: OnceLock<u128>,
    /// By kind; estimated when first asked for.
    costs: [OnceLock<Costs>; 4],
    reports: Vec<Report>,
    collisions: Vec<Collision>,
}

/// Something the catalog was compiled without, or despite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The kind concerned.
    pub kind: Kind,
    /// The primitive's name, or its place in the list (`#3`) when it has none.
    pub name: String,
    /// What is wrong and what was done about it.
    pub problem: String,
}

impl Catalog {
    /// The primitives of one kind.
    pub fn shelf(&self, kind: Kind) -> &Shelf {
        let [tools, resources, templates, prompts] = &self.shelves;
        match kind {
            Kind::Tool => tools,
            Kind::Resource => resources,
            Kind::Template => templates,
            Kind::Prompt => prompts,
        }
    }

    /// Content hash: equal catalogs, in equal order and with equal assignments, have equal hashes.
    pub fn hash(&self) -> u128 {
        *self.hash.get_or_init(|| hash::of(self))
    }

    /// Bad items that were left out, and memberships that could not be read. What the operator might mend
    /// (groups that nobody declared, rules that match nothing) is for [`lint`](crate::config::lint) to say.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Primitives that were left out because another server's has their name.
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }

    /// Declared groups in declaration order, then groups that primitives name and nobody declared.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Declared tags in declaration order, then tags that primitives carry and nobody declared.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }
}
