use std::{cmp::Reverse, collections::BinaryHeap};

use super::{Fields, Limit};
use crate::{
    catalog::{Bitset, Catalog, Kind, estimate_tokens},
    expr::{Field, Subject},
    json::Number,
};

/// A primitive in the order in which a limit takes them, and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Its index in the catalog.
    pub index: usize,
    /// Whether it is taken whatever the limit.
    pub pinned: bool,
    /// Its `annotations.priority`.
    pub priority: Option<Number>,
    /// How well it fits the words of the filter, from 0 to 1000 for each query.
    pub relevance: u32,
    /// Tokens of a model's context that it takes as it is written.
    pub tokens: u64,
    /// What the limit decided.
    pub outcome: Outcome,
}

/// What a limit decides about a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is taken.
    Kept,
    /// As many as the limit allows stand before it.
    NoRoom,
    /// It takes more tokens than are left.
    TooLarge {
        /// The number of tokens that were left.
        left: u64,
    },
}

impl Limit {
    /// Decides about each primitive of `within`, the best first, until `take` returns `false`.
    ///
    /// What is pinned comes first, then the highest `annotations.priority` with those without one last, then the most
    /// relevant, then the order of the catalog. One that takes more tokens than are left makes room for those behind it.
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
        // Mostly a few are taken of many: a heap orders no more than these.
        let mut ranked: BinaryHeap<_> = within.iter().map(rank).collect();
        while let Some(((pinned, priority, relevance), Reverse(index))) = ranked.pop() {
            let cost = cost(catalog, kind, fields, index);
            // What is pinned takes room whether there is any or not.
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

/// Returns the tokens of a primitive as it is written.
pub(super) fn cost(catalog: &Catalog, kind: Kind, fields: &Fields, index: usize) -> u64 {
    if fields.is_whole() {
        return catalog.tokens_of(kind, index).map_or(0, |tokens| tokens.count);
    }
    let mut slim = Vec::new();
    fields.write(catalog.kind_index(kind).bytes(index).unwrap_or_default(), &mut slim);
    u64::from(estimate_tokens(&slim))
}

fn priority(catalog: &Catalog, kind: Kind, index: usize) -> Option<Number> {
    let mut priority = None;
    let primitive = catalog.primitive(kind, index)?;
    primitive.values(&Field::Priority, &mut |text| priority = text.parse().ok());
    priority
}
