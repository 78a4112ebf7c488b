//! Scores the primitives of an index for a query, and returns the best hits.

use super::{
    index::Index,
    query::{OWN, Query},
    variety::{VARIED, Variety},
};
use crate::catalog::Bitset;

/// Maximum number of bytes of postings that a query reads, plus one for each primitive. The stems with the lowest
/// weights are dropped first.
pub const MAX_POSTINGS: usize = 1 << 16;

impl Hit {
    /// A search drops hits with less than this fraction of the best score, a fifth. They share a common word with the
    /// query, but not its subject.
    pub const FLOOR: u32 = 5;

    /// The score from which a hit is reliable.
    pub const SURE: u32 = 700;
}

/// The minimum share, in thousandths, with which every hit is compared if no other hit has more. A hit with a lower
/// share has few of the query's words, and is doubtful even without a rival.
pub(super) const DOUBT: u64 = 200;

/// Number of bits of the sum that related stems add: less than 256 of strength times 2^16 of weight.
const SPENT_BITS: u32 = 24;

/// A search result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The index of the primitive in the catalog.
    pub index: usize,
    /// The confidence that this primitive is the right one, from 0 to 1000. It never exceeds that of the previous hit.
    /// It is comparable between queries: of the hits at [`Hit::SURE`](crate::rank::Hit::SURE) or above, about nine in
    /// ten are right on the sets measured. A score of 500 means that another primitive fits as well.
    pub score: u32,
}

/// The buffers of a search. Reusing them avoids allocations.
#[derive(Debug, Default)]
pub struct Scratch {
    query: Query,
    scores: Vec<u32>,
    /// For each primitive, the amount that the related stems of one word have added to its score.
    spent: Vec<u32>,
    /// For each candidate, the complement of its score and, below it, its rank, so that the best has the lowest value.
    candidates: Vec<u64>,
    variety: Variety,
    hits: Vec<Hit>,
}

impl Index {
    /// Returns the primitives that fit `query`, best first, and equal ones in the order of their names. Returns at most
    /// `limit` hits, each with at least a [`Hit::FLOOR`](crate::rank::Hit::FLOOR)th of the best score in the index.
    ///
    /// A query is any text, with words in any order. At most [`MAX_QUERY`](crate::rank::Index::MAX_QUERY) bytes of it
    /// are read.
    pub fn search<'a>(&self, query: &str, limit: usize, scratch: &'a mut Scratch) -> &'a [Hit] {
        self.find(query, &|_| true, limit, scratch)
    }

    /// Returns all primitives that share a word with `query`, best first, without a minimum score and without
    /// reordering for variety. Primitives that fit equally well have equal scores, in the order of their names.
    pub fn scores<'a>(&self, query: &str, limit: usize, scratch: &'a mut Scratch) -> &'a [Hit] {
        self.score(query, scratch);
        let Scratch { query: parsed_query, scores, candidates, hits, .. } = scratch;
        let rivals = best(scores, u32::MAX, &|_| true, limit, candidates);
        hits.clear();
        hits.extend(candidates.iter().map(|candidate| hit_of(*candidate)));
        self.grade(hits, parsed_query.ideal, Some(rivals));
        hits
    }

    /// Returns the same hits as [`Index::scores`], each with its share of the query's weight, in thousandths.
    pub fn shares<'a>(&self, query: &str, limit: usize, scratch: &'a mut Scratch) -> &'a [Hit] {
        self.score(query, scratch);
        let Scratch { query: parsed_query, scores, candidates, hits, .. } = scratch;
        best(scores, u32::MAX, &|_| true, limit, candidates);
        hits.clear();
        hits.extend(candidates.iter().map(|candidate| hit_of(*candidate)));
        self.grade(hits, parsed_query.ideal, None);
        hits
    }

    /// Returns the hits of [`Index::search`] among the members of `within`. The set does not affect scores, nor the
    /// minimum score.
    pub fn search_within<'a>(
        &self,
        query: &str,
        within: &Bitset,
        limit: usize,
        scratch: &'a mut Scratch,
    ) -> &'a [Hit] {
        self.find(query, &|index| within.contains(index), limit, scratch)
    }

    fn find<'a>(
        &self,
        query: &str,
        wanted: &dyn Fn(usize) -> bool,
        limit: usize,
        scratch: &'a mut Scratch,
    ) -> &'a [Hit] {
        self.score(query, scratch);
        let Scratch { query: parsed_query, scores, candidates, variety, hits, .. } = scratch;
        let rivals =
            best(scores, Hit::FLOOR, &|rank| wanted(self.place(rank)), limit.max(VARIED), candidates);
        hits.clear();
        hits.extend(candidates.iter().map(|candidate| hit_of(*candidate)));

        let varied = hits.len().min(VARIED);
        variety.order(self, parsed_query.terms(), hits.get_mut(..varied).unwrap_or_default(), scores);
        hits.truncate(limit);
        self.grade(hits, parsed_query.ideal, Some(rivals));
        hits
    }

    /// Computes the score of each primitive. The query keeps only the stems whose postings were read.
    fn score(&self, query: &str, scratch: &mut Scratch) {
        let Scratch { query: parsed_query, scores, spent, .. } = scratch;
        parsed_query.read(query, self);
        for slots in [&mut *scores, &mut *spent] {
            slots.clear();
            slots.resize(self.len(), 0);
        }
        let (mut left, mut read) = (MAX_POSTINGS + self.len(), 0);
        for term in parsed_query.terms() {
            let Some(rest) = left.checked_sub(self.postings(term.stem).len()) else { break };
            (left, read) = (rest, read + 1);
        }
        parsed_query.gather(read);
        for term in parsed_query.terms() {
            let (postings, weight) = (self.postings(term.stem), term.weight);
            if term.word == OWN {
                each_holder(postings, |at, strength| {
                    scores.get_mut(at).into_iter().for_each(|score| *score += weight * u32::from(strength));
                });
                continue;
            }
            // The amount that the related stems of this word added to a primitive, with the number of the word in the
            // high bits.
            let (bound, mark) = (parsed_query.bound(term.word), u32::from(term.word) << SPENT_BITS);
            each_holder(postings, |at, strength| {
                let (Some(score), Some(slot)) = (scores.get_mut(at), spent.get_mut(at)) else { return };
                let added = slot.saturating_sub(mark);
                let gain = (weight * u32::from(strength)).min(bound.saturating_sub(added));
                *slot = mark + added + gain;
                *score += gain;
            });
        }
    }

    /// Scales the scores of `hits` to 0..=1000 and replaces ranks by catalog indices. `ideal` is the weight of the
    /// whole query, and `rivals` are the two best scores of all primitives. Without rivals, a score is the share of the
    /// weight.
    fn grade(&self, hits: &mut [Hit], ideal: u32, rivals: Option<[u32; 2]>) {
        let mut least = 1000;
        for hit in hits {
            let own = share(hit.score, ideal);
            let score = rivals.map_or(own, |[best, second]| {
                let rival = share(if hit.score < best { best } else { second }, ideal);
                Hit::certainty(own, rival)
            });
            least = score.min(least);
            *hit = Hit { index: self.place(hit.index), score: least as u32 };
        }
    }
}

