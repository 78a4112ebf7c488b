//! Reciprocal rank fusion of a word search with the scores of a host.

use super::{Hit, Index, Scratch};
use crate::catalog::Bitset;

/// The constant of the method's paper (Cormack, Clarke and Büttcher, 2009), which is customary. A smaller one favors
/// the first positions more.
const K: u32 = 60;
/// The numerator of the value of a position, which is divided by `K` plus the position.
const ONE: u32 = 1_000_000_000;

/// Scores primitives for a query by other means than word search, such as the embeddings of a model.
///
/// Implemented for functions from a query and names to scores.
pub trait Ranker {
    /// Returns a score for each of `names`, in their order. A higher score means a better fit. Only the order of scores
    /// matters. If a score is missing or not finite, only the word search ranks that primitive.
    fn rank(&self, query: &str, names: &[&str]) -> Vec<f32>;
}

impl<F: Fn(&str, &[&str]) -> Vec<f32>> Ranker for F {
    fn rank(&self, query: &str, names: &[&str]) -> Vec<f32> {
        self(query, names)
    }
}

impl Index {
    /// Returns the best matches for a query among the members of `within`, at most `limit`. `ranked` has a score for
    /// each member, in the order of the catalog.
    ///
    /// A primitive receives `1 / (60 + position)` for its position in the word search, and again for its position in
    /// the order of `ranked`. Equal scores in `ranked` share one position. The score of a hit is its sum relative to
    /// the maximum possible sum, in thousandths. Scores of different queries are not comparable.
    pub fn search_ranked(
        &self,
        query: &str,
        within: &Bitset,
        ranked: &[f32],
        limit: usize,
        scratch: &mut Scratch,
    ) -> Vec<Hit> {
        let mut sums = vec![0; self.places.iter().max().map_or(0, |last| *last as usize + 1)];
        let mut add = |place: usize, gain| sums.get_mut(place).into_iter().for_each(|sum| *sum += gain);
        for (position, hit) in (1..).zip(self.search_within(query, within, usize::MAX, scratch)) {
            add(hit.index, gain(position));
        }

        // The key is the complement of the score and, below it, the rank by name, so nothing depends on the order of
        // the catalog.
        let members = || (0u64..).zip(&self.places).filter(|(_, place)| within.contains(**place as usize));
        let scored = members().filter_map(|(rank, place)| {
            let score =
                ranked.get(within.count_below(*place as usize)).copied().filter(|score| score.is_finite())?;
            Some(u64::from(!ascending(score)) << 32 | rank)
        });
        let mut order: Vec<u64> = scored.collect();
        order.sort_unstable();
        let (mut position, mut last) = (0, None);
        for (at, candidate) in (1..).zip(&order) {
            if last.replace(candidate >> 32) != Some(candidate >> 32) {
                position = at;
            }
            add(self.place(*candidate as u32 as usize), gain(position));
        }

        let sum = |place: u32| sums.get(place as usize).copied().unwrap_or_default();
        let found = members().filter(|(_, place)| sum(**place) > 0);
        let mut order: Vec<u64> = found.map(|(rank, place)| u64::from(!sum(*place)) << 32 | rank).collect();
        order.sort_unstable();
        let best = u64::from(2 * gain(1));
        let hit = |candidate: &u64| Hit {
            index: self.place(*candidate as u32 as usize),
            score: (1000 * u64::from(!((candidate >> 32) as u32)) / best) as u32,
        };
        order.iter().take(limit).map(hit).collect()
    }
}

/// Returns the value of a position.
fn gain(position: u32) -> u32 {
    ONE / K.saturating_add(position)
}

/// Returns a number that is greater for a greater score.
fn ascending(score: f32) -> u32 {
    // Adding zero turns negative zero into zero.
    let bits = (score + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}
