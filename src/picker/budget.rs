//! The limit of a choice, and the primitives that it drops.

use super::Picker;
use crate::{
    catalog::{Bitset, Tokens},
    error::Error,
    filter::{Limit, Outcome},
    json::Number,
};

/// The limit of a choice, and the primitives that it applies to.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The maximum number of primitives and tokens.
    pub limit: Limit,
    /// The number of primitives that match the rest of the choice.
    pub candidates: usize,
    /// The total tokens of these candidates.
    pub tokens: Tokens,
    /// The number of candidates that the limit drops.
    pub dropped: usize,
}

/// The position of a dropped primitive among the candidates, in the order in which the limit takes them.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// The position, from 1.
    pub position: usize,
    /// The number of candidates.
    pub of: usize,
    /// The `annotations.priority` of the primitive, which is the first sort key.
    pub priority: Option<Number>,
    /// The relevance to the words of the filter, which is the second sort key.
    pub relevance: u32,
    /// The reason why it was dropped.
    pub outcome: Outcome,
}

impl Picker {
    /// Sets the maximum number of primitives and tokens. Without either, there is no limit.
    ///
    /// # Errors
    /// The same as for [`Picker::toggle`].
    pub fn set_limit(&mut self, limit: Limit) -> Result<bool, Error> {
        self.edit(&|_, choice| choice.filter.limit = limit)
    }

    /// Returns the limit, its candidates, and the number of candidates that it drops.
    pub fn budget(&self) -> Budget {
        let limit = self.choice.filter.limit;
        let (selected, _) = self.sizes();
        if self.ranking.is_empty() {
            let (tokens, _) = self.tokens();
            return Budget { limit, candidates: selected, tokens, dropped: 0 };
        }
        let (_, Tokens { exact, .. }) = self.tokens();
        let count = self.ranking.iter().map(|ranked| ranked.tokens).sum();
        let dropped = self.dropped().count();
        Budget { limit, candidates: self.ranking.len(), tokens: Tokens { count, exact }, dropped }
    }

    /// Returns the rank of a primitive that the limit drops, or `None` for any other.
    pub(super) fn rank(&self, index: usize) -> Option<Rank> {
        let of = self.ranking.len();
        let (position, ranked) = (1..).zip(&self.ranking).find(|(_, ranked)| ranked.index == index)?;
        let (priority, relevance, outcome) = (ranked.priority, ranked.relevance, ranked.outcome);
        (outcome != Outcome::Kept).then_some(Rank { position, of, priority, relevance, outcome })
    }

    /// Returns the primitives that the limit drops, as a set.
    pub(super) fn dropped_bits(&self) -> Bitset {
        let mut dropped = Bitset::none(self.view.catalog().kind_index(self.kind).len());
        self.dropped().for_each(|index| dropped.insert(index));
        dropped
    }

    /// Returns the primitives that the limit drops, in the order of ranks.
    pub(super) fn dropped(&self) -> impl Iterator<Item = usize> {
        let dropped = self.ranking.iter().filter(|ranked| ranked.outcome != Outcome::Kept);
        dropped.map(|ranked| ranked.index)
    }
}
