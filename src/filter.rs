//! Narrowing: what a request asks to see of what it may see.
//!
//! A [`Filter`] is what a caller writes; a [`Narrowing`] is one or more of them compiled against a
//! [`Catalog`](crate::catalog::Catalog), ready to be asked for a count, indices or a page of bytes.
//! Groups are any, tags are all (SEP-1300), concerns are all of the configured ones (#1936), `where` is an
//! [expression](crate::expr) over the primitive, and the four are joined by and. Narrowing is never access control: what it leaves out can still be called.

mod canonical;
mod condition;
mod cursor;
mod explain;
mod hashes;
mod narrow;
mod page;
mod query;
mod wire;

pub use cursor::{Cursor, Position};
pub use explain::{Explanation, Reason};
pub use hashes::{filter_hash, result_hash};
pub use narrow::{Narrowing, Selection};
pub use page::write_page;

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
    /// Meets this, which reads no caller.
    pub r#where: Option<Expr>,
}

impl Filter {
    /// Whether it asks for everything.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.tags.is_empty() && self.concerns.is_empty() && self.r#where.is_none()
    }
}
