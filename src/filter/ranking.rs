//! Decides which primitives a limit keeps: pinned ones first, then by priority and relevance. Tools
//! that only applications may call are kept: a limit is about what a model reads.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{Fields, Limit};
use crate::{
    catalog::{Bitset, Catalog, Kind, Tokens},
    expr::{Field, Subject},
    json::Number,
    sort_indices::sort_indices,
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
    /// Tools that only applications may call come first and take up nothing, then pinned primitives. The others are ordered by descending `annotations.priority`, with those without
    /// one last, then by relevance, then by the order of the catalog. If a primitive takes more tokens than are left,
    /// later ones may still fit.
    ///
    /// `weights`, one for each primitive of the catalog, are a user's. The heaviest primitives come after the pinned
    /// ones. Among primitives that are equal in all this, servers then take turns. Requests have no weights.
    #[expect(clippy::too_many_arguments, reason = "an object in their place makes the module larger")]
    pub(super) fn decide(
        self,
        catalog: &Catalog,
        kind: Kind,
        fields: &Fields,
        relevance: &dyn Fn(usize) -> u32,
        weights: Option<&[u32]>,
        within: &Bitset,
        take: &mut dyn FnMut(Ranked) -> bool,
    ) {
        let mut room = self.count.map_or(usize::MAX, |count| count as usize);
        let mut tokens = self.tokens.map(u64::from);
        let is_pinned = |at| catalog.kind_index(kind).pinned().is_some_and(|pinned| pinned.contains(at));
        let is_app_only = |at| !catalog.kind_index(kind).is_for_models(at);
        let weight = |at| weights.and_then(|weights| weights.get(at)).copied().unwrap_or_default();
        let class =
            |at| (is_app_only(at), is_pinned(at), weight(at), priority(catalog, kind, at), relevance(at));
        let mut ranks: Vec<_> = within.iter().map(|at| (class(at), Reverse((0, at)))).collect();
        if weights.is_some() {
            take_turns(&mut ranks, |at| catalog.kind_index(kind).server(at));
        }
        // Usually few of many primitives are kept, and a heap sorts only these.
        let mut ranked = BinaryHeap::from(ranks);
        while let Some(((app_only, pinned, _, priority, relevance), Reverse((_, index)))) = ranked.pop() {
            let cost = cost(catalog, kind, fields, index);
            // Pinned primitives are always kept, and take up room.
            let outcome = match tokens {
                _ if app_only => Outcome::Kept,
                _ if room == 0 && !pinned => Outcome::NoRoom,
                Some(left) if left < cost && !pinned => Outcome::TooLarge { left },
                _ => Outcome::Kept,
            };
            if outcome == Outcome::Kept {
                room = room.saturating_sub(usize::from(!app_only));
                tokens = tokens.map(|left| left.saturating_sub(cost));
            }
            if !take(Ranked { index, pinned, priority, relevance, tokens: cost, outcome }) {
                return;
            }
        }
    }
}

/// Sets the turn of each primitive: the number of primitives of its server that come before it in its class.
fn take_turns<'a, Class: Ord>(
    ranks: &mut [(Class, Reverse<(usize, usize)>)],
    server: impl Fn(usize) -> Option<&'a str>,
) {
    let order = sort_indices(ranks.len(), &mut |a, b| ranks.get(a).cmp(&ranks.get(b)).reverse());
    let mut counts: Vec<(Option<&str>, usize)> = Vec::new();
    let mut last = None;
    for at in order.into_iter().map(|at| at as usize) {
        let is_same = last.is_some_and(|last| {
            ranks.get(last).map(|(class, _)| class) == ranks.get(at).map(|(class, _)| class)
        });
        if !is_same {
            counts.clear();
        }
        last = Some(at);
        let Some((_, Reverse((turn, index)))) = ranks.get_mut(at) else { continue };
        let server = server(*index);
        match counts.iter_mut().find(|(known, _)| *known == server) {
            Some((_, count)) => {
                *count += 1;
                *turn = *count;
            }
            None => counts.push((server, 0)),
        }
    }
}

/// Returns the number of tokens of a primitive as it is written.
pub(super) fn cost(catalog: &Catalog, kind: Kind, fields: &Fields, index: usize) -> u64 {
    if fields.is_whole() || !catalog.kind_index(kind).is_for_models(index) {
        return catalog.tokens_of(kind, index).map_or(0, |tokens| tokens.count);
    }
    let mut slim = Vec::new();
    fields.write(catalog.kind_index(kind).listed(index).unwrap_or_default(), &mut slim);
    u64::from(Tokens::estimate(&slim))
}

fn priority(catalog: &Catalog, kind: Kind, index: usize) -> Option<Number> {
    let mut priority = None;
    let primitive = catalog.primitive(kind, index)?;
    primitive.values(&Field::Priority, &mut |text| priority = text.parse().ok());
    priority
}
