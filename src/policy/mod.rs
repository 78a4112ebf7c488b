//! Decides which primitives a caller may see.
//!
//! Lists, calls, gets, reads, completions, facet lists and capabilities all use a [`View`], which [`Guarded`] makes for
//! a caller; none of them uses the catalog directly. A caller cannot distinguish hidden primitives from missing ones.

mod argument_gate;
mod awaiting;
mod bound;
mod check;
mod declared;
mod described;
mod disclosure_mode;
mod facet_query;
mod guarded;
mod judge;
mod own_name;
mod pages;
mod predicate;
mod preset;
mod program;
mod reach;
mod rule;
mod verdicts;
mod view;
mod view_cache;

pub use predicate::{CallerContext, Predicate, PredicateError, Reads};

pub use argument_gate::{ArgumentRefusal, ArgumentVerdict};
pub use check::Check;

pub use described::Described;
pub use disclosure_mode::DisclosureMode;
pub use facet_query::FacetQuery;
pub use guarded::Guarded;

pub use predicate::Predicates;
pub use preset::Preset;

pub use reach::Reach;
pub use rule::Policy;
pub use view::View;
