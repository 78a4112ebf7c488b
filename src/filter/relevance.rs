use std::sync::{Arc, OnceLock};

use crate::{
    catalog::{Bitset, ByKind, Catalog, Kind},
    rank::{Indexes, Scratch},
};

/// A person's words, and what they found when each kind was first asked for.
#[derive(Debug, Clone)]
pub(super) struct Relevance {
    pub query: String,
    indexes: Arc<Indexes>,
    known: ByKind<OnceLock<QueryMatches>>,
}

/// What a query finds of what was visible.
#[derive(Debug, Clone)]
pub(super) struct QueryMatches {
    visible: Bitset,
    pub bits: Bitset,
    /// How well each primitive fits, from 0 to 1000, by its place.
    scores: Vec<u32>,
}

impl Relevance {
    pub fn new(query: &str, indexes: Arc<Indexes>) -> Self {
        Self { query: query.to_owned(), indexes, known: Default::default() }
    }

    /// Tells `tell` what is found of a kind, all of what is visible considered: what other clauses leave makes
    /// nothing better or worse.
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
    /// Searches. In a page this function and what it calls are a part that is loaded on demand (`scripts/build-package`).
    #[inline(never)]
    fn new(asked: &Relevance, catalog: &Catalog, kind: Kind, visible: &Bitset) -> Self {
        let index = asked.indexes.get(catalog, kind, visible);
        let mut scratch = Scratch::default();
        let len = catalog.kind_index(kind).len();
        let (mut bits, mut scores) = (Bitset::none(len), vec![0; len]);
        for hit in index.search(&asked.query, usize::MAX, &mut scratch) {
            bits.insert(hit.index);
            scores.get_mut(hit.index).into_iter().for_each(|score| *score = hit.score);
        }
        Self { visible: visible.clone(), bits, scores }
    }

    /// How well the primitive at `index` fits.
    pub fn score(&self, index: usize) -> u32 {
        self.scores.get(index).copied().unwrap_or_default()
    }
}
