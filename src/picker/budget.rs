//! The limit of a choice, and the primitives that it drops.

use super::{
    Picker,
    choice::{Named, put},
};
use crate::{
    catalog::{Bitset, Kind, Tokens},
    error::{Error, ErrorKind},
    filter::{Limit, Outcome, Ranked},
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

/// The position of a dropped primitive among the candidates, in the order of the [module](super#limits).
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// The position, from 1.
    pub position: usize,
    /// The number of candidates.
    pub of: usize,
    /// The `annotations.priority` of the primitive.
    pub priority: Option<Number>,
    /// The relevance to the words of the filter.
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

    /// Enables a primitive and pins it: it comes first within a limit, before those that were pinned earlier, and the
    /// last one that the limit kept makes room.
    ///
    /// # Errors
    /// [`ErrorKind::FilterLimit`] for a primitive of the shown kind that has no room even so: it is larger than the whole
    /// limit, or the filter cannot name all that the limit keeps. Those of [`Picker::toggle`].
    pub fn pin(&mut self, kind: Kind, name: &str) -> Result<bool, Error> {
        let changed = self.edit(&|_, choice| {
            put(&mut choice.disabled, kind, name, false);
            put(&mut choice.pins, kind, name, false);
            choice.pins.insert(0, (kind, name.to_owned()));
        })?;
        let index = self.view.find(kind, name).filter(|_| kind == self.kind);
        if index.and_then(|index| self.rank(index)).is_some() {
            self.undo();
            self.history.forget_redo();
            let message = "expected a budget into which this fits, and not more names than a filter holds";
            return Err(Error::new(ErrorKind::FilterLimit, message));
        }
        Ok(changed)
    }

    /// Returns the candidates of the limit, in the order of the [module](super#limits), or in that of a request.
    pub(super) fn shared(&self, kind: Kind, is_shared: bool) -> Vec<Ranked> {
        let kind_index = self.view.catalog().kind_index(kind);
        let mut weights = vec![0; kind_index.len()];
        let (favorites, pins) = (&self.choice.favorites, &self.choice.pins);
        for (at, (of, name)) in favorites.iter().chain(pins.iter().rev()).enumerate() {
            let index = kind_index.find(name).filter(|_| *of == kind);
            if let Some(slot) = index.and_then(|index| weights.get_mut(index)) {
                // Favorites weigh 1, and pins from 2.
                *slot = (at + 2).saturating_sub(favorites.len()).max(1) as u32;
            }
        }
        self.narrowing.ranking((&self.view).into(), kind, is_shared.then_some(&weights))
    }

    /// Returns the names that the limit keeps, for each kind of which a request's limit would keep others.
    pub(super) fn kept(&mut self) -> Vec<Named> {
        let mut all = Vec::new();
        for kind in Kind::ALL {
            let shared = self.shared(kind, true);
            let plain = self.view.select(&self.narrowing, kind, &mut self.selection);
            let (mut names, mut differs) = (Named::new(), false);
            for ranked in shared {
                let kept = ranked.outcome == Outcome::Kept;
                differs |= kept != plain.contains(ranked.index);
                if kept && let Some(id) = self.view.catalog().kind_index(kind).id(ranked.index) {
                    put(&mut names, kind, id, true);
                }
            }
            if differs {
                all.push(names);
            }
        }
        all
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
