//! Nested groups compared with plain walks: whatever cycles the parents form, a group contains everything that a walk
//! down from it reaches (`G-72`, `H-14`).

use std::collections::BTreeSet;

use mcp_sieve::{
    Filter, Kind,
    catalog::{Assignments, Catalog, Group, GroupTree, Lists, Source},
    filter::{Narrowing, Selection},
    policy::View,
};
use mcp_sieve_gateway::config::Config;
use serde_json::json;

use crate::random::Random;

/// Returns the group and all its ancestors.
fn line(parents: &[Vec<usize>], from: usize) -> BTreeSet<usize> {
    let mut line = BTreeSet::from([from]);
    let mut left = vec![from];
    while let Some(at) = left.pop() {
        left.extend(parents[at].iter().filter(|above| line.insert(**above)));
    }
    line
}

/// Returns whether some group is its own ancestor.
fn is_circular(parents: &[Vec<usize>]) -> bool {
    (0..parents.len()).any(|at| parents[at].iter().any(|above| line(parents, *above).contains(&at)))
}

#[test]
fn a_group_holds_what_every_group_below_it_holds() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let count = 1 + random.below(GroupTree::MAX_DEPTH);
        let forwards = random.one_in(2);
        let parents: Vec<Vec<usize>> = (0..count)
            .map(|at| {
                let above: Vec<usize> = (if forwards { at + 1 } else { 0 }..count).collect();
                if above.is_empty() { Vec::new() } else { random.some(&above, 3) }
            })
            .collect();
        let named = |at: usize| format!("g{at}");
        let group = |(at, parents): (usize, &Vec<usize>)| Group {
            name: named(at),
            parents: parents.iter().copied().map(named).collect(),
            ..Group::default()
        };
        let groups: Vec<Group> = parents.iter().enumerate().map(group).collect();
        let direct: Vec<Vec<usize>> =
            (0..20).map(|_| random.some(&(0..count).collect::<Vec<_>>(), 3)).collect();
        let tools: Vec<_> = direct
            .iter()
            .enumerate()
            .map(|(at, groups)| {
                let groups: Vec<String> = groups.iter().copied().map(named).collect();
                json!({"name": format!("t{at}"), "inputSchema": {"type": "object"}, "groups": groups})
            })
            .collect();
        let text = json!({"tools": tools}).to_string();
        let source = Source { server: "", lists: Lists::read(&text).unwrap() };
        let assignments = Assignments { groups, ..Assignments::default() };
        let view = View::everything(Catalog::compile(&[source], &assignments));

        for wanted in 0..count {
            let expected: Vec<usize> = (0..20)
                .filter(|tool| direct[*tool].iter().any(|group| line(&parents, *group).contains(&wanted)))
                .collect();
            for filter in [json!({"groups": [named(wanted)]}), json!({"where": {"group": named(wanted)}})] {
                let filter = Filter::parse(&filter.to_string()).unwrap().filter;
                let mut selection = Selection::default();
                let narrowing = Narrowing::new(&view, &filter);
                let found = view.select(&narrowing, Kind::Tool, &mut selection);
                assert_eq!(found.iter().collect::<Vec<_>>(), expected, "seed {seed}, {filter}");
            }
        }

        // A configuration with the same groups is valid unless they form a cycle.
        let declared: Vec<_> = (0..count)
            .map(|at| {
                let names: Vec<String> = parents[at].iter().copied().map(named).collect();
                let parent = if names.len() == 1 { json!(names[0]) } else { json!(names) };
                json!({"name": named(at), "parent": parent})
            })
            .collect();
        let circular = is_circular(&parents);
        assert_eq!(Config::parse(&json!({"groups": declared}).to_string()).is_err(), circular, "seed {seed}");
    }
}

/// A chain of groups may have [`GroupTree::MAX_DEPTH`](mcp_sieve::catalog::GroupTree::MAX_DEPTH) levels above its
/// lowest group, and not one more (`G-72`). The highest group holds what the lowest does.
#[test]
fn a_chain_of_groups_has_a_limited_depth() {
    let chain = |levels: usize| {
        let groups: Vec<_> = (0..=levels)
            .map(|at| json!({"name": format!("g{at}"), "parent": (at < levels).then(|| format!("g{}", at + 1))}))
            .collect();
        Config::parse(&json!({"groups": groups}).to_string())
    };
    let config = chain(GroupTree::MAX_DEPTH).unwrap();
    let text = json!({"tools": [{"name": "low", "inputSchema": {"type": "object"}, "groups": ["g0"]},
        {"name": "none", "inputSchema": {"type": "object"}}]})
    .to_string();
    let source = Source { server: "", lists: Lists::read(&text).unwrap() };
    let view = View::everything(Catalog::compile(&[source], &config.engine.assignments));
    let highest = json!({"groups": [format!("g{max}", max = GroupTree::MAX_DEPTH)]}).to_string();
    let filter = Filter::parse(&highest).unwrap().filter;
    let mut selection = Selection::default();
    let found = view.select(&Narrowing::new(&view, &filter), Kind::Tool, &mut selection);
    assert_eq!(found.iter().collect::<Vec<_>>(), [0]);

    let refused = chain(GroupTree::MAX_DEPTH + 1).unwrap_err().to_string();
    assert_eq!(refused, "groups[0].parent: `g0` is below more than 16 levels");
}
