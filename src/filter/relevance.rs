//! The search query of a filter, with cached scores for each kind.

use std::sync::{Arc, OnceLock};

use crate::{
    catalog::{Bitset, ByKind, Catalog, Kind},
    rank::{Indexes, Scratch},
};

/// A search query, with its cached matches for each kind.
#[derive(Debug, Clone)]
pub(super) struct Relevance {
    pub query: String,
    indexes: Arc<Indexes>,
    known: ByKind<OnceLock<QueryMatches>>,
}

/// The matches of a query among the visible primitives.
#[derive(Debug, Clone)]
pub(super) struct QueryMatches {
    visible: Bitset,
    pub bits: Bitset,
    /// The relevance of each primitive, from 0 to 1000, by index.
    scores: Vec<u32>,
}

impl Relevance {
    pub fn new(query: &str, indexes: Arc<Indexes>) -> Self {
        Self { query: query.to_owned(), indexes, known: Default::default() }
    }

    /// Calls `tell` with the matches of a kind. The search covers all visible primitives, so other clauses do not
    /// affect scores.
    pub fn find<T>(
        &self,
        catalog: &Catalog,
        kind: Kind,
        visible: &Bitset,
        tell: impl FnOnce(&QueryMatches) -> T,
    ) -> T {
        let search = || QueryMatches::new(self, catalog, kind, visible);
        let known = kind.of(&self.known).get_or_init(search);
        match known.visible == *visible {
            true => tell(known),
            false => tell(&search()),
        }
    }
}

impl QueryMatches {
    /// Runs the search. In a page, this function and its callees are loaded on demand (`scripts/build-package`).
    #[inline(never)]
    fn new(relevance: &Relevance, catalog: &Catalog, kind: Kind, visible: &Bitset) -> Self {
        let index = relevance.indexes.get(catalog, kind, visible);
        let mut scratch = Scratch::default();
        let len = catalog.kind_index(kind).len();
        let (mut bits, mut scores) = (Bitset::none(len), vec![0; len]);
        for hit in index.search(&relevance.query, usize::MAX, &mut scratch) {
            bits.insert(hit.index);
            scores.get_mut(hit.index).into_iter().for_each(|score| *score = hit.score);
        }
        Self { visible: visible.clone(), bits, scores }
    }

    /// Returns the relevance of the primitive at `index`.
    pub fn score(&self, index: usize) -> u32 {
        self.scores.get(index).copied().unwrap_or_default()
    }
}
