use super::{index::Index, query::Query};
use crate::catalog::Bits;

/// How many bytes of postings a query reads at most, beside one for each primitive. The stems that weigh
/// least are left out first.
pub const MAX_POSTINGS: usize = 1 << 16;

/// How many candidates are kept before the worse half of them is dropped, where the limit is small.
const CANDIDATES: usize = 64;

/// A primitive that fits a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Its place in registration order.
    pub index: usize,
    /// How well it fits, from 0 to 1000: a primitive that consisted of the query's words would have 1000.
    pub score: u32,
}

/// What a search works in. Kept between searches, nothing is allocated for another.
#[derive(Debug, Default)]
pub struct Scratch {
    query: Query,
    scores: Vec<u32>,
    /// What a score lacks and, below it, the primitive that has it: the least is the best.
    candidates: Vec<u64>,
    hits: Vec<Hit>,
}

impl Index {
    /// The primitives that fit `query`, best first; among equals, the one registered first. At most `limit`
    /// of them, and with `within` only members of that set.
    ///
    /// A query is a person's words in any order. Any text is one; at most [`MAX_QUERY`](super::MAX_QUERY)
    /// bytes of it are read.
    pub fn search<'a>(
        &self,
        query: &str,
        within: Option<&Bits>,
        limit: usize,
        scratch: &'a mut Scratch,
    ) -> &'a [Hit] {
        let Scratch { query: asked, scores, candidates, hits } = scratch;
        asked.read(query, self);
        scores.clear();
        scores.resize(self.len, 0);
        let mut left = MAX_POSTINGS + self.len;
        for (term, weight) in asked.terms() {
            let postings = self.postings(term);
            let Some(rest) = left.checked_sub(postings.len()) else { break };
            left = rest;
            add(postings, weight, scores);
        }

        candidates.clear();
        let enough = CANDIDATES.max(limit.saturating_mul(2));
        let mut bar = u32::from(limit == 0).wrapping_neg();
        for (index, score) in (0u32..).zip(scores.iter()) {
            if *score <= bar || within.is_some_and(|within| !within.contains(index as usize)) {
                continue;
            }
            candidates.push(u64::from(u32::MAX - score) << 32 | u64::from(index));
            if candidates.len() == enough {
                candidates.sort_unstable();
                candidates.truncate(limit);
                // A later one with the score of the last does not displace it.
                bar = candidates.last().map_or(u32::MAX, |last| score_of(*last));
            }
        }
        candidates.sort_unstable();
        candidates.truncate(limit);
        let ideal = u64::from(asked.ideal.max(1)) * 255;
        let hit = |candidate: &u64| Hit {
            index: *candidate as u32 as usize,
            score: (1000 * u64::from(score_of(*candidate)) / ideal).min(1000) as u32,
        };
        hits.clear();
        hits.extend(candidates.iter().map(hit));
        hits
    }
}

fn score_of(candidate: u64) -> u32 {
    u32::MAX - (candidate >> 32) as u32
}

/// Adds what each primitive gains from one stem.
fn add(postings: &[u8], weight: u32, scores: &mut [u32]) {
    let mut bytes = postings.iter();
    let mut at = 0;
    while let Some(gap) = take_gap(&mut bytes) {
        at += gap;
        if let (Some(score), Some(strength)) = (scores.get_mut(at), bytes.next()) {
            *score += weight * u32::from(*strength);
        }
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
