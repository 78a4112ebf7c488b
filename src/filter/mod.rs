//! Filters: the part of the visible primitives that a request asks for.
//!
//! A [`Filter`] is what a caller writes; a [`Narrowing`] is one or more of them compiled against a
//! [`Catalog`](crate::catalog::Catalog), ready to be asked for a count, indices or a page of bytes.
//!
//! | field | a primitive is kept when | source |
//! |---|---|---|
//! | `groups` | it is in any of them, or in a group below | SEP-1300 |
//! | `tags` | it carries all of them | SEP-1300 |
//! | `concerns` | it says nothing about a concern, or has a value wanted of it; for each | #1936 |
//! | `not` | it is in none of these `groups` and carries none of these `tags` | #1300, thread |
//! | `namePatterns` | its name matches any | SEP-2564 |
//! | `uriPatterns` | its URI matches any; what has no URI is not asked | SEP-2564 |
//! | `where` | the [expression](crate::expr) holds | |
//! | `query` | it is [about](crate::rank) what these words are, of all that is visible | |
//! | `limit` | it is among the best that fit, of what the others leave | |
//!
//! All are joined by and. `applyDefaults` asks the declared default of every concern that is not named, and
//! `fields` says which members are written. Narrowing is never access control: what it leaves out can still be called.

mod applied;
mod build;
mod canonical;
mod condition;
mod cursor;
mod explain;
mod facet;
pub(crate) mod field;
mod fields;
mod hash;
mod limit;
mod narrow;
mod page;
mod parsed;
mod query;
mod ranking;
mod relevance;
mod searchable;
mod selection_cache;
mod settled;
mod suggestions;
mod wire;

pub use explain::{Explanation, Reason};
pub use parsed::ParsedFilter;

// For the other crates of this repository: hidden, and no part of what semver promises.
pub(crate) use applied::{AppliedFilter, AppliedFilters, AppliedKey};
#[doc(hidden)]
pub use condition::MAX_STEPS;
#[doc(hidden)]
pub use cursor::{Cursor, Position};
#[doc(hidden)]
pub use fields::Fields;
pub(crate) use hash::{canonical_hash, hash_of_hashes};
#[doc(hidden)]
pub use hash::{filter_hash, result_hash};
#[doc(hidden)]
pub use limit::Limit;
#[doc(hidden)]
pub use narrow::{Narrowing, Selection};
#[doc(hidden)]
pub use page::write_page;
#[doc(hidden)]
pub use query::MAX_UNKNOWN;
#[doc(hidden)]
pub use ranking::{Outcome, Ranked};
#[doc(hidden)]
pub use searchable::Searchable;
pub use settled::SettledFilter;

pub(crate) use query::{DISCLOSURE, hex};

use crate::{concern::Configuration, expr::Expr};

/// What a caller asks for. The default asks for everything.
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
    /// Member of any of these; of none given, no condition.
    #[doc(hidden)]
    pub groups: Vec<String>,
    /// Carries all of these.
    #[doc(hidden)]
    pub tags: Vec<String>,
    /// Matches each of these.
    #[doc(hidden)]
    pub concerns: Configuration,
    /// Member of none of these, carries none of these.
    #[doc(hidden)]
    pub not: Not,
    /// Its name matches any of these; `*` is any run, `?` any one character.
    #[doc(hidden)]
    pub name_patterns: Vec<String>,
    /// Its URI matches any of these. What has no URI is not asked.
    #[doc(hidden)]
    pub uri_patterns: Vec<String>,
    /// Meets this, which reads no caller.
    #[doc(hidden)]
    pub r#where: Option<Expr>,
    /// Is about this, in a person's words.
    #[doc(hidden)]
    pub query: Option<String>,
    /// The best of what is left.
    #[doc(hidden)]
    pub limit: Limit,
    /// Which members of a primitive are written.
    #[doc(hidden)]
    pub fields: Fields,
    /// A handle that stands for concerns; only the server that made it can open it.
    #[doc(hidden)]
    pub concerns_ref: Option<String>,
    /// Asks the declared default of every concern that [`concerns`](Self::concerns) does not name.
    #[doc(hidden)]
    pub apply_defaults: bool,
}

/// What a caller refuses.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Not {
    /// Member of none of these.
    pub groups: Vec<String>,
    /// Carries none of these.
    pub tags: Vec<String>,
}

impl Filter {
    /// Whether it asks for everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
