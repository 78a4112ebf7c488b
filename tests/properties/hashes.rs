//! Hashes are equal for equal content and different for different content.

use mcp_sieve::{
    Filter,
    catalog::{Catalog, Lists, Source},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cases;

type Concerns = Vec<(String, Vec<String>)>;

fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-cé\"]{0,2}", 0..5)
}

fn concerns() -> impl Strategy<Value = Concerns> {
    prop::collection::btree_map("[a-c]{1,2}", prop::collection::vec("[x-z]", 1..3), 0..3)
        .prop_map(|map| map.into_iter().collect())
}

fn filter(groups: &[String], tags: &[String], concerns: &Concerns) -> Filter {
    let concerns: serde_json::Map<String, Value> =
        concerns.iter().map(|(name, values)| (name.clone(), json!(values))).collect();
    let source = json!({"tags": tags, "groups": groups, "concerns": concerns}).to_string();
    Filter::parse(&source).unwrap().filter
}

fn set(names: &[String]) -> std::collections::BTreeSet<String> {
    names.iter().cloned().collect()
}

fn catalog_hash(source: &str) -> u128 {
    Catalog::compile(&[Source { server: "s", lists: Lists::read(source).unwrap() }], &Default::default())
        .hash()
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn order_and_repetition_do_not_count(
        (groups, shuffled) in names().prop_flat_map(|names| {
            let twice = [names.clone(), names.clone()].concat();
            (Just(names), Just(twice).prop_shuffle())
        }),
        tags in names(),
        concerns in concerns(),
    ) {
        let one = filter(&groups, &tags, &concerns);
        let reversed: Vec<String> = tags.iter().rev().cloned().collect();
        let doubled: Concerns = concerns
            .iter()
            .map(|(name, values)| (name.clone(), values.iter().rev().chain(values).cloned().collect()))
            .collect();
        let other = filter(&shuffled, &reversed, &doubled);
        prop_assert_eq!(one.hash(), other.hash());
        prop_assert_eq!(one.to_string(), other.to_string());
        // The canonical text is a filter with the same meaning.
        let again = Filter::parse(&one.to_string()).unwrap().filter;
        prop_assert_eq!(again.hash(), one.hash());
    }

    #[test]
    fn filters_that_ask_otherwise_differ(a in (names(), names(), concerns()), b in (names(), names(), concerns())) {
        let values = |concerns: &Concerns| -> Vec<_> {
            concerns.iter().map(|(name, values)| (name.clone(), set(values))).collect()
        };
        let same = set(&a.0) == set(&b.0) && set(&a.1) == set(&b.1) && values(&a.2) == values(&b.2);
        prop_assert_eq!(filter(&a.0, &a.1, &a.2).hash() == filter(&b.0, &b.1, &b.2).hash(), same);
    }

    #[test]
    fn a_catalog_that_differs_anywhere_has_another_hash(
        mut items in prop::collection::btree_map("[a-d]{1,2}", (names(), "[x-z]{0,2}"), 2..6),
        at in any::<prop::sample::Index>(),
    ) {
        let source = |items: &[(String, (Vec<String>, String))]| {
            let listed = items.iter().map(|(name, (groups, value))| {
                json!({"name": name, "groups": groups, "_meta": {"concerns": {"c": value}}})
            });
            json!({"prompts": listed.collect::<Vec<_>>()}).to_string()
        };
        let list: Vec<_> = items.clone().into_iter().collect();
        let hash = catalog_hash(&source(&list));
        prop_assert_eq!(hash, catalog_hash(&source(&list)));

        let at = at.index(list.len());
        let mut moved = list.clone();
        moved.rotate_left(1);
        prop_assert_ne!(hash, catalog_hash(&source(&moved)), "order");
        let mut shorter = list.clone();
        shorter.remove(at);
        prop_assert_ne!(hash, catalog_hash(&source(&shorter)), "length");
        items.get_mut(&list[at].0).unwrap().0.push("another".to_owned());
        prop_assert_ne!(hash, catalog_hash(&source(&items.clone().into_iter().collect::<Vec<_>>())), "membership");
        items.get_mut(&list[at].0).unwrap().0.pop();
        items.get_mut(&list[at].0).unwrap().1.push('w');
        prop_assert_ne!(hash, catalog_hash(&source(&items.into_iter().collect::<Vec<_>>())), "mapping");
    }
}
