//! Search queries of users.

use std::sync::LazyLock;

use mcp_sieve::{
    Filter, Kind,
    catalog::{Assignments, Bitset, Catalog, Lists, Source},
    filter::{Narrowing, Selection},
    policy::View,
    rank::{Hit, Index, Scratch},
};
use serde_json::Value;

use super::text;
use crate::{corpus, target::Target};

pub const TARGET: Target = Target { mutations: 3_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    " ",
    "issue",
    "issues",
    "pullrequest",
    "calender",
    "weather",
    "the",
    "1",
    "_",
    "'",
    "getX",
    "日本語",
    "е́",
    "\u{200d}",
    "\u{0}",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

static VIEW: LazyLock<View> = LazyLock::new(|| {
    let rows: Value = serde_json::from_str(include_str!("../../fixtures/rank.json")).unwrap();
    let text = rows["lists"].to_string();
    let source = Source { server: "", lists: Lists::read(&text).unwrap() };
    View::everything(Catalog::compile(&[source], &Assignments::default()))
});
static INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(VIEW.catalog(), Kind::Tool));

fn seeds() -> Vec<Vec<u8>> {
    corpus::under("query").iter().map(corpus::bytes).collect()
}

fn holds(bytes: &[u8]) -> String {
    let (query, mut scratch) = (text(bytes), Scratch::default());
    let all = INDEX.search(&query, usize::MAX, &mut scratch).to_vec();
    let mut found = Bitset::none(INDEX.len());
    for (at, hit) in all.iter().enumerate() {
        assert!(hit.index < INDEX.len() && !found.contains(hit.index), "found once, where something is");
        assert!(hit.score <= all.get(at.wrapping_sub(1)).map_or(1000, |before| before.score));
        found.insert(hit.index);
    }

    // The limit and the set depend on the input, so that a failure is reproducible.
    let chance = xxhash_rust::xxh64::xxh64(bytes, 0);
    let limit = (chance % 7) as usize;
    let mut within = Bitset::none(INDEX.len());
    (0..INDEX.len()).filter(|at| chance >> (8 + at % 56) & 1 == 1).for_each(|at| within.insert(at));
    let hits = INDEX.search_within(&query, &within, limit, &mut scratch);
    let inside = |hit: &&Hit| within.contains(hit.index);
    assert!(hits.iter().all(|hit| inside(&hit) && found.contains(hit.index)));
    assert_eq!(hits.len(), all.iter().filter(inside).count().min(limit));

    let best = all.first().map_or(0, |hit| hit.score / 100);
    if query.len() <= Index::MAX_QUERY {
        let filter = Filter { query: Some(query), ..Filter::default() };
        let mut selection = Selection::default();
        let narrowing = Narrowing::new(&*VIEW, &filter);
        assert_eq!(VIEW.select(&narrowing, Kind::Tool, &mut selection), &found);
    }
    format!("{} found, {best}", all.len())
}
