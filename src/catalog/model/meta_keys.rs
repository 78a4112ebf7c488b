//! The names of Sieve in list results and in `_meta`.

use crate::catalog::Catalog;
use crate::catalog::Lists;

impl Catalog {
    /// The reverse-DNS prefix of every extension id, `_meta` key and method alias.
    pub const PREFIX: &'static str = "dev.mcpsieve";
}
impl Lists<'_> {
    /// The member of a list result that restricts its primitives to clients of one [`Era`](crate::revision::Era):
    /// `session` or `stateless`.
    pub const ERA_KEY: &'static str = "dev.mcpsieve/era";

    /// The member of a list result that marks its primitives as conditional: the server lists them only to clients that
    /// declare what their `_meta` requires, so they are hidden from other clients. Its value is `true`.
    pub const CONDITIONAL_KEY: &'static str = "dev.mcpsieve/conditional";

    /// The member of a list result with the gateway's reports on primitives of the server.
    pub const REPORTS_KEY: &'static str = "dev.mcpsieve/reports";
}

impl Catalog {
    /// The member of `_meta` of a list result that reports on its filter.
    pub const FILTER_REPORT_KEY: &'static str = "dev.mcpsieve/filter";
}

impl Lists<'_> {
    /// The member of a list result with the groups, tags and concerns that its server declares. The command writes it.
    pub const DECLARED_KEY: &'static str = "dev.mcpsieve/declared";
}
/// The keys of Sieve in `_meta` of a primitive, for its groups, tags and concerns.
pub(in crate::catalog) const FACET_KEYS: FacetKeys =
    FacetKeys { groups: "dev.mcpsieve/groups", tags: "dev.mcpsieve/tags", concerns: "dev.mcpsieve/concerns" };

/// The [prefixed](crate::catalog::Catalog::PREFIX) names of the facets.
pub(in crate::catalog) struct FacetKeys {
    pub groups: &'static str,
    pub tags: &'static str,
    pub concerns: &'static str,
}
