//! Decides which primitives a caller may see.
//!
//! Lists, calls, gets, reads, completions, facet lists and capabilities all use a [`View`], which [`Guarded`] makes for
//! a caller; none of them uses the catalog directly. A caller cannot distinguish hidden primitives from missing ones.

mod bound;
mod check;
mod declared;
mod described;
mod disclosure_mode;
mod guarded;
mod judge;
mod own_name;
mod predicate;
mod preset;
mod program;
mod reach;
mod rule;
mod verdicts;
mod view;
mod view_cache;

pub use predicate::{CallerContext, Predicate, PredicateError, Reads};

// Hidden from the documentation and excluded from semver: only the other crates of this repository use these.
#[doc(hidden)]
pub use check::Check;
pub(crate) use declared::{declares, declares_path};
#[doc(hidden)]
pub use described::Described;
#[doc(hidden)]
pub use disclosure_mode::DisclosureMode;
#[doc(hidden)]
pub use guarded::Guarded;
#[doc(hidden)]
pub use judge::MAX_READ;
#[doc(hidden)]
pub use predicate::Predicates;
#[doc(hidden)]
pub use preset::Preset;
pub(crate) use preset::read_caller_condition;
#[doc(hidden)]
pub use reach::Reach;
#[doc(hidden)]
pub use rule::Policy;
#[doc(hidden)]
pub use view::View;
#[doc(hidden)]
pub use view_cache::MAX_VIEW_BYTES;
