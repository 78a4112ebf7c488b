//! Visibility: the one place that decides whether a caller may see a primitive.
//!
//! Lists, calls, gets, reads, completions, facet lists and capabilities all ask a [`View`]; none of them
//! asks the catalog. What a view hides cannot be told from what does not exist.

mod bound;
mod check;
mod described;
mod guarded;
mod judge;
mod predicate;
mod preset;
mod view;

pub use check::Check;
pub use described::Described;
pub use guarded::{Guarded, MAX_VIEWS};
pub use judge::MAX_READ;
pub use predicate::{Asking, Predicate, PredicateError, Predicates, Reads};
pub use preset::Preset;
pub use view::{Reach, View};

use crate::{
    catalog::Kind,
    error::Error,
    expr::Expr,
    json::{Entry, choice},
};

/// An operator's predicate: a primitive is visible to a caller only where it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// For logs, and to order policies of one priority.
    pub name: String,
    /// Higher is asked first.
    pub priority: i32,
    /// What must hold of the primitive and the caller.
    pub show: Expr,
    /// The kinds it judges.
    pub kinds: Vec<Kind>,
    /// Whether what it cannot judge is shown.
    pub fail_open: bool,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut policy = Self::new(String::new(), Expr::All(vec![]));
        let mut record = entry.record(&["name", "priority", "show", "kinds", "failOpen"])?;
        record.need(&["name", "show"]);
        record.fill("name", &mut policy.name, Entry::text);
        record.fill("priority", &mut policy.priority, |entry| entry.whole(i32::MIN.into(), i32::MAX.into()));
        record.fill("show", &mut policy.show, |entry| entry.read(Expr::from_json));
        record.fill("kinds", &mut policy.kinds, |entry| entry.list(kind));
        record.fill("failOpen", &mut policy.fail_open, Entry::flag);
        record.end().map(|()| policy)
    }

    /// A policy on every kind that hides what it cannot judge.
    pub fn new(name: impl Into<String>, show: Expr) -> Self {
        Self { name: name.into(), priority: 0, show, kinds: Kind::ALL.to_vec(), fail_open: false }
    }
}

fn kind(entry: &Entry<'_>) -> Result<Kind, Error> {
    let named = entry.text().ok().and_then(|name| Kind::from_name(&name));
    named.ok_or_else(|| entry.refuse(format!("expected {}", choice(&Kind::ALL.map(Kind::name)))))
}
