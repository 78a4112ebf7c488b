use std::{cmp::Reverse, collections::BinaryHeap};

use super::Fields;
use crate::{
    catalog::{Bitset, Catalog, Kind, estimate_tokens},
    expr::{Field, Subject},
    json::Number,
};

/// How much a caller has room for, of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Limit {
    /// Most primitives.
    pub count: Option<u32>,
    /// Most tokens of a model's context, as [`Catalog::tokens`] counts them.
    pub tokens: Option<u32>,
}

impl Limit {
    /// Whether there is room for everything.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Both must hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let lower = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        Self { count: lower(self.count, other.count), tokens: lower(self.tokens, other.tokens) }
    }

    /// In words, for explanations.
    pub(super) fn describe(self) -> Vec<String> {
        self.bounds().map(|(key, most)| format!("{key}<={most}")).collect()
    }

    fn bounds(self) -> impl Iterator<Item = (&'static str, u32)> {
        let bounds = [("count", self.count), ("tokens", self.tokens)];
        bounds.into_iter().filter_map(|(key, most)| Some((key, most?)))
    }

    /// What is pinned, and of the rest the best that fit: by `annotations.priority`, highest first and those
    /// without one last, then by relevance, then in the order of the catalog. One that takes more tokens than are
    /// left makes room for those behind it.
    pub(super) fn pick(
        self,
        catalog: &Catalog,
        kind: Kind,
        fields: &Fields,
        relevance: &dyn Fn(usize) -> u32,
        within: &Bitset,
    ) -> Bitset {
        let cost = |at| cost(catalog, kind, fields, at);
        let mut room = self.count.map_or(usize::MAX, |count| count as usize);
        let mut tokens = self.tokens.map(u64::from);
        if within.count() <= room && tokens.is_none_or(|most| within.iter().map(cost).sum::<u64>() <= most) {
            return within.clone();
        }
        let is_pinned = |at| catalog.kind_index(kind).pinned().is_some_and(|pinned| pinned.contains(at));
        let rank = |at| ((is_pinned(at), priority(catalog, kind, at), relevance(at)), Reverse(at));
        // Mostly a few are taken of many: a heap orders no more than these.
        let mut ranked: BinaryHeap<_> = within.iter().map(rank).collect();
        let mut picked = Bitset::none(catalog.kind_index(kind).len());
        while let Some(((pinned, ..), Reverse(at))) = ranked.pop() {
            // What is pinned takes room whether there is any or not.
            if let Some(left) = &mut tokens {
                match left.checked_sub(cost(at)) {
                    Some(rest) => *left = rest,
                    None if pinned => *left = 0,
                    None => continue,
                }
            }
            if room == 0 && !pinned {
                break;
            }
            room = room.saturating_sub(1);
            picked.insert(at);
        }
        picked
    }
}

/// The tokens of a primitive as it is written.
fn cost(catalog: &Catalog, kind: Kind, fields: &Fields, index: usize) -> u64 {
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
