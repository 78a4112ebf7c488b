//! Scores of a ranker, fused with those of the search by words.

use mcp_sieve::{
    Kind, Ranker,
    catalog::Bitset,
    rank::{Index, Scratch},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

use super::{compile, fixture, names};

/// A model whose scores are easy to compute: the number of the query's letter triples that a name contains.
fn triples(query: &str, names: &[&str]) -> Vec<f32> {
    let has =
        |name: &&str| query.as_bytes().windows(3).filter(|triple| has_triple(name, triple)).count() as f32;
    names.iter().map(has).collect()
}

fn has_triple(name: &str, triple: &[u8]) -> bool {
    name.as_bytes().windows(3).any(|known| known.eq_ignore_ascii_case(triple))
}

/// Returns the reciprocal rank fusion of the two orders, in floating point.
fn fused(words: &[&str], names: &[&str], scores: &[f32]) -> Vec<String> {
    let mut sums: Vec<(f64, &str)> = Vec::new();
    for (name, score) in names.iter().zip(scores) {
        let before = scores.iter().filter(|other| other.is_finite() && *other > score).count();
        let dense = if score.is_finite() { 1.0 / (61 + before) as f64 } else { 0.0 };
        let found = words.iter().position(|known| known == name);
        sums.push((dense + found.map_or(0.0, |at| 1.0 / (61 + at) as f64), name));
    }
    sums.retain(|(sum, _)| *sum > 0.0);
    // Sums that differ by less than the engine's precision are equal.
    sums.sort_by(|(a, one), (b, other)| ((b * 1e7) as u64).cmp(&((a * 1e7) as u64)).then(one.cmp(other)));
    sums.into_iter().map(|(_, name)| name.to_owned()).collect()
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_ranker_is_fused_by_reciprocal_ranks() {
    let fixture = fixture();
    let catalog = compile(&fixture["lists"]);
    let index = Index::new(&catalog, Kind::Tool);
    let kind_index = catalog.kind_index(Kind::Tool);
    let mut scratch = Scratch::default();
    let mut changed = 0;
    for (seed, row) in fixture["rows"].as_array().unwrap().iter().enumerate() {
        let query = row["query"].as_str().unwrap();
        let mut within = Bitset::none(kind_index.len());
        (0..kind_index.len()).filter(|at| (at + seed) % 7 != 0).for_each(|at| within.insert(at));
        let names: Vec<&str> = within.iter().map(|at| kind_index.id(at).unwrap()).collect();
        let mut scores = triples.rank(query, &names);
        scores.iter_mut().skip(seed % 5).step_by(9).for_each(|score| *score = f32::NAN);
        let words: Vec<String> = index
            .search_within(query, &within, usize::MAX, &mut scratch)
            .iter()
            .map(|hit| kind_index.id(hit.index).unwrap().to_owned())
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let hits = index.search_ranked(query, &within, &scores, 20, &mut scratch);
        let mut expected = fused(&words, &names, &scores);
        expected.truncate(20);
        let found = self::names(&catalog, &hits);
        assert_eq!(found, expected, "{query}");
        assert!(hits.iter().is_sorted_by_key(|hit| std::cmp::Reverse(hit.score)), "{query}");
        assert!(hits.iter().all(|hit| hit.score <= 1000), "{query}");
        changed += usize::from(words.first() != found.first());
    }
    assert!(changed > 3, "the model changes {changed} first results");
}

/// Missing, non-finite and surplus scores leave the results of the word search unchanged.
#[test]
fn scores_of_no_use_leave_the_search_by_words() {
    let fixture = fixture();
    let catalog = compile(&fixture["lists"]);
    let index = Index::new(&catalog, Kind::Tool);
    let all = catalog.kind_index(Kind::Tool).all();
    let mut scratch = Scratch::default();
    let words = names(&catalog, index.search("book a table", 5, &mut scratch));
    for scores in [vec![], vec![f32::NAN; 50], vec![f32::INFINITY; 3], vec![f32::NEG_INFINITY; 100]] {
        let found = index.search_ranked("book a table", all, &scores, 5, &mut scratch);
        assert_eq!(names(&catalog, &found), words, "{scores:?}");
    }
    assert!(index.search_ranked("zxqj", all, &[], 5, &mut scratch).is_empty());
}
