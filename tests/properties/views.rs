//! Views compared with a plain evaluation of the same presets and policies: a caller's view does not depend on which of
//! its presets the caller reports.

use mcp_sieve::{
    Filter, Kind,
    catalog::{Catalog, Lists, Source},
    expr::{Field, NoCaller, Subject},
    filter::{Narrowing, Selection},
    policy::{CallerContext, Preset, View},
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

use crate::random::Random;

/// Number of configurations, each tested with every caller.
const CONFIGS: u64 = 2_000;
/// The callers' values of `claim.role`.
const ROLES: [Option<&str>; 3] = [None, Some("x"), Some("y")];

/// A tool: its name, whether it has the tag `t`, and whether it is pinned.
struct Tool {
    name: String,
    tagged: bool,
    pinned: bool,
}

/// Decides whether a preset's filter selects a tool.
type Keeps = fn(&Tool) -> bool;
/// Decides whether a preset applies to a caller with this role.
type IsFor = fn(Option<&str>) -> bool;
/// Decides whether a tool is shown, by the caller's role and the names of its presets.
type Shows = fn(&Tool, Option<&str>, &[String]) -> bool;
/// A preset's filter and condition, each as text and as a function.
type Written = ((&'static str, Keeps), (&'static str, IsFor));

/// Filters of presets, as text and as functions.
const FILTERS: [(&str, Keeps); 4] = [
    ("{}", |_| true),
    (r#"{"tags": ["t"]}"#, |tool| tool.tagged),
    (r#"{"not": {"tags": ["t"]}}"#, |tool| !tool.tagged),
    (r#"{"namePatterns": ["a*"]}"#, |tool| tool.name.starts_with('a')),
];

/// Conditions of presets, as text and as functions.
const WHENS: [(&str, IsFor); 4] = [
    ("", |_| false),
    ("claim.role:*", |role| role.is_some()),
    ("-claim.role:*", |role| role.is_none()),
    ("claim.role:x", |role| role == Some("x")),
];

/// Policies, as text and as functions.
const POLICIES: [(&str, Shows); 5] = [
    ("", |_, _, _| true),
    ("tag:t or claim.role:*", |tool, role, _| tool.tagged || role.is_some()),
    ("-preset:p0 or name:a*", |tool, _, bound| {
        !bound.contains(&"p0".to_owned()) || tool.name.starts_with('a')
    }),
    ("preset:p1", |_, _, bound| bound.contains(&"p1".to_owned())),
    ("-preset:*", |_, _, bound| bound.is_empty()),
];

/// A caller with a role that reports these presets.
struct Role<'a>(Option<&'a str>, Vec<String>);

impl Subject for Role<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field {
            Field::Claim(path) if path == "role" => self.0.into_iter().for_each(visit),
            Field::Preset => self.1.iter().for_each(|name| visit(name)),
            _ => {}
        }
    }
}

impl CallerContext for Role<'_> {}

/// A custom caller without any fields.
struct Stranger;

impl Subject for Stranger {
    fn values(&self, _: &Field, _: &mut dyn FnMut(&str)) {}
}

impl CallerContext for Stranger {}

fn compile(config: &Value, tools: &Value) -> (Config, Catalog) {
    let config = Config::parse(&config.to_string()).unwrap();
    let lists = json!({ "tools": tools }).to_string();
    let catalog = config.compile(&[Source { server: "s", lists: Lists::read(&lists).unwrap() }]);
    (config, catalog)
}

fn names(view: &View) -> Vec<&str> {
    let kind_index = view.catalog().kind_index(Kind::Tool);
    view.bits(Kind::Tool).iter().filter_map(|at| kind_index.id(at)).collect()
}

#[test]
fn a_view_is_what_presets_and_policies_leave() {
    let (mut hidden, mut shown) = (0, 0);
    for seed in 0..CONFIGS {
        let random = &mut Random::new(seed);
        let tools: Vec<Tool> = (0..1 + random.below(70))
            .map(|at| Tool {
                name: format!("{}{at}", random.pick(&["a", "b"])),
                tagged: random.one_in(2),
                pinned: random.one_in(5),
            })
            .collect();
        let presets: Vec<Written> =
            (0..random.below(4)).map(|_| (*random.pick(&FILTERS), *random.pick(&WHENS))).collect();
        let policies: Vec<_> = (0..random.below(3)).map(|_| *random.pick(&POLICIES)).collect();
        let preset = |(at, ((filter, _), (when, _))): (usize, &Written)| {
            let filter: Value = serde_json::from_str(filter).unwrap();
            let mut preset = json!({"name": format!("p{at}"), "filter": filter});
            if !when.is_empty() {
                preset["when"] = json!(when);
            }
            preset
        };
        let declared: Vec<Value> = presets.iter().enumerate().map(preset).collect();
        let said = policies.iter().filter(|(show, _)| !show.is_empty()).enumerate();
        let said: Vec<Value> =
            said.map(|(at, (show, _))| json!({"name": format!("q{at}"), "show": show})).collect();
        let pinned = tools.iter().filter(|tool| tool.pinned);
        let rules: Vec<Value> =
            pinned.map(|tool| json!({"match": format!("name:{}", tool.name), "pin": true})).collect();
        let listed = tools.iter().map(|tool| {
            let tags = if tool.tagged { json!(["t"]) } else { json!([]) };
            json!({"name": tool.name, "inputSchema": {"type": "object"}, "tags": tags})
        });
        let (config, catalog) = compile(
            &json!({"presets": declared, "policies": said, "rules": rules}),
            &listed.collect::<Vec<_>>().into(),
        );
        let guarded = config.guard(catalog);

        let paths = (0..presets.len()).map(Some).chain([None]);
        for (role, path) in paths.flat_map(|path| ROLES.map(|role| (role, path))) {
            let is_bound = |at: &usize| path == Some(*at) || presets[*at].1.1(role);
            let bound: Vec<usize> = (0..presets.len()).filter(is_bound).collect();
            let bound_names: Vec<String> = bound.iter().map(|at| format!("p{at}")).collect();
            let sees = |tool: &&Tool| {
                bound.iter().all(|at| presets[*at].0.1(tool))
                    && policies.iter().all(|(_, shows)| shows(tool, role, &bound_names))
            };
            let expected: Vec<&str> = tools.iter().filter(sees).map(|tool| tool.name.as_str()).collect();
            let path = path.map(|at| format!("p{at}"));
            // The caller reports only the preset of its path, or all of its presets.
            for known in [path.into_iter().collect(), bound_names] {
                let view = guarded.view(&Role(role, known));
                assert_eq!(names(&view), expected, "seed {seed}, {role:?}, {bound:?}: {config:?}");
                let mut selection = Selection::default();
                let everything = Narrowing::new(&view, &Filter::default());
                let selected = view.select(&everything, Kind::Tool, &mut selection);
                assert_eq!(selected, view.bits(Kind::Tool), "seed {seed}");
                shown += expected.len();
                hidden += tools.len() - expected.len();
            }
        }
    }
    assert!(shown > 10_000 && hidden > 10_000, "{shown} shown, {hidden} hidden");
}

/// Such a caller is used by the function `tool_filter`, whose request has no token.
#[test]
fn a_caller_written_by_hand_does_not_see_what_a_preset_for_strangers_hides() {
    let filter = json!({"not": {"tags": ["internal"]}});
    let tools = json!([
        {"name": "open", "inputSchema": {"type": "object"}},
        {"name": "internal", "inputSchema": {"type": "object"}, "tags": ["internal"]}]);
    let preset = json!({"name": "strangers", "when": "-claim.role:*", "filter": filter});
    let (config, catalog) = compile(&json!({ "presets": [preset] }), &tools);
    let guarded = config.guard(catalog);
    for stranger in [&Stranger as &dyn CallerContext, &NoCaller, &Role(None, Vec::new())] {
        let view = guarded.view(stranger);
        assert_eq!(names(&view), ["open"]);
        assert_eq!(view.find(Kind::Tool, "internal"), None);
    }
    assert_eq!(names(&guarded.view(&Role(Some("staff"), Vec::new()))), ["open", "internal"]);
}

/// A policy that reads presets gets those that apply to the caller, whether or not the caller reports them.
#[test]
fn a_policy_reads_the_presets_that_bind_a_caller_written_by_hand() {
    let tools = json!([{"name": "a", "inputSchema": {"type": "object"}}]);
    let preset = json!({"name": "strangers", "when": "-claim.role:*", "filter": {}});
    let policy = json!({"name": "no strangers", "show": "-preset:strangers"});
    let (config, catalog) = compile(&json!({"presets": [preset], "policies": [policy]}), &tools);
    assert_eq!(
        Preset::find_applicable(&config.engine.presets, None, &NoCaller),
        Some(vec!["strangers".to_owned()])
    );
    let guarded = config.guard(catalog);
    assert_eq!(names(&guarded.view(&Stranger)), Vec::<&str>::new());
    assert_eq!(names(&guarded.view(&Role(Some("staff"), Vec::new()))), ["a"]);
}
