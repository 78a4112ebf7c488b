//! Choices in the picker compared with the filter that it reports.

use std::{cmp::Reverse, collections::HashMap};

use mcp_sieve::{
    Filter, Kind,
    catalog::{Catalog, Lists, Source},
    filter::{Limit, Selection, SettledFilter},
    picker::{Checked, Mark, Node, Picker, Showing},
    policy::View,
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

use crate::random::Random;

const CATALOGS: u64 = 20;
const STEPS: usize = 60;
const GROUPS: usize = 8;
const TAGS: [&str; 4] = ["stable", "beta", "odd \"tag\"", "größe"];
const VALUES: [&str; 3] = ["low", "mid", "high"];

struct World {
    view: View,
    config: Config,
}

impl World {
    fn random(random: &mut Random) -> Self {
        let groups: Vec<Value> = (0..GROUPS)
            .map(|at| {
                // A parent is declared before its children, so that there is no cycle.
                let above: Vec<String> = (0..at).map(|above| format!("g{above}")).collect();
                let parents = if above.is_empty() { Vec::new() } else { random.some(&above, 2) };
                json!({"name": format!("g{at}"), "parent": parents})
            })
            .collect();
        let names: Vec<String> = (0..GROUPS).map(|at| format!("g{at}")).collect();
        let tool = |(at, random): (usize, &mut Random)| {
            let cost = random.some(&VALUES, 1);
            json!({"name": format!("tool_{at}"), "inputSchema": {}, "groups": random.some(&names, 2), "tags": random.some(&TAGS, 2),
                "_meta": {"concerns": cost.first().map_or(json!({}), |cost| json!({"cost": cost}))}})
        };
        let tools: Vec<Value> = (0..random.below(150)).map(|at| tool((at, &mut *random))).collect();
        let config =
            json!({"groups": groups, "concerns": [{"name": "cost", "values": VALUES, "default": "low"}]});
        let config = Config::parse(&config.to_string()).unwrap();
        let lists = json!({"tools": tools}).to_string();
        let source = Source { server: "", lists: Lists::read(&lists).unwrap() };
        let catalog = Catalog::compile(&[source], &config.engine.assignments);
        let view = View::everything(catalog);
        Self { view, config }
    }

    /// Returns a random catalog whose tools are spread over lists of three servers.
    fn of_servers(random: &mut Random) -> Self {
        let names: Vec<String> = (0..GROUPS).map(|at| format!("g{at}")).collect();
        let groups: Vec<Value> = names
            .iter()
            .enumerate()
            .map(|(at, name)| json!({"name": name, "parent": (at > 3).then(|| format!("g{}", at - 4))}))
            .collect();
        let config = Config::parse(&json!({"groups": groups}).to_string()).unwrap();
        let lists: Vec<(&str, String)> = ["forge", "wiki", "forge", "a \"b\""]
            .into_iter()
            .enumerate()
            .map(|(part, server)| {
                let tools: Vec<Value> = (0..random.below(40))
                    .map(|at| json!({"name": format!("tool_{part}_{at}"), "inputSchema": {}, "groups": random.some(&names, 2)}))
                    .collect();
                (server, json!({"tools": tools}).to_string())
            })
            .collect();
        let sources: Vec<Source> = lists
            .iter()
            .map(|(server, lists)| Source { server, lists: Lists::read(lists).unwrap() })
            .collect();
        let view = View::everything(Catalog::compile(&sources, &config.engine.assignments));
        Self { view, config }
    }

    /// Returns a random catalog of three servers whose tools differ in priority and size.
    fn of_priorities(random: &mut Random) -> Self {
        let config = Config::parse("{}").unwrap();
        let lists: Vec<(&str, String)> = ["forge", "wiki", "mail"]
            .into_iter()
            .map(|server| {
                let tools: Vec<Value> = (0..random.below(40))
                    .map(|at| {
                        let priority = random.pick(&[json!(null), json!(0.2), json!(0.9)]).clone();
                        let description = "word ".repeat(random.below(30));
                        json!({"name": format!("{server}_{at}"), "inputSchema": {}, "description": description,
                            "annotations": if priority.is_null() { json!({}) } else { json!({"priority": priority}) }})
                    })
                    .collect();
                (server, json!({"tools": tools}).to_string())
            })
            .collect();
        let sources: Vec<Source> = lists
            .iter()
            .map(|(server, lists)| Source { server, lists: Lists::read(lists).unwrap() })
            .collect();
        let view = View::everything(Catalog::compile(&sources, &config.engine.assignments));
        Self { view, config }
    }

    fn picker(&self) -> Picker {
        Picker::new(&self.view, &self.config.engine.concerns, self.config.engine.on_invalid_concern)
    }

    /// Returns the result of a list request with this filter.
    fn listed(&self, filter: Filter) -> Vec<usize> {
        let SettledFilter { narrowing, .. } = filter
            .settle(&self.view, &self.config.engine.concerns, self.config.engine.on_invalid_concern, vec![])
            .unwrap();
        let mut selection = Selection::default();
        self.view.select(&narrowing, Kind::Tool, &mut selection).iter().collect()
    }
}

/// Takes a random step in the picker.
fn step(random: &mut Random, picker: &mut Picker) {
    let name = format!("tool_{}", random.below(160));
    let at = random.below(picker.groups().len());
    match random.below(9) {
        0..3 => toggle(picker, at),
        3 => drop(picker.exclude(at).unwrap()),
        4 => mark(random, picker),
        5 => change_concern(random, picker),
        6 => drop(picker.disable(Kind::Tool, &name, random.one_in(2)).unwrap()),
        7 => drop(picker.set_favorite(Kind::Tool, &name, !random.one_in(3)).unwrap()),
        _ => drop(picker.set_only_favorites(random.one_in(4)).unwrap()),
    }
}

/// Toggles a group and asserts that it changed between on and off.
fn toggle(picker: &mut Picker, at: usize) {
    let before = picker.group_counts()[at].state;
    assert!(picker.toggle(at).unwrap());
    let after = picker.group_counts()[at].state;
    assert_eq!(before == Checked::On, after != Checked::On, "{before:?} became {after:?}");
}

/// Requires a tag, and asserts that its displayed number is the number of tools left.
fn mark(random: &mut Random, picker: &mut Picker) {
    let at = random.below(picker.tags().len().max(1));
    let Some(tag) = picker.tags().get(at).map(|tag| tag.name.clone()) else { return };
    let left = picker.tag_counts()[at].left;
    picker.mark(&tag, Mark::Must).unwrap();
    assert_eq!(picker.sizes().0, left, "{tag}");
    picker.mark(&tag, *random.pick(&[Mark::Must, Mark::MustNot, Mark::Indifferent])).unwrap();
}

/// Chooses a value, and asserts that its displayed number is the number of tools left.
fn change_concern(random: &mut Random, picker: &mut Picker) {
    let at = random.below(VALUES.len());
    let left = picker.value_counts()[at].left;
    picker.set_concern("cost", &[VALUES[at].to_owned()]).unwrap();
    assert_eq!(picker.sizes().0, left, "{}", VALUES[at]);
    if random.one_in(2) {
        picker.set_concern("cost", &[]).unwrap();
    }
}

#[test]
fn a_choice_is_the_filter_that_it_says() {
    for seed in 0..CATALOGS {
        let random = &mut Random::new(seed);
        let world = World::random(random);
        let mut picker = world.picker();
        for _ in 0..STEPS {
            step(random, &mut picker);
            let filter = picker.filter().unwrap();
            let listed = world.listed(filter.clone());
            let rows: Vec<usize> = picker.order().iter().map(|index| *index as usize).collect();
            assert_eq!(rows, listed, "seed {seed}: {filter}");
            let mut boxes = HashMap::new();
            for (node, counts) in picker.groups().iter().zip(picker.group_counts()) {
                let name = &node.group.name;
                assert!(counts.left <= counts.members, "seed {seed}: {name}");
                // A group has the same state wherever it is displayed.
                let shown = *boxes.entry(name).or_insert(counts.state);
                assert_eq!(shown, counts.state, "seed {seed}: {name}, {filter}");
            }
            let mut other = world.picker();
            other.set(&filter).unwrap();
            assert_eq!(other.filter().unwrap(), filter, "seed {seed}");
            assert_eq!(other.order(), picker.order(), "seed {seed}: {filter}");
        }
        picker.show(Showing::Hidden);
        let hidden = picker.order().len();
        picker.show(Showing::All);
        assert_eq!(picker.order().len() - hidden, picker.sizes().0, "seed {seed}");
    }
}

#[test]
fn servers_and_groups_are_the_filter_that_they_say() {
    for seed in 0..CATALOGS {
        let random = &mut Random::new(seed);
        let world = World::of_servers(random);
        let mut picker = world.picker();
        let nodes = picker.groups().to_vec();
        for (place, node) in nodes.iter().enumerate() {
            assert_eq!(node.is_server, node.level == 0 && node.server.is_some(), "seed {seed}: {node:?}");
            let above = node.parent.map(|parent| &nodes[parent]);
            assert!(above.is_none_or(|above| above.server == node.server), "seed {seed}: {node:?}");
            // Selecting only a server leaves the tools of that server.
            if node.is_server {
                picker.toggle(place).unwrap();
                let counts = picker.group_counts()[place];
                assert_eq!((counts.state, picker.sizes().0), (Checked::On, tools_of(&world, node)));
                picker.undo();
            }
        }
        for _ in 0..STEPS {
            let at = random.below(picker.groups().len());
            match random.below(4) {
                0..3 => toggle(&mut picker, at),
                _ => drop(picker.exclude(at).unwrap()),
            }
            let filter = picker.filter().unwrap();
            let rows: Vec<usize> = picker.order().iter().map(|index| *index as usize).collect();
            assert_eq!(rows, world.listed(filter.clone()), "seed {seed}: {filter}");
            let mut other = world.picker();
            other.set(&filter).unwrap();
            assert_eq!(other.filter().unwrap(), filter, "seed {seed}");
            assert_eq!(other.group_counts(), picker.group_counts(), "seed {seed}: {filter}");
            picker.show(Showing::Hidden);
            for at in 0..picker.order().len() {
                assert!(!picker.row(at).unwrap().reasons.is_empty(), "seed {seed}: {filter}");
            }
            picker.show(Showing::Matching);
        }
    }
}

/// Returns the number of tools of a node's server.
fn tools_of(world: &World, node: &Node) -> usize {
    let index = world.view.catalog().kind_index(Kind::Tool);
    (0..index.len()).filter(|at| index.server(*at) == node.server.as_deref()).count()
}

#[test]
fn a_server_and_a_group_leave_what_is_in_either() {
    for seed in 0..CATALOGS {
        let world = World::of_servers(&mut Random::new(seed));
        let nodes = world.picker().groups().to_vec();
        let server = nodes.iter().position(|node| node.is_server).unwrap();
        for at in (0..nodes.len()).filter(|at| !nodes[*at].is_server) {
            let mut picker = world.picker();
            picker.toggle(server).unwrap();
            if picker.group_counts()[at].state != Checked::Off {
                continue;
            }
            picker.toggle(at).unwrap();
            let (name, group) = (nodes[server].group.name.as_str(), nodes[at].group.name.as_str());
            let index = world.view.catalog().kind_index(Kind::Tool);
            let either: Vec<u32> = (0..index.len())
                .filter(|at| {
                    let groups = world.view.catalog().primitive(Kind::Tool, *at).unwrap().groups();
                    index.server(*at) == Some(name) || groups.contains(&group)
                })
                .map(|at| at as u32)
                .collect();
            assert_eq!(picker.order(), either, "seed {seed}: {}", picker.filter().unwrap());
        }
    }
}

#[test]
fn a_limit_drops_what_it_does_not_leave() {
    for seed in 0..CATALOGS {
        let random = &mut Random::new(seed);
        let world = World::of_servers(random);
        let mut picker = world.picker();
        let all = picker.sizes().0;
        let bound =
            |random: &mut Random, most| Some(1 + random.below(most) as u32).filter(|_| !random.one_in(3));
        let limit = Limit { count: bound(random, 80), tokens: bound(random, 2000) };
        picker.set_limit(limit).unwrap();
        let (budget, (left, _)) = (picker.budget(), picker.sizes());
        assert_eq!(
            (budget.candidates, budget.candidates - budget.dropped),
            (all, left),
            "seed {seed}: {limit:?}"
        );
        let kept: Vec<u32> = picker.order().to_vec();
        picker.show(Showing::Dropped);
        assert_eq!(picker.order().len(), budget.dropped, "seed {seed}: {limit:?}");
        let rows: Vec<_> = (0..budget.dropped).map(|at| picker.row(at).unwrap()).collect();
        let positions: Vec<usize> = rows.iter().map(|row| row.rank.unwrap().position).collect();
        assert!(positions.is_sorted(), "seed {seed}: {positions:?}");
        assert!(rows.iter().all(|row| row.reasons.iter().any(|reason| reason.rule == "limit")));
        let mut both = [kept, picker.order().to_vec()].concat();
        both.sort_unstable();
        picker.show(Showing::All);
        assert_eq!(both, picker.order(), "seed {seed}: {limit:?}");
    }
}

/// Returns what the limit of a choice keeps, as the documentation of the picker says: pins, favorites and priorities, and
/// turns of the servers among equals.
fn shared(world: &World, picker: &Picker, limit: Limit) -> Vec<usize> {
    let index = world.view.catalog().kind_index(Kind::Tool);
    let choice = picker.choice();
    let named = |names: &[(Kind, String)], id: &str| names.iter().position(|(_, name)| name == id);
    let mut candidates: Vec<usize> =
        (0..index.len()).filter(|at| named(choice.disabled(), index.id(*at).unwrap()).is_none()).collect();
    let read = |at: usize| {
        let id = index.id(at).unwrap();
        let text = String::from_utf8(index.bytes(at).unwrap().to_vec()).unwrap();
        let tool: Value = serde_json::from_str(&text).unwrap();
        let priority = tool["annotations"]["priority"].as_f64().map(|priority| (priority * 10.0) as u32);
        let pin = named(choice.pins(), id).map(Reverse);
        (pin, named(choice.favorites(), id).is_some(), priority)
    };
    let classes: Vec<_> = (0..index.len()).map(read).collect();
    let class = |at: usize| classes[at];
    let mut order = Vec::new();
    while let Some(best) = candidates.iter().map(|at| class(*at)).max() {
        let mut seen: Vec<&str> = Vec::new();
        // One turn: the first tool of each server.
        let turn: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|at| {
                let server = index.server(*at).unwrap();
                class(*at) == best && !seen.contains(&server) && {
                    seen.push(server);
                    true
                }
            })
            .collect();
        candidates.retain(|at| !turn.contains(at));
        order.extend(turn);
    }
    let (mut room, mut tokens) =
        (limit.count.unwrap_or(u32::MAX), u64::from(limit.tokens.unwrap_or(u32::MAX)));
    order.retain(|at| {
        let cost = world.view.catalog().tokens_of(Kind::Tool, *at).unwrap().count;
        let fits = room > 0 && cost <= tokens;
        if fits {
            room -= 1;
            tokens -= cost;
        }
        fits
    });
    order.sort_unstable();
    order
}

