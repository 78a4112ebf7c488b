//! Properties of searches that hold for any query and catalog.

use mcp_sieve::{
    Kind,
    catalog::{Bitset, Catalog},
    expr::{Expr, Field, Op, Term},
    policy::{Guarded, Policy},
    rank::{Hit, Index, Scratch},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Caller, compile, crowd, found, names};

/// Generates queries of all sorts: words of the catalog, forms of them, signs, other scripts, arbitrary text.
fn query() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "create",
        "issues",
        "photo",
        "wether",
        "calender",
        "stockprice",
        "day",
        "time",
        "hotel",
        "trip",
        "picture",
        "日本",
        "отчет",
        "find",
        "the",
        "x",
        "7",
        "_",
        "'",
        "messageBoard",
        "unlocks",
    ]);
    prop_oneof![
        4 => prop::collection::vec(word, 0..9).prop_map(|words| words.join(" ")),
        2 => any::<String>(),
        1 => prop::collection::vec(any::<char>(), 0..40).prop_map(|chars| chars.into_iter().collect()),
        1 => "[a-zA-Z0-9' _.é日я-]{0,60}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_holds_for_any_query(
        query in query(),
        limit in 0..120usize,
        keep in prop::collection::vec(any::<bool>(), 100),
    ) {
        thread_local!(static INDEX: Index = Index::new(&crowd(100), Kind::Tool));
        INDEX.with(|index| {
            let mut scratch = Scratch::default();
            let all = index.search(&query, usize::MAX, &mut scratch).to_vec();
            prop_assert!(all.is_sorted_by(|a, b| a.score >= b.score));
            let mut places: Vec<usize> = all.iter().map(|hit| hit.index).collect();
            places.sort_unstable();
            places.dedup();
            prop_assert_eq!(places.len(), all.len(), "each is found once");
            prop_assert!(all.iter().all(|hit| hit.index < 100 && hit.score <= 1000));

            // A limit removes hits from the end; a used scratch gives the same results as a new one.
            let some = &all[..limit.min(all.len())];
            prop_assert_eq!(index.search(&query, limit, &mut scratch), some);
            let mut fresh = Scratch::default();
            prop_assert_eq!(index.search(&query, limit, &mut fresh), some);

            // Searching within a set removes only the hits outside it.
            let mut within = Bitset::none(100);
            keep.iter().enumerate().filter(|(_, keep)| **keep).for_each(|(at, _)| within.insert(at));
            let found = index.search_within(&query, &within, usize::MAX, &mut scratch);
            let mut members: Vec<usize> = found.iter().map(|hit| hit.index).collect();
            members.sort_unstable();
            places.retain(|at| keep[*at]);
            prop_assert_eq!(members, places);
            Ok(())
        })?;
    }

    /// Searching a view equals searching a catalog that contains only the visible tools.
    #[test]
    fn what_a_view_hides_has_no_part_in_a_search(
        query in query(),
        keep in prop::collection::vec(any::<bool>(), 60),
    ) {
        thread_local!(static WHOLE: Catalog = crowd(60));
        WHOLE.with(|whole| {
            let mut visible = Bitset::none(60);
            keep.iter().enumerate().filter(|(_, keep)| **keep).for_each(|(at, _)| visible.insert(at));
            let index = Index::within(whole, Kind::Tool, &visible);
            let kind_index = whole.kind_index(Kind::Tool);
            // Views build their indexes from words that the catalog has read once.
            let shown = visible.iter().map(|at| Term::new(Field::Name, Op::Equals, kind_index.id(at).unwrap()));
            let show = Expr::Any(shown.map(|term| Expr::Term(term.unwrap())).collect());
            let view = Guarded::new(whole.clone(), vec![Policy::new("shown", show)]).view(&Caller(""));
            prop_assert_eq!(view.bits(Kind::Tool), &visible);
            prop_assert_eq!(format!("{index:?}"), format!("{:?}", view.index(Kind::Tool)));
            let tool = |at| serde_json::from_slice::<Value>(kind_index.bytes(at).unwrap()).unwrap();
            let shown = compile(&json!({"tools": visible.iter().map(tool).collect::<Vec<_>>()}));
            let alone = Index::new(&shown, Kind::Tool);

            let (mut here, mut there) = (Scratch::default(), Scratch::default());
            let hits = index.search(&query, usize::MAX, &mut here);
            let expected = alone.search(&query, usize::MAX, &mut there);
            prop_assert_eq!(names(whole, hits), names(&shown, expected));
            let scores = |hits: &[Hit]| hits.iter().map(|hit| hit.score).collect::<Vec<_>>();
            prop_assert_eq!(scores(hits), scores(expected));
            Ok(())
        })?;
    }

    /// A search finds the same names with the same scores, whatever the order of the tools.
    #[test]
    fn the_order_of_a_catalog_changes_no_search(
        query in query(),
        order in Just((0..60).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        thread_local!(static LISTED: Catalog = crowd(60));
        LISTED.with(|listed| {
            let kind_index = listed.kind_index(Kind::Tool);
            let tool = |at: &usize| serde_json::from_slice::<Value>(kind_index.bytes(*at).unwrap()).unwrap();
            let permuted = compile(&json!({"tools": order.iter().map(tool).collect::<Vec<_>>()}));
            prop_assert_eq!(found(listed, &query), found(&permuted, &query));
            Ok(())
        })?;
    }

    #[test]
    fn any_text_can_be_indexed(name in "\\PC{1,20}", texts in prop::collection::vec(any::<String>(), 0..6)) {
        let tool = |(at, text): (usize, &String)| {
            let schema = json!({"type": "object", "properties": {text.as_str(): {"enum": [text]}}});
            json!({"name": format!("{name}{at}"), "description": text, "inputSchema": schema})
        };
        let catalog = compile(&json!({ "tools": texts.iter().enumerate().map(tool).collect::<Vec<_>>() }));
        let index = Index::new(&catalog, Kind::Tool);
        for text in &texts {
            let mut scratch = Scratch::default();
            prop_assert!(index.search(text, 9, &mut scratch).len() <= texts.len());
        }
    }
}
