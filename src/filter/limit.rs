//! The limit of a filter: a maximum number of primitives and of tokens.

use super::{
    Fields,
    ranking::{Outcome, cost},
};
use crate::catalog::{Bitset, Catalog, Kind};

/// The maximum size of a selection, for each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Limit {
    /// Maximum number of primitives.
    pub count: Option<u32>,
    /// Maximum number of tokens of a model's context, as [`Selection::tokens`](crate::Selection::tokens) counts them.
    pub tokens: Option<u32>,
}

impl Limit {
    /// Returns whether nothing is limited.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Returns the limit that combines both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let lower = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        Self { count: lower(self.count, other.count), tokens: lower(self.tokens, other.tokens) }
    }

    /// Describes the limit for explanations.
    pub(crate) fn describe(self) -> Vec<String> {
        self.bounds().map(|(key, most)| format!("{key}<={most}")).collect()
    }

    /// Returns the limits that are set, by name.
    pub(crate) fn bounds(self) -> impl Iterator<Item = (&'static str, u32)> {
        let bounds = [("count", self.count), ("tokens", self.tokens)];
        bounds.into_iter().filter_map(|(key, most)| Some((key, most?)))
    }

    /// Returns the primitives of `within` that fit into the limit, in the order of [`Limit::decide`].
    pub(super) fn pick(
        self,
        catalog: &Catalog,
        kind: Kind,
        fields: &Fields,
        relevance: &dyn Fn(usize) -> u32,
        within: &Bitset,
    ) -> Bitset {
        let room = self.count.map_or(usize::MAX, |count| count as usize);
        let total = || within.iter().map(|at| cost(catalog, kind, fields, at)).sum::<u64>();
        let free = catalog.kind_index(kind).app_only().map_or(0, |free| free.common(within));
        if within.count() - free <= room && self.tokens.is_none_or(|most| total() <= u64::from(most)) {
            return within.clone();
        }
        let mut picked = Bitset::none(catalog.kind_index(kind).len());
        self.decide(catalog, kind, fields, relevance, None, within, &mut |ranked| {
            if ranked.outcome == Outcome::Kept {
                picked.insert(ranked.index);
            }
            // Once the count is reached, no later primitive is kept.
            ranked.outcome != Outcome::NoRoom
        });
        picked
    }
}
