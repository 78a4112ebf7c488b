//! The criteria of a filter.

use super::{Fields, Limit};
use crate::{
    concern::Configuration,
    expr::{Expr, Term},
};

/// A filter that selects primitives. The default selects all of them.
///
/// A filter is parsed from JSON or the query of a URL, or built field by field.
///
/// ```
/// use mcp_sieve::Filter;
///
/// let parsed: Filter = r#"{"groups":["issues"],"tags":["stable"]}"#.parse()?;
/// assert_eq!(parsed, Filter::from_query("groups=issues&tags=stable")?.filter);
/// assert_eq!(parsed, Filter::default().with_groups(["issues"]).with_tags(["stable"]));
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Selects members of any of these groups. Empty for no condition.
    pub groups: Vec<String>,
    /// Selects primitives with all of these tags.
    pub tags: Vec<String>,
    /// Selects primitives that match each of these concerns.
    pub concerns: Configuration,
    /// Excludes members of these groups and primitives with these tags.
    pub not: Not,
    /// Selects primitives whose name matches any of these patterns. `*` matches any text, `?` any single character.
    pub name_patterns: Vec<String>,
    /// Selects primitives whose URI matches any of these patterns. Primitives without a URI are not affected.
    pub uri_patterns: Vec<String>,
    /// Selects primitives that match this expression, which does not read the caller.
    pub r#where: Option<Expr>,
    /// Selects primitives that match a search for these words.
    pub query: Option<String>,
    /// The maximum size of the selection.
    pub limit: Limit,
    /// The members of a primitive that are written.
    pub fields: Fields,
    /// A handle that represents concerns. Only the server that created it can open it.
    pub concerns_ref: Option<String>,
    /// Whether the declared default applies for every concern that [`concerns`](Self::concerns) does not name.
    pub apply_defaults: bool,
    /// The concerns of the request's URL, if defaults apply that the server applies by itself: to all other concerns.
    pub server_defaults: Option<Configuration>,
    /// What reports name in place of `where` for terms that came from another field, such as a header.
    pub origins: Vec<(Term, String)>,
}

/// The exclusions of a filter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Not {
    /// Excludes members of these groups.
    pub groups: Vec<String>,
    /// Excludes primitives with these tags.
    pub tags: Vec<String>,
}

impl Filter {
    /// Returns whether the filter selects everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