/// Returns a score relative to the weight of a whole query, in thousandths.
pub(super) fn share(score: u32, ideal: u32) -> u64 {
    (1000 * u64::from(score) / (u64::from(ideal.max(1)) * 255)).min(1000)
}

impl Hit {
    /// Returns the confidence in a hit, from its share and the greatest share of another primitive: the ratio of its
    /// square to the sum of both squares.
    pub fn certainty(own: u64, rival: u64) -> u64 {
        let (own, rival) = (own * own, rival.max(DOUBT).pow(2));
        (1000 * own).div_ceil(own + rival)
    }
}

/// Returns a hit whose index is still a rank.
fn hit_of(candidate: u64) -> Hit {
    Hit { index: candidate as u32 as usize, score: score_of(candidate) }
}

/// Writes the best candidates in order: at most `limit`, only `wanted` ones, and none below the `floor`th part of the
/// best score. Returns the two best scores of all primitives, wanted or not.
fn best(
    scores: &[u32],
    floor: u32,
    wanted: &dyn Fn(usize) -> bool,
    limit: usize,
    candidates: &mut Vec<u64>,
) -> [u32; 2] {
    candidates.clear();
    let (mut best, mut second) = (0, 0);
    for score in scores {
        second = best.min(*score).max(second);
        best = best.max(*score);
    }
    let mut bar = best.div_ceil(floor).saturating_sub(1);
    for (rank, score) in (0u32..).zip(scores) {
        if *score <= bar || !wanted(rank as usize) {
            continue;
        }
        candidates.push(u64::from(u32::MAX - score) << 32 | u64::from(rank));
        if candidates.len() == limit.saturating_mul(2) {
            candidates.sort_unstable();
            candidates.truncate(limit);
            // A later candidate with the same score as the last one does not displace it.
            bar = candidates.last().map_or(bar, |last| score_of(*last));
        }
    }
    candidates.sort_unstable();
    candidates.truncate(limit);
    [best, second]
}

fn score_of(candidate: u64) -> u32 {
    u32::MAX - (candidate >> 32) as u32
}

/// Calls `visit` with the rank of each primitive in a stem's postings, and the strength of the stem there.
pub(super) fn each_holder(postings: &[u8], mut visit: impl FnMut(usize, u8)) {
    let mut bytes = postings.iter();
    let mut at = 0;
    while let (Some(gap), Some(strength)) = (take_gap(&mut bytes), bytes.next()) {
        at += gap;
        visit(at, *strength);
    }
}

/// Reads a number in groups of seven bits, the lowest first.
fn take_gap<'a>(bytes: &mut impl Iterator<Item = &'a u8>) -> Option<usize> {
    let mut byte = *bytes.next()?;
    let (mut gap, mut shift) = (usize::from(byte & 0x7f), 0);
    while byte >= 0x80 {
        byte = *bytes.next()?;
        shift += 7;
        gap |= usize::from(byte & 0x7f) << (shift & 31);
    }
    Some(gap)
}