#[test]
fn a_limit_is_shared_between_servers_and_steered_by_the_user() {
    for seed in 0..CATALOGS {
        let random = &mut Random::new(seed);
        let world = World::of_priorities(random);
        let mut picker = world.picker();
        let mut limit = Limit::default();
        for _ in 0..STEPS / 4 {
            let name = format!("{}_{}", random.pick(&["forge", "wiki", "mail"]), random.below(40));
            match random.below(7) {
                0 => {
                    let bound = |random: &mut Random, most| {
                        Some(1 + random.below(most) as u32).filter(|_| !random.one_in(3))
                    };
                    limit = Limit { count: bound(random, 60), tokens: bound(random, 3000) };
                    picker.set_limit(limit).unwrap();
                }
                1 => drop(picker.disable(Kind::Tool, &name, random.one_in(2)).unwrap()),
                2 => drop(picker.set_favorite(Kind::Tool, &name, !random.one_in(3)).unwrap()),
                3 => {
                    picker.undo();
                    limit = picker.budget().limit;
                }
                _ => match picker.pin(Kind::Tool, &name) {
                    Ok(_) => {
                        let index = world.view.find(Kind::Tool, &name);
                        assert!(index.is_none_or(|index| picker.selected().contains(index)), "seed {seed}");
                    }
                    Err(error) => {
                        assert_eq!(error.code(), "filter_limit", "seed {seed}: {error}");
                        let index = world.view.find(Kind::Tool, &name).unwrap();
                        let cost = world.view.catalog().tokens_of(Kind::Tool, index).unwrap().count;
                        assert!(limit.tokens.is_some_and(|tokens| cost > tokens.into()), "seed {seed}");
                    }
                },
            }
            let filter = picker.filter().unwrap();
            let kept = shared(&world, &picker, limit);
            // A gateway lists what the picker shows.
            assert_eq!(world.listed(filter.clone()), kept, "seed {seed}: {filter}");
            let rows: Vec<usize> = picker.order().iter().map(|index| *index as usize).collect();
            assert_eq!(rows, kept, "seed {seed}: {filter}");
            let mut other = world.picker();
            other.set(&filter).unwrap();
            assert_eq!(other.order(), picker.order(), "seed {seed}: {filter}");
            // The stored preferences and the rest of the choice make the same choice.
            let mut again = world.picker();
            again.begin(&picker.plain_filter().unwrap()).unwrap();
            again.prefer(&picker.preferences().to_string().parse().unwrap()).unwrap();
            assert_eq!(again.choice(), picker.choice(), "seed {seed}: {filter}");
            picker.show(Showing::Dropped);
            for at in 0..picker.order().len() {
                let row = picker.row(at).unwrap();
                assert_eq!((row.reasons.len(), row.reasons[0].rule), (1, "limit"), "seed {seed}: {filter}");
            }
            picker.show(Showing::Matching);
        }
    }
}

