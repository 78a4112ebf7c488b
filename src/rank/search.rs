use super::{
    index::Index,
    query::Query,
    variety::{VARIED, Variety},
};
use crate::catalog::Bitset;

/// How many bytes of postings a query reads at most, beside one for each primitive. The stems that weigh
/// least are left out first.
pub const MAX_POSTINGS: usize = 1 << 16;

/// What fits less than this part as well as the best is not found: it shares a common word with the query, and
/// nothing that the query is about.
pub const FLOOR: u32 = 5;

/// A primitive that fits a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Its place in the catalog.
    pub index: usize,
    /// How well it fits, from 0 to 1000: a primitive that consisted of the query's words would have 1000.
    /// Never more than that of the hit before.
    pub score: u32,
}

/// What a search works in. Kept between searches, nothing is allocated for another.
#[derive(Debug, Default)]
pub struct Scratch {
    query: Query,
    scores: Vec<u32>,
    /// What a score lacks and, below it, the rank of the primitive that has it: the least is the best.
    candidates: Vec<u64>,
    variety: Variety,
    hits: Vec<Hit>,
}

impl Index {
    /// Returns the primitives that fit `query`, best first; equal ones in the order of their names. At
    /// most `limit` of them, each of which fits at least a [`FLOOR`]th as well as the best of the index.
    ///
    /// A query is a person's words in any order. Any text is one; at most [`MAX_QUERY`](super::MAX_QUERY)
    /// bytes of it are read.
    pub fn search<'a>(&self, query: &str, limit: usize, scratch: &'a mut Scratch) -> &'a [Hit] {
        self.find(query, &|_| true, limit, scratch)
    }

    /// Returns the primitives that share a word with `query`, best first, however little they fit and however alike they
    /// are. Primitives that fit equally well have equal scores, in the order of their names.
    pub fn scores<'a>(&self, query: &str, limit: usize, scratch: &'a mut Scratch) -> &'a [Hit] {
        self.score(query, scratch);
        let Scratch { query: asked, scores, candidates, hits, .. } = scratch;
        best(scores, u32::MAX, &|_| true, limit, candidates);
        hits.clear();
        hits.extend(candidates.iter().map(|candidate| hit_of(*candidate)));
        self.grade(hits, asked.ideal);
        hits
    }

    /// Returns what [`Index::search`] finds of the members of `within`. The set does not change how well anything fits,
    /// nor what fits well enough.
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
        let read = self.score(query, scratch);
        let Scratch { query: asked, scores, candidates, variety, hits } = scratch;
        best(scores, FLOOR, &|rank| wanted(self.place(rank)), limit.max(VARIED), candidates);
        hits.clear();
        hits.extend(candidates.iter().map(|candidate| hit_of(*candidate)));

        let varied = hits.len().min(VARIED);
        variety.order(self, asked.terms().take(read), hits.get_mut(..varied).unwrap_or_default(), scores);
        hits.truncate(limit);
        self.grade(hits, asked.ideal);
        hits
    }

    /// Writes the score of each primitive. Returns how many stems of the query were read.
    fn score(&self, query: &str, scratch: &mut Scratch) -> usize {
        let Scratch { query: asked, scores, .. } = scratch;
        asked.read(query, self);
        scores.clear();
        scores.resize(self.len(), 0);
        let (mut left, mut read) = (MAX_POSTINGS + self.len(), 0);
        for (term, weight) in asked.terms() {
            let postings = self.postings(term);
            let Some(rest) = left.checked_sub(postings.len()) else { break };
            (left, read) = (rest, read + 1);
            each_holder(postings, |at, strength| {
                scores.get_mut(at).into_iter().for_each(|score| *score += weight * u32::from(strength));
            });
        }
        read
    }

    /// Scales the scores of `hits` to 0..=1000, where `ideal` is the weight of the whole query, and gives each its place
    /// in the catalog instead of its rank.
    fn grade(&self, hits: &mut [Hit], ideal: u32) {
        let ideal = u64::from(ideal.max(1)) * 255;
        let mut least = 1000;
        for hit in hits {
            least = (1000 * u64::from(hit.score) / ideal).min(least);
            *hit = Hit { index: self.place(hit.index), score: least as u32 };
        }
    }
}

/// A hit whose index is a rank.
fn hit_of(candidate: u64) -> Hit {
    Hit { index: candidate as u32 as usize, score: score_of(candidate) }
}

/// The best of `scores`, in order: at most `limit`, none below the `floor`th part of the best, and only those that are
/// `wanted`.
fn best(scores: &[u32], floor: u32, wanted: &dyn Fn(usize) -> bool, limit: usize, candidates: &mut Vec<u64>) {
    candidates.clear();
    let best = scores.iter().max().copied().unwrap_or_default();
    let mut bar = best.div_ceil(floor).saturating_sub(1);
    for (rank, score) in (0u32..).zip(scores) {
        if *score <= bar || !wanted(rank as usize) {
            continue;
        }
        candidates.push(u64::from(u32::MAX - score) << 32 | u64::from(rank));
        if candidates.len() == limit.saturating_mul(2) {
            candidates.sort_unstable();
            candidates.truncate(limit);
            // A later one with the score of the last does not displace it.
            bar = candidates.last().map_or(bar, |last| score_of(*last));
        }
    }
    candidates.sort_unstable();
    candidates.truncate(limit);
}

fn score_of(candidate: u64) -> u32 {
    u32::MAX - (candidate >> 32) as u32
}

/// Calls `visit` with the rank of each primitive in a stem's postings, and how strong the stem is there.
pub(super) fn each_holder(postings: &[u8], mut visit: impl FnMut(usize, u8)) {
    let mut bytes = postings.iter();
    let mut at = 0;
    while let (Some(gap), Some(strength)) = (take_gap(&mut bytes), bytes.next()) {
        at += gap;
        visit(at, *strength);
    }
}

/// Reads a number, seven bits a byte, the lowest first.
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
