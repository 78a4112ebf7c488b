//! Filter clauses on groups, tags and concerns, evaluated as unions of bitsets.

use crate::catalog::{Bitset, KindIndex, Purpose};

/// A union of bitsets, or the complement of that union.
#[derive(Debug, Clone)]
pub(super) struct Facet {
    pub criterion: Criterion,
    /// The values as the caller wrote them, for explanations.
    pub wanted: Vec<String>,
    pub sets: Vec<Set>,
    /// The purpose of the clause, which decides whether published memberships count.
    pub purpose: Purpose,
}

/// The field of a filter from which a clause came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Criterion {
    Groups,
    Tags,
    Concern(String),
    NotGroups,
    NotTags,
}

/// A bitset of an index, identified by number, so one clause works for every kind.
#[derive(Debug, Clone, Copy)]
pub(super) enum Set {
    Group(usize),
    Tag(usize),
    Silent(usize),
    Value(usize, usize),
}

impl Criterion {
    /// Returns the name of the field in explanations and reports.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Groups => "groups",
            Self::Tags => "tags",
            Self::Concern(_) => "concern",
            Self::NotGroups => "not.groups",
            Self::NotTags => "not.tags",
        }
    }

    fn excludes(&self) -> bool {
        matches!(self, Self::NotGroups | Self::NotTags)
    }
}

impl Facet {
    /// Keeps the members of the union or of its complement. `spare` is a buffer.
    pub fn narrow(&self, kind_index: &KindIndex, bits: &mut Bitset, spare: &mut Bitset) {
        let mut sets = self.sets.iter().filter_map(|set| set.bits(kind_index, self.purpose));
        if self.criterion.excludes() {
            return sets.for_each(|set| bits.subtract(set));
        }
        match (sets.next(), sets.next()) {
            (None, _) => bits.clear(),
            (Some(only), None) => bits.intersect(only),
            (Some(first), Some(second)) => {
                spare.copy_from(first);
                spare.unite(second);
                sets.for_each(|set| spare.unite(set));
                bits.intersect(spare);
            }
        }
    }

    /// Returns whether the primitive at `index` is kept.
    pub fn admits(&self, kind_index: &KindIndex, index: usize) -> bool {
        let mut sets = self.sets.iter().filter_map(|set| set.bits(kind_index, self.purpose));
        sets.any(|bits| bits.contains(index)) != self.criterion.excludes()
    }
}

impl Set {
    fn bits(self, kind_index: &KindIndex, purpose: Purpose) -> Option<&Bitset> {
        match self {
            Self::Group(id) => kind_index.group_sets(purpose).get(id),
            Self::Tag(id) => kind_index.tag_sets(purpose).get(id),
            Self::Silent(id) => kind_index.silent(id),
            Self::Value(id, value) => kind_index.concern_value(id, value),
        }
    }
}
