//! Visibility: the one place that decides whether a caller may see a primitive.
//!
//! Lists, calls, gets, reads, completions, facet lists and capabilities all ask a [`View`]; none of them
//! asks the catalog. What a view hides cannot be told from what does not exist.

mod guarded;
mod view;

pub use guarded::{Guarded, MAX_VIEWS};
pub use view::View;

use serde::Deserialize;

use crate::{expr::Expr, json::whole};

/// An operator's predicate: a primitive is visible to a caller only where it holds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// For logs, and to order policies of one priority.
    pub name: String,
    /// Higher is asked first.
    #[serde(default, deserialize_with = "whole::<_, _, -2147483648, 2147483647>")]
    pub priority: i32,
    /// What must hold of the primitive and the caller.
    pub show: Expr,
}
