//! Lints for configurations: rules and policies without effect, unknown names, and groups, tags and concerns that are
//! used but not declared or declared but not used.
//!
//! A [`Finding`] is never an error: the configuration is served as it is written. The findings of a review
//! ([`Flaw::REVIEW`]) can be acknowledged in the file.

mod acknowledged;
mod checks;
mod contradiction;
mod credentials;
mod defaults;
mod endpoint;
mod exposure;
mod facets;
mod filter;
mod finding;
mod lookalikes;
mod names;
mod open;
mod packages;
mod passed;
mod policies;
mod presets;
mod rules;
mod survey;
mod terms;
mod tool_names;
mod written;

pub use checks::lint;
pub use filter::lint_filter;
pub use finding::{Finding, Flaw};
pub use open::admits_strangers;
pub(super) use survey::may_be;
