//! Pages add up to the list, whatever their size and however the catalog changes between them.

use mcp_sieve::{
    Filter, Kind,
    catalog::{Bitset, Catalog, Lists, Source},
    filter::{Fields, Narrowing, Selection},
    policy::View,
    seal::Key,
};
use mcp_sieve_gateway::server::Cursor;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cases;

const CURSOR: Cursor = Cursor { kind: Kind::Tool, filter: 1, principal: 2 };

/// Returns a catalog with these tools; those with names of even length have the tag `even`.
fn compile(names: &[String]) -> Catalog {
    let tagged = |name: &String| match name.len() % 2 {
        0 => json!({"name": name, "inputSchema": {}, "tags": ["even"]}),
        _ => json!({"name": name, "inputSchema": {}}),
    };
    let source = json!({"tools": names.iter().map(tagged).collect::<Vec<_>>()}).to_string();
    Catalog::compile(&[Source { server: "s", lists: Lists::read(&source).unwrap() }], &Default::default())
}

/// Selects all tools, or those that are tagged.
fn selected(catalog: &Catalog, filtered: bool) -> Bitset {
    let source = if filtered { r#"{"tags":["even"]}"# } else { "{}" };
    let view = View::everything(catalog.clone());
    let narrowing = Narrowing::new(&view, &Filter::parse(source).unwrap().filter);
    view.select(&narrowing, Kind::Tool, &mut Selection::default()).clone()
}

fn names(catalog: &Catalog, bits: &Bitset) -> Vec<String> {
    bits.iter().map(|at| catalog.kind_index(Kind::Tool).id(at).unwrap().to_owned()).collect()
}

/// Returns the names on the page that begins at `from`, and the start of the next page.
fn page(catalog: &Catalog, bits: &Bitset, from: usize, size: usize) -> (Vec<String>, Option<usize>) {
    let mut out = b"[".to_vec();
    let next =
        Fields::write_page(catalog.kind_index(Kind::Tool), bits, &Fields::default(), from, size, &mut out);
    out.push(b']');
    let items: Vec<Value> = serde_json::from_slice(&out).expect("a page is JSON");
    (items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect(), next)
}

fn distinct() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set("[a-z]{1,6}", 0..150).prop_map(|set| set.into_iter().collect()).prop_shuffle()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn pages_of_any_size_join_up_to_the_list(all in distinct(), size in 1usize..70, filtered: bool) {
        let catalog = compile(&all);
        let bits = selected(&catalog, filtered);
        let key = Key::new(b"key").unwrap();
        let (mut joined, mut at, mut pages) = (Vec::new(), Some(0), 0);
        while let Some(from) = at {
            let (names, next) = page(&catalog, &bits, from, size);
            prop_assert!(names.len() == size || next.is_none(), "only the last page is short");
            prop_assert!(next.is_none() || !names.is_empty());
            joined.extend(names);
            pages += 1;
            // The position goes through a token, as when a client requests the next page.
            at = next.map(|next| {
                let token = CURSOR.seal(&key, catalog.kind_index(Kind::Tool).id(next - 1).unwrap(), next);
                CURSOR.open(&key, &token).unwrap().locate(|id| catalog.kind_index(Kind::Tool).find(id))
            });
        }
        prop_assert_eq!(pages, bits.count().div_ceil(size).max(1));
        prop_assert_eq!(joined, names(&catalog, &bits));
    }

    #[test]
    fn the_selection_is_a_part_of_the_list_in_its_order(all in distinct()) {
        let catalog = compile(&all);
        prop_assert_eq!(names(&catalog, &selected(&catalog, false)), all.clone());
        let even: Vec<String> = all.into_iter().filter(|name| name.len() % 2 == 0).collect();
        prop_assert_eq!(names(&catalog, &selected(&catalog, true)), even);
    }

    #[test]
    fn what_comes_in_front_moves_nothing(
        (all, new) in distinct().prop_flat_map(|all| (Just(all), prop::collection::btree_set("[A-Z]{1,4}", 0..20))),
        size in 1usize..40,
        places in prop::collection::vec(any::<prop::sample::Index>(), 20),
    ) {
        prop_assume!(all.len() > size);
        let key = Key::new(b"key").unwrap();
        let before = compile(&all);
        let (_, next) = page(&before, &selected(&before, false), 0, size);
        let token = CURSOR.seal(&key, before.kind_index(Kind::Tool).id(next.unwrap() - 1).unwrap(), next.unwrap());

        // New tools are inserted among those already listed.
        let mut changed = all.clone();
        for (name, place) in new.into_iter().zip(places) {
            changed.insert(place.index(size), name);
        }
        let after = compile(&changed);
        let from = CURSOR.open(&key, &token).unwrap().locate(|id| after.kind_index(Kind::Tool).find(id));
        let (rest, _) = page(&after, &selected(&after, false), from, usize::MAX);
        prop_assert_eq!(&rest[..], &all[size..]);
    }

    #[test]
    fn the_one_that_a_cursor_names_may_go(all in distinct(), size in 1usize..40, filtered: bool) {
        let before = compile(&all);
        let bits = selected(&before, filtered);
        prop_assume!(bits.count() > size);
        let key = Key::new(b"key").unwrap();
        let (seen, next) = page(&before, &bits, 0, size);
        let token = CURSOR.seal(&key, before.kind_index(Kind::Tool).id(next.unwrap() - 1).unwrap(), next.unwrap());

        let last = all[next.unwrap() - 1].clone();
        let left: Vec<String> = all.iter().filter(|name| **name != last).cloned().collect();
        let after = compile(&left);
        let from = CURSOR.open(&key, &token).unwrap().locate(|id| after.kind_index(Kind::Tool).find(id));
        let (rest, _) = page(&after, &selected(&after, filtered), from, usize::MAX);
        let expected: Vec<String> = names(&before, &bits).split_off(seen.len());
        prop_assert_eq!(rest, expected, "nothing is missed, nothing repeated");
    }

    #[test]
    fn a_cursor_is_good_for_its_own_list_alone(kind in 0usize..4, filter: u128, principal: u128, next in 1usize..3) {
        let catalog = compile(&["a".to_owned(), "b".to_owned()]);
        let key = Key::new(b"key").unwrap();
        let own = Cursor { kind: Kind::ALL[kind], filter, principal };
        let token = own.seal(&key, catalog.kind_index(Kind::Tool).id(next - 1).unwrap(), next);
        prop_assert!(own.open(&key, &token).is_ok());
        for other in [
            Cursor { kind: Kind::ALL[(kind + 1) % 4], ..own },
            Cursor { filter: filter.wrapping_add(1), ..own },
            Cursor { principal: !principal, ..own },
        ] {
            prop_assert_eq!(other.open(&key, &token).unwrap_err().code(), "cursor_filter_mismatch");
        }
    }
}
