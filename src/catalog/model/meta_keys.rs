//! The names of Sieve in list results and in `_meta`.

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
pub(in crate::catalog) const FACET_KEYS: FacetKeys =
    FacetKeys { groups: "dev.mcpsieve/groups", tags: "dev.mcpsieve/tags", concerns: "dev.mcpsieve/concerns" };

/// The [prefixed](PREFIX) names of the facets.
pub(in crate::catalog) struct FacetKeys {
    pub groups: &'static str,
    pub tags: &'static str,
    pub concerns: &'static str,
}
