//! Linting a configuration: a rule is reported as without effect exactly if it has none.

use std::collections::BTreeSet;

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, Source},
};
use mcp_sieve_gateway::config::{Config, Flaw, lint, locate};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cases;

fn tool() -> impl Strategy<Value = Value> {
    let some = || prop::collection::vec("[g-i]", 0..2);
    ("[a-d]{1,2}", some(), some()).prop_map(|(name, groups, tags)| {
        json!({"name": name, "inputSchema": {"type": "object"}, "groups": groups, "tags": tags})
    })
}

fn condition() -> impl Strategy<Value = String> {
    let term = prop_oneof![
        "[a-d]{1,2}".prop_map(|name| format!("name:{name}")),
        "[a-d]".prop_map(|name| format!("name:{name}*")),
        "[g-j]".prop_map(|name| format!("group:{name}")),
        "[g-j]".prop_map(|name| format!("tag:{name}")),
        "[x-z]".prop_map(|value| format!("concern.c:{value}")),
        Just("kind:tool".to_owned()),
    ];
    let signed = (any::<bool>(), term).prop_map(|(not, term)| if not { format!("-{term}") } else { term });
    (signed.clone(), any::<bool>(), signed)
        .prop_map(|(a, or, b)| if or { format!("{a} or {b}") } else { format!("{a} {b}") })
}

fn rule() -> impl Strategy<Value = Value> {
    let gives = prop_oneof![
        "[g-j]".prop_map(|name| json!({"groups": [name]})),
        "[g-j]".prop_map(|name| json!({"tags": [name]})),
        "[x-z]".prop_map(|value| json!({"concerns": {"c": value}})),
        "[x-z]".prop_map(|title| json!({"title": title})),
        Just(json!({"hide": true})),
        Just(json!({})),
    ];
    (condition(), gives).prop_map(|(condition, mut rule)| {
        rule["match"] = condition.into();
        rule
    })
}

/// Returns the compiled primitives, with memberships in any order.
fn outcome(lists: &str, rules: &[&Value]) -> Vec<Value> {
    let config = Config::parse(&json!({"rules": rules}).to_string()).unwrap();
    let source = Source { server: "s", lists: Lists::read(lists).unwrap() };
    let catalog = Catalog::compile(&[source], &config.engine.assignments);
    let kind_index = catalog.kind_index(Kind::Tool);
    let one = |index: usize| {
        let primitive = catalog.primitive(Kind::Tool, index).unwrap();
        let set = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
        let written: Value = serde_json::from_slice(kind_index.bytes(index).unwrap()).unwrap();
        json!([
            kind_index.id(index),
            set(primitive.groups()),
            set(primitive.tags()),
            set(primitive.concern("c")),
            written["title"]
        ])
    };
    (0..kind_index.len()).map(one).collect()
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn rules_are_told_to_do_nothing_where_they_do_nothing(
        tools in prop::collection::vec(tool(), 1..6),
        rules in prop::collection::vec(rule(), 0..7),
    ) {
        let lists = json!({"tools": tools}).to_string();
        let source = json!({"rules": rules}).to_string();
        let config = Config::parse(&source).unwrap();
        let sources = [Source { server: "s", lists: Lists::read(&lists).unwrap() }];
        let findings = lint(&config, Some(&sources));

        let number = |place: &str| place["rules[".len()..].split(']').next().unwrap().parse::<usize>().unwrap();
        let idle = [Flaw::DeadRule, Flaw::EmptyRule, Flaw::ShadowedRule, Flaw::Contradiction];
        let told = findings.iter().filter(|finding| idle.contains(&finding.flaw));
        let told: Vec<(usize, bool)> =
            told.map(|finding| (number(&finding.place), finding.place.ends_with("match"))).collect();
        let without = |gone: &dyn Fn(usize) -> bool| {
            let kept = rules.iter().enumerate().filter(|(at, _)| !gone(*at));
            outcome(&lists, &kept.map(|(_, rule)| rule).collect::<Vec<_>>())
        };
        let whole = without(&|_| false);
        let all = without(&|at| told.iter().any(|(rule, _)| *rule == at));
        prop_assert_eq!(&all, &whole, "what does nothing can go: {:?}", told);
        for rule in (0..rules.len()).filter(|rule| told.iter().all(|(idle, _)| idle != rule)) {
            // Rules are checked from the last to the first, ignoring those without a match and those already reported.
            let known = |at| told.iter().any(|(idle, unmet)| *idle == at && (*unmet || *idle > rule));
            prop_assert_ne!(&without(&|at| at == rule || known(at)), &whole, "rule {} does something", rule);
        }

        for finding in &findings {
            prop_assert!(finding.place.starts_with("catalog") || locate(&source, &finding.place).is_some());
            let text = finding.to_string();
            prop_assert!(!text.contains('\n') && !text.ends_with('.'), "{}", text);
        }
    }

    #[test]
    fn a_place_is_found_in_any_text(source in ".{0,60}", path in "[a-z.\\[\\]0-9é]{0,12}") {
        if let Some(range) = locate(&source, &path) {
            prop_assert!(source.get(range).is_some());
        }
    }
}
