//! Conditions on primitives that await review. Only their names are known, so a condition that reads more hides them: it
//! could otherwise reveal the name of a tool that it hid before.

use crate::{
    catalog::{Bitset, Catalog, Kind, awaits_review},
    expr::{Expr, Field, Term},
    filter::Filter,
};

impl Catalog {
    /// Returns which primitives of a kind await review.
    pub(super) fn awaiting_review(&self, kind: Kind) -> Bitset {
        let kind_index = self.kind_index(kind);
        let mut awaiting = Bitset::none(kind_index.len());
        for index in 0..kind_index.len() {
            if kind_index.bytes(index).is_some_and(awaits_review) {
                awaiting.insert(index);
            }
        }
        awaiting
    }
}

/// Returns whether an expression reads no more of a primitive of this kind than its server and its name.
pub(super) fn reads_only_names(expr: &Expr, kind: Kind) -> bool {
    expr.terms().into_iter().map(Term::field).all(|field| match field {
        Field::Kind | Field::Server => true,
        Field::Name => kind.is_named(),
        Field::Uri => !kind.is_named(),
        field => field.reads_caller(),
    })
}

/// Returns whether the filter of a preset can decide on a primitive that awaits review. What it selects by memberships
/// is decided without them: such a primitive has only those that the operator declares.
pub(super) fn judges(filter: &Filter, kind: Kind) -> bool {
    let excludes = !filter.not.groups.is_empty() || !filter.not.tags.is_empty();
    !excludes && filter.r#where.as_ref().is_none_or(|condition| reads_only_names(condition, kind))
}
