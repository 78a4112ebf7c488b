//! Decides which primitives a limit keeps: pinned ones first, then by relevance and priority.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{Fields, Limit};
use crate::{
    catalog::{Bitset, Catalog, Kind, Tokens},
    expr::{Field, Subject},
    json::Number,
};

/// A primitive in the order in which a limit takes them, with its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Its index in the catalog.
    pub index: usize,
    /// Whether it is kept regardless of the limit.
    pub pinned: bool,
    /// Its `annotations.priority`.
    pub priority: Option<Number>,
    /// Its relevance to the words of the filter, from 0 to 1000 for each query.
    pub relevance: u32,
    /// The number of tokens of a model's context that it takes as written.
    pub tokens: u64,
    /// The outcome of the limit.
    pub outcome: Outcome,
}

/// The outcome of a limit for a primitive.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The primitive is kept.
    Kept,
    /// The limit's number of primitives is already reached.
    NoRoom,
    /// The primitive takes more tokens than are left.
    TooLarge {
        /// The number of tokens that were left.
        left: u64,
    },
}

impl Limit {
    /// Decides about each primitive of `within`, best first, until `take` returns `false`.
    ///
    /// Pinned primitives come first. The others are ordered by descending `annotations.priority`, with those without
    /// one last, then by relevance, then by the order of the catalog. If a primitive takes more tokens than are left,
    /// later ones may still fit.
    pub(super) fn decide(
        self,
        catalog: &Catalog,
        kind: Kind,
        fields: &Fields,
        relevance: &dyn Fn(usize) -> u32,
        within: &Bitset,
        take: &mut dyn FnMut(Ranked) -> bool,
    ) {
        let mut room = self.count.map_or(usize::MAX, |count| count as usize);
        let mut tokens = self.tokens.map(u64::from);
        let is_pinned = |at| catalog.kind_index(kind).pinned().is_some_and(|pinned| pinned.contains(at));
        let rank = |at| ((is_pinned(at), priority(catalog, kind, at), relevance(at)), Reverse(at));
        // Usually few of many primitives are kept, and a heap sorts only these.
        let mut ranked: BinaryHeap<_> = within.iter().map(rank).collect();
        while let Some(((pinned, priority, relevance), Reverse(index))) = ranked.pop() {
            let cost = cost(catalog, kind, fields, index);
            // Pinned primitives are always kept, and take up room.
            let outcome = match tokens {
                _ if room == 0 && !pinned => Outcome::NoRoom,
                Some(left) if left < cost && !pinned => Outcome::TooLarge { left },
                _ => Outcome::Kept,
            };
            if outcome == Outcome::Kept {
                room = room.saturating_sub(1);
                tokens = tokens.map(|left| left.saturating_sub(cost));
            }
            if !take(Ranked { index, pinned, priority, relevance, tokens: cost, outcome }) {
                return;
            }
        }
    }
}

/// Returns the number of tokens of a primitive as it is written.
pub(super) fn cost(catalog: &Catalog, kind: Kind, fields: &Fields, index: usize) -> u64 {
    if fields.is_whole() {
        return catalog.tokens_of(kind, index).map_or(0, |tokens| tokens.count);
    }
    let mut slim = Vec::new();
    fields.write(catalog.kind_index(kind).bytes(index).unwrap_or_default(), &mut slim);
    u64::from(Tokens::estimate(&slim))
}

fn priority(catalog: &Catalog, kind: Kind, index: usize) -> Option<Number> {
    let mut priority = None;
    let primitive = catalog.primitive(kind, index)?;
    primitive.values(&Field::Priority, &mut |text| priority = text.parse().ok());
    priority
}
