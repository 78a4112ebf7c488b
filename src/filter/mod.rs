//! Filters, which select a part of the visible primitives for a request.
//!
//! A [`Filter`] is written by a caller. A [`Narrowing`] is one or more filters compiled against a
//! [`Catalog`](crate::catalog::Catalog), from which a count, indices or a page of bytes can be requested.
//!
//! | field | a primitive is included if | source |
//! |---|---|---|
//! | `groups` | it is in any of them, or in a group below one of them | SEP-1300 |
//! | `tags` | it has all of them | SEP-1300 |
//! | `concerns` | for each concern, it has one of the values, or no value at all | #1936 |
//! | `not` | it is in none of these `groups` and has none of these `tags` | #1300, thread |
//! | `namePatterns` | its name matches any of them | SEP-2564 |
//! | `uriPatterns` | its URI matches any of them; primitives without a URI are not affected | SEP-2564 |
//! | `where` | the [expression](crate::expr) holds for it | |
//! | `query` | it [matches](crate::rank) these words, in a search of all visible primitives | |
//! | `limit` | it is among the best that fit, after all other fields | |
//!
//! All fields must hold. `applyDefaults` applies the declared default of every concern that is not named, and `fields`
//! selects the members that are written. A filter is never access control: primitives that it excludes can still be
//! called.

mod applied;
mod build;
mod canonical;
mod condition;
pub(crate) mod criteria;
mod explain;
mod facet;
pub(crate) mod field;
mod fields;
mod hash;
mod limit;
mod narrow;
mod on_unknown_member;
mod page;
mod parsed;
mod query;
mod ranking;
mod relevance;
mod searchable;
mod selection_cache;
mod settled;
mod suggestions;
mod toolsets;
mod wire;

pub(crate) use criteria::Filter;
pub use explain::{Explanation, Reason};
pub use field::{FilterField, Vocabulary};
pub use limit::Limit;
pub use on_unknown_member::OnUnknownMember;
pub use parsed::ParsedFilter;
pub use ranking::Outcome;

pub use applied::AppliedFilter;
pub(crate) use applied::AppliedFilters;

pub use fields::Fields;

pub use narrow::{Narrowing, Selection};

pub(crate) use ranking::Ranked;
pub(crate) use searchable::Searchable;
pub use settled::SettledFilter;

pub(crate) use query::hex;
