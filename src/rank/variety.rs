//! Reorders the best hits so that similar tools do not follow each other.

use std::cmp::Reverse;

use super::{
    index::Index,
    query::Term,
    search::{Hit, each_holder},
};

/// Number of best hits that are reordered for variety.
pub(super) const VARIED: usize = 32;

/// The divisor by which a hit with full strength in a stem lowers that stem's weight for later hits by a tenth.
pub(super) const DAMPING: u32 = 255 * 10;

/// Reorders the best hits of a search by what each adds to those before it. A hit for the other half of a request, or
/// another way to answer it, comes before one more tool that does the same.
#[derive(Debug, Default)]
pub(super) struct Variety {
    /// For each stem of the query, its weight and its strength in each hit.
    weights: Vec<(u32, [u8; VARIED])>,
}

impl Variety {
    /// Reorders at most [`VARIED`] hits, whose indices are ranks. The score of each becomes what it adds. `places` is a
    /// buffer with one slot for each primitive. Its contents are overwritten.
    pub fn order(&mut self, index: &Index, terms: &[Term], hits: &mut [Hit], places: &mut [u32]) {
        places.fill(0);
        for (place, hit) in (1..).zip(hits.iter()) {
            places.get_mut(hit.index).into_iter().for_each(|slot| *slot = place);
        }
        self.weights.clear();
        self.weights.extend(terms.iter().map(|term| {
            let mut strengths = [0; VARIED];
            each_holder(index.postings(term.stem), |at, strength| {
                let place = places.get(at).map_or(0, |place| *place as usize);
                let slot = place.checked_sub(1).and_then(|place| strengths.get_mut(place));
                slot.into_iter().for_each(|slot| *slot = strength);
            });
            (term.weight, strengths)
        }));

        let mut left = [None; VARIED];
        left.iter_mut().zip(hits.iter()).for_each(|(slot, hit)| *slot = Some(*hit));
        for slot in hits {
            let rank = |hit: Option<Hit>| hit.map(|hit| (hit.score, Reverse(hit.index)));
            let Some(best) = (0..VARIED).max_by_key(|at| left.get(*at).copied().and_then(rank)) else {
                return;
            };
            let Some(hit) = left.get_mut(best).and_then(Option::take) else { return };
            *slot = hit;
            for (weight, strengths) in &mut self.weights {
                let less = *weight * strengths.get(best).copied().map_or(0, u32::from) / DAMPING;
                *weight -= less;
                for (hit, strength) in left.iter_mut().zip(strengths) {
                    hit.iter_mut()
                        .for_each(|hit| hit.score = hit.score.saturating_sub(less * u32::from(*strength)));
                }
            }
        }
    }
}