#[test]
fn a_limit_beyond_what_a_filter_can_name_is_that_of_a_request() {
    let tools = |server: &str| {
        let tools: Vec<Value> =
            (0..300).map(|at| json!({"name": format!("{server}_{at}"), "inputSchema": {}})).collect();
        json!({"tools": tools}).to_string()
    };
    let config = Config::parse("{}").unwrap();
    let lists = [("forge", tools("forge")), ("wiki", tools("wiki"))];
    let sources: Vec<Source> =
        lists.iter().map(|(server, lists)| Source { server, lists: Lists::read(lists).unwrap() }).collect();
    let view = View::everything(Catalog::compile(&sources, &config.engine.assignments));
    let world = World { view, config };
    let mut picker = world.picker();
    picker.set_limit(Limit { count: Some(280), tokens: None }).unwrap();
    let filter = picker.filter().unwrap();
    assert_eq!(filter.to_string(), r#"{"limit":{"count":280}}"#);
    assert_eq!(world.listed(filter), (0..280).collect::<Vec<usize>>());
    let refused = picker.pin(Kind::Tool, "wiki_0").unwrap_err();
    assert_eq!(refused.code(), "filter_limit");
    assert!(picker.choice().pins().is_empty());
    picker.set_limit(Limit { count: Some(100), tokens: None }).unwrap();
    assert!(picker.pin(Kind::Tool, "wiki_299").unwrap());
    // A filter of that form is what it says.
    let own = r#"{"limit":{"count":100},"where":"-kind:tool or kind:tool name=wiki_7"}"#;
    picker.set(&own.parse().unwrap()).unwrap();
    assert_eq!((picker.filter().unwrap().to_string().as_str(), picker.sizes().0), (own, 1));
}

#[test]
fn steps_go_back_to_nothing_and_forth_again() {
    for seed in 0..CATALOGS {
        let random = &mut Random::new(seed);
        let world = World::random(random);
        let mut picker = world.picker();
        for _ in 0..STEPS / 4 {
            step(random, &mut picker);
        }
        let last = picker.choice().clone();
        let (past, _) = picker.steps();
        let mut back = 0;
        while picker.undo() {
            back += 1;
        }
        assert_eq!((back, picker.filter().unwrap().is_empty()), (past, true), "seed {seed}");
        while picker.redo() {}
        assert_eq!(*picker.choice(), last, "seed {seed}");
    }
}

#[test]
fn more_names_than_a_filter_holds_are_refused_and_change_nothing() {
    let world = World::random(&mut Random::new(1));
    let mut picker = world.picker();
    let refused = (0..400).find_map(|at| picker.disable(Kind::Tool, &format!("name_{at}"), true).err());
    assert_eq!(refused.unwrap().code(), "expression");
    let filter = picker.filter().unwrap();
    let (steps, _) = picker.steps();
    assert!(picker.disable(Kind::Tool, "one_more", true).is_err());
    assert_eq!((picker.filter().unwrap(), picker.steps().0), (filter, steps));
    assert_eq!(steps, mcp_sieve::picker::Picker::MAX_STEPS);
}
