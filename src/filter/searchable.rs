use std::sync::Arc;

use crate::{catalog::Scope, rank::Indexes};

/// A scope, and the search indexes that are kept of it.
#[derive(Debug, Clone, Copy)]
pub struct Searchable<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) indexes: Option<&'a Arc<Indexes>>,
}

impl<'a> Searchable<'a> {
    /// A scope whose indexes are kept.
    pub fn new(scope: Scope<'a>, indexes: &'a Arc<Indexes>) -> Self {
        Self { scope, indexes: Some(indexes) }
    }
}

impl<'a> From<Scope<'a>> for Searchable<'a> {
    /// What is narrowed makes the indexes that it needs.
    fn from(scope: Scope<'a>) -> Self {
        Self { scope, indexes: None }
    }
}
