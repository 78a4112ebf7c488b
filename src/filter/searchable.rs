//! A scope together with its cached search indexes.

use std::sync::Arc;

use crate::{catalog::Scope, rank::Indexes};

/// A scope with its cached search indexes, if there are any.
#[derive(Debug, Clone, Copy)]
pub struct Searchable<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) indexes: Option<&'a Arc<Indexes>>,
}

impl<'a> Searchable<'a> {
    /// Creates a scope with cached indexes.
    pub fn new(scope: Scope<'a>, indexes: &'a Arc<Indexes>) -> Self {
        Self { scope, indexes: Some(indexes) }
    }
}

impl<'a> From<Scope<'a>> for Searchable<'a> {
    /// Creates a scope without cached indexes. A narrowing builds the indexes that it needs.
    fn from(scope: Scope<'a>) -> Self {
        Self { scope, indexes: None }
    }
}
