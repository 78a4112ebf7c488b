//! Groups and tags that servers publish: filters see them, and nothing else does unless the file names their source.

use std::collections::BTreeSet;

use mcp_sieve::{
    Filter, Kind,
    catalog::{Assignments, Catalog, Lists, ServerWords, Source},
    discovery::Tools,
    expr::{Expr, Field, Subject},
    filter::{Narrowing, Selection},
    policy::{CallerContext, View},
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

use crate::random::Random;

const CATALOGS: u64 = 300;

const NAMES: [&str; 4] = ["t1", "t2", "admin", "größe"];
/// Terms of rules, policies, presets and `always`.
const TERMS: [&str; 14] = [
    "tag:t1",
    "tag:t*",
    "tag!=t1",
    "-tag:t2",
    "tag=admin",
    "tag:*",
    "group:t1",
    "-group:admin",
    "group:*",
    "group!=t2",
    "group contains min",
    "concern.cost:high",
    "name:*1",
    "claim.role:staff",
];

struct Staff(bool);

impl Subject for Staff {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if self.0 && *field == Field::Claim("role".to_owned()) {
            visit("staff");
        }
    }
}

impl CallerContext for Staff {}

/// A tool, its declared groups and tags, and its published ones.
struct Tool {
    name: String,
    declared: [Vec<&'static str>; 2],
    published: [Vec<&'static str>; 2],
    /// Those of the published groups that the server lists apart.
    listed: Vec<&'static str>,
}

impl Tool {
    fn random(random: &mut Random, at: usize) -> Self {
        let mut some = |most| random.some(&NAMES, most);
        let (declared, published) = ([some(2), some(2)], [some(2), some(2)]);
        let listed = some(1);
        Self { name: format!("n{at}"), declared, published, listed }
    }

    /// Returns the definition, with the published names or without them.
    fn definition(&self, random: &mut Random, publishes: bool) -> Value {
        let [groups, tags] = &self.declared;
        let mut tool = json!({"name": self.name, "inputSchema": {"type": "object"}, "_meta": {"x/y": 1}});
        if !groups.is_empty() {
            tool["groups"] = json!(groups);
        }
        if !tags.is_empty() {
            tool["tags"] = json!(tags);
        }
        let place = random.below(4);
        if !publishes {
            return tool;
        }
        let [groups, tags] = &self.published;
        tool["_meta"][Assignments::TOOLBOX] = json!({"groups": groups});
        match place {
            0 => tool["_meta"]["fastmcp"] = json!({"tags": tags, "version": "1"}),
            1 => tool["_meta"]["_fastmcp"] = json!({"tags": tags}),
            2 => tool["_meta"]["tags"] = json!(tags),
            _ => {
                // Each source adds to the others.
                let (some, others) = tags.split_at(tags.len() / 2);
                tool["_meta"]["fastmcp"] = json!({"tags": some});
                tool["_meta"]["tags"] = json!(others);
            }
        }
        tool
    }
}

fn expression(random: &mut Random) -> String {
    let parts: Vec<_> = (0..1 + random.below(3)).map(|_| *random.pick(&TERMS)).collect();
    let text = if random.one_in(2) { parts.join(" ") } else { parts.join(" or ") };
    if random.one_in(4) { format!("-({text})") } else { text }
}

/// Returns a condition that does not read the caller.
fn of_primitive(random: &mut Random) -> String {
    loop {
        let text = expression(random);
        if !text.contains("claim") {
            return text;
        }
    }
}

fn configuration(random: &mut Random) -> Value {
    let rules: Vec<Value> = (0..random.below(4))
        .map(|_| {
            let mut rule = json!({"match": of_primitive(random)});
            match random.below(5) {
                0 => rule["hide"] = json!(true),
                1 => rule["pin"] = json!(true),
                2 => rule["tags"] = json!([random.pick(&NAMES)]),
                3 => rule["groups"] = json!([random.pick(&NAMES)]),
                _ => rule["title"] = json!("Another"),
            }
            rule
        })
        .collect();
    let policies: Vec<Value> = (0..random.below(3))
        .map(|at| json!({"name": format!("p{at}"), "show": expression(random)}))
        .collect();
    let presets: Vec<Value> = (0..random.below(3))
        .map(|at| {
            let filter = match random.below(4) {
                0 => json!({"tags": [random.pick(&NAMES)]}),
                1 => json!({"groups": [random.pick(&NAMES)], "not": {"tags": [random.pick(&NAMES)]}}),
                2 => json!({"not": {"groups": [random.pick(&NAMES)]}}),
                _ => json!({"where": of_primitive(random)}),
            };
            json!({"name": format!("preset{at}"), "filter": filter, "when": "-claim.role:nobody"})
        })
        .collect();
    json!({
        "groups": [{"name": "t1", "parent": "t2", "concerns": {"cost": "high"}}, {"name": "t2"}],
        "tags": [{"name": "admin", "description": "Declared here"}],
        "concerns": [{"name": "cost", "values": ["low", "high"]}],
        "rules": rules, "policies": policies, "presets": presets,
        "disclosure": {"always": of_primitive(random)},
        "exposeSep2084Groups": random.one_in(2),
        "filtering": {"mirror": random.one_in(2)},
    })
}

fn compile(tools: &[Value], config: &Config, listed: &[Tool]) -> Catalog {
    let lists = json!({"tools": tools}).to_string();
    let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
    let mut members: Vec<_> = listed
        .iter()
        .filter(|tool| !tool.listed.is_empty())
        .map(|tool| {
            let groups = tool.listed.iter().map(|name| (*name).to_owned()).collect();
            (Kind::Tool, tool.name.clone(), groups)
        })
        .collect();
    members.sort();
    let words = ServerWords { server: "s".to_owned(), members, ..ServerWords::default() };
    let assignments = Assignments { declared: vec![words], ..config.engine.assignments.clone() };
    Catalog::compile(&[source], &assignments)
}

/// Returns the names and the definitions of the visible tools, without `_meta`.
fn seen(view: &View) -> Vec<(String, Value)> {
    let kind_index = view.catalog().kind_index(Kind::Tool);
    let seen = view.bits(Kind::Tool).iter().map(|index| {
        let mut tool: Value = serde_json::from_slice(kind_index.bytes(index).unwrap()).unwrap();
        tool.as_object_mut().unwrap().remove("_meta");
        (kind_index.id(index).unwrap().to_owned(), tool)
    });
    seen.collect()
}

fn selected(view: &View, filter: &Filter) -> BTreeSet<String> {
    let (narrowing, mut selection) = (Narrowing::new(view, filter), Selection::default());
    let bits = view.select(&narrowing, Kind::Tool, &mut selection);
    let kind_index = view.catalog().kind_index(Kind::Tool);
    bits.iter().map(|index| kind_index.id(index).unwrap().to_owned()).collect()
}

#[test]
fn policies_presets_and_rules_do_not_see_published_names() {
    for seed in 0..CATALOGS {
        let random = &mut Random::new(seed);
        let tools: Vec<Tool> = (0..1 + random.below(90)).map(|at| Tool::random(random, at)).collect();
        let text = configuration(random).to_string();
        let config = Config::parse(&text).unwrap();
        let publishing: Vec<_> = tools.iter().map(|tool| tool.definition(random, true)).collect();
        let silent: Vec<_> = tools.iter().map(|tool| tool.definition(random, false)).collect();
        let (with, without) = (compile(&publishing, &config, &tools), compile(&silent, &config, &[]));
        assert_eq!(with.reports(), without.reports(), "seed {seed}");
        let hidden = |catalog: &Catalog| {
            let hidden: Vec<_> = catalog.kind_index(Kind::Tool).hidden().map(str::to_owned).collect();
            hidden
        };
        assert_eq!(hidden(&with), hidden(&without), "seed {seed}: {text}");
        let pinned = |catalog: &Catalog| catalog.kind_index(Kind::Tool).pinned().cloned();
        assert_eq!(pinned(&with), pinned(&without), "seed {seed}: {text}");
        let restored = Catalog::restore(with.snapshot()).unwrap();
        let (guarded, plain) = (config.guard(with), config.guard(without));
        let restored = config.guard(restored);
        for staff in [false, true] {
            let (view, plain) = (guarded.view(&Staff(staff)), plain.view(&Staff(staff)));
            assert_eq!(seen(&view), seen(&plain), "seed {seed}: {text}");
            let always = config.disclosure.always.as_ref();
            let listed = |view: &View| Tools::always_listed(view, view.bits(Kind::Tool), always);
            assert_eq!(listed(&view), listed(&plain), "seed {seed}: {text}");
            for name in NAMES {
                let members = |view: &View| view.trusted_members(Kind::Tool, name);
                assert_eq!(members(&view), members(&plain), "seed {seed}: {name}");
            }
            let cost = Filter::parse(r#"{"concerns":{"cost":"high"}}"#).unwrap().filter;
            assert_eq!(selected(&view, &cost), selected(&plain, &cost), "seed {seed}: {text}");
            let again = restored.view(&Staff(staff));
            assert_eq!(seen(&view), seen(&again), "seed {seed}");
            filters_see_all(&view, &again, &plain, &tools, seed);
        }
    }
}

/// Compares each filter of one name with the trusted memberships and the published ones.
fn filters_see_all(view: &View, again: &View, plain: &View, tools: &[Tool], seed: u64) {
    for name in NAMES {
        let visible: BTreeSet<String> = seen(view).into_iter().map(|(name, _)| name).collect();
        let pinned = selected(plain, &Filter::default().with_tags(["nothing"]));
        let published = |at: usize, name: &'static str| {
            tools.iter().filter(move |tool| {
                tool.published[at].contains(&name) || at == 0 && tool.listed.contains(&name)
            })
        };
        let mut tagged = selected(plain, &Filter::default().with_tags([name]));
        tagged.extend(published(1, name).map(|tool| tool.name.clone()).filter(|name| visible.contains(name)));
        let by_tag = Filter::default().with_tags([name]);
        assert_eq!(selected(view, &by_tag), tagged, "seed {seed}: {name}");
        assert_eq!(selected(again, &by_tag), tagged, "seed {seed}: {name}");
        let expr: Expr = format!("tag={name}").parse().unwrap();
        assert_eq!(selected(view, &Filter::default().with_condition(expr)), tagged, "seed {seed}: {name}");
        let mut untagged: BTreeSet<String> = visible.difference(&tagged).cloned().collect();
        untagged.extend(pinned.clone());
        let mut refused = Filter::default();
        refused.not.tags = vec![name.to_owned()];
        assert_eq!(selected(view, &refused), untagged, "seed {seed}: {name}");
        let mut grouped = selected(plain, &Filter::default().with_groups([name]));
        // The group `t1` is below `t2`.
        let below: &[&'static str] = if name == "t2" { &["t1", "t2"] } else { &[name] };
        for below in below {
            let members = published(0, below).map(|tool| tool.name.clone());
            grouped.extend(members.filter(|name| visible.contains(name)));
        }
        let by_group = Filter::default().with_groups([name]);
        assert_eq!(selected(view, &by_group), grouped, "seed {seed}: {name}");
        assert_eq!(selected(again, &by_group), grouped, "seed {seed}: {name}");
        let sized = tagged.len() - pinned.iter().filter(|id| is_bare(view, id, name)).count();
        assert_eq!(view.tag_sizes(name)[Kind::Tool as usize], sized, "seed {seed}: {name}");
    }
}

/// Returns whether a tool lacks a tag, so that a filter includes it only because it is pinned.
fn is_bare(view: &View, id: &str, tag: &str) -> bool {
    let index = view.find(Kind::Tool, id).unwrap();
    !view.catalog().primitive(Kind::Tool, index).unwrap().tags().contains(&tag)
}

#[test]
fn named_sources_count_like_declared_names() {
    for seed in 0..CATALOGS {
        let random = &mut Random::new(seed);
        let tools: Vec<Tool> = (0..1 + random.below(90)).map(|at| Tool::random(random, at)).collect();
        let mut file = configuration(random);
        let plain = Config::parse(&file.to_string()).unwrap();
        file["tagsFrom"] = json!(["meta.tags", "meta._fastmcp.tags", "meta.fastmcp.tags"]);
        file["groupsFrom"] = json!([Assignments::TOOLBOX]);
        let config = Config::parse(&file.to_string()).unwrap();
        let publishing: Vec<_> = tools.iter().map(|tool| tool.definition(random, true)).collect();
        let declared: Vec<Value> = publishing
            .iter()
            .zip(&tools)
            .map(|(definition, tool)| {
                let mut definition = definition.clone();
                let all = |own: &[&'static str], more: &[&[&'static str]]| [own, &more.concat()].concat();
                definition["tags"] = json!(all(&tool.declared[1], &[&tool.published[1]]));
                definition["groups"] = json!(all(&tool.declared[0], &[&tool.published[0], &tool.listed]));
                definition
            })
            .collect();
        let named = config.guard(compile(&publishing, &config, &tools));
        let plain = plain.guard(compile(&declared, &plain, &[]));
        for staff in [false, true] {
            let (view, plain) = (named.view(&Staff(staff)), plain.view(&Staff(staff)));
            let ids = |view: &View| seen(view).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
            assert_eq!(ids(&view), ids(&plain), "seed {seed}: {file}");
            for name in NAMES {
                let by_tag = Filter::default().with_tags([name]);
                assert_eq!(selected(&view, &by_tag), selected(&plain, &by_tag), "seed {seed}: {name}");
                let members = |view: &View| view.trusted_members(Kind::Tool, name);
                assert_eq!(members(&view), members(&plain), "seed {seed}: {name}");
            }
        }
    }
}

#[test]
fn published_names_leave_room_for_declared_ones() {
    // As many published tags as a list may have, before the only declared one.
    let many: Vec<Value> = (0..16)
        .map(|at| {
            let tags: Vec<String> = (0..128).map(|tag| format!("t{at}-{tag}")).collect();
            json!({"name": format!("n{at}"), "inputSchema": {"type": "object"}, "_meta": {"tags": tags}})
        })
        .collect();
    let secret = json!({"name": "secret", "inputSchema": {"type": "object"}, "tags": ["internal"]});
    let config = Config::parse(r#"{"policies":[{"name":"p","show":"-tag:internal"}]}"#).unwrap();
    let catalog = compile(&[many, vec![secret]].concat(), &config, &[]);
    let limit =
        format!("more than {} tag names in one list, the others are ignored", Catalog::MAX_LIST_NAMES);
    let problems: BTreeSet<_> = catalog.reports().iter().map(|report| report.problem.as_str()).collect();
    assert_eq!(problems, BTreeSet::from([limit.as_str()]));
    assert_eq!(catalog.tags().len(), Catalog::MAX_LIST_NAMES + 1);
    let view = config.guard(catalog).view(&Staff(false));
    assert_eq!(view.find(Kind::Tool, "secret"), None);
    assert_eq!(selected(&view, &Filter::default().with_tags(["t7-127"])), BTreeSet::from(["n7".to_owned()]));
    assert_eq!(
        view.tags().iter().filter(|tag| tag.name == "internal").count(),
        0,
        "hidden tags stay unknown"
    );
}
