//! Narrowing: what a request asks to see of what it may see.
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
mod relevance;
mod searchable;
mod selection_cache;
mod suggestions;
mod wire;

pub use condition::MAX_STEPS;
pub use cursor::{Cursor, Position};
pub use explain::{Explanation, Reason};
pub use fields::Fields;
pub use hash::{filter_hash, result_hash};
pub use limit::Limit;
pub use narrow::{Narrowing, Selection};
pub use page::write_page;
pub use parsed::ParsedFilter;
pub use query::MAX_UNKNOWN;
pub use searchable::Searchable;

use crate::{concern::Configuration, expr::Expr};

/// What a caller asks for. The default asks for everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Member of any of these; of none given, no condition.
    pub groups: Vec<String>,
    /// Carries all of these.
    pub tags: Vec<String>,
    /// Matches each of these.
    pub concerns: Configuration,
    /// Member of none of these, carries none of these.
    pub not: Not,
    /// Its name matches any of these; `*` is any run, `?` any one character.
    pub name_patterns: Vec<String>,
    /// Its URI matches any of these. What has no URI is not asked.
    pub uri_patterns: Vec<String>,
    /// Meets this, which reads no caller.
    pub r#where: Option<Expr>,
    /// Is about this, in a person's words.
    pub query: Option<String>,
    /// The best of what is left.
    pub limit: Limit,
    /// Which members of a primitive are written.
    pub fields: Fields,
    /// A handle that stands for concerns; only the server that made it can open it.
    pub concerns_ref: Option<String>,
    /// Asks the declared default of every concern that [`concerns`](Self::concerns) does not name.
    pub apply_defaults: bool,
}

/// What a caller refuses.
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
