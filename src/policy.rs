//! Visibility: the one place that decides whether a caller may see a primitive.
//!
//! Lists, calls, gets, reads, completions, facet lists and capabilities all ask a [`View`]; none of them
//! asks the catalog. What a view hides cannot be told from what does not exist.

mod check;
mod guarded;
mod preset;
mod view;

pub use check::Check;
pub use guarded::{Guarded, MAX_VIEWS};
pub use preset::Preset;
pub use view::View;

use crate::{error::Error, expr::Expr, json::Entry};

/// An operator's predicate: a primitive is visible to a caller only where it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// For logs, and to order policies of one priority.
    pub name: String,
    /// Higher is asked first.
    pub priority: i32,
    /// What must hold of the primitive and the caller.
    pub show: Expr,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut policy = Self { name: String::new(), priority: 0, show: Expr::All(vec![]) };
        let mut record = entry.record(&["name", "priority", "show"])?;
        record.need(&["name", "show"]);
        record.fill("name", &mut policy.name, Entry::text);
        record.fill("priority", &mut policy.priority, |entry| entry.whole(i32::MIN.into(), i32::MAX.into()));
        record.fill("show", &mut policy.show, |entry| entry.read(Expr::from_json));
        record.end().map(|()| policy)
    }
}
