//! The history of a name agrees with the list of a catalog of several servers.

use mcp_sieve::{
    Kind,
    catalog::{Lists, Source},
    expr::{Field, Subject},
    policy::CallerContext,
};
use mcp_sieve_gateway::config::{Config, Fate, History, histories};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cases;

/// Generates servers that share names, with prefixes that may cause further collisions.
fn server() -> impl Strategy<Value = (Option<String>, bool, Vec<String>)> {
    let prefix =
        prop::option::of(prop_oneof![Just("a".to_owned()), Just("a_".to_owned()), Just("b".to_owned())]);
    (prefix, any::<bool>(), prop::collection::vec("(a|a_|b)?[a-c]", 0..6))
}

fn rule() -> impl Strategy<Value = Value> {
    let subject = prop_oneof![
        "[a-c]".prop_map(|name| format!("name:{name}")),
        "[0-3]".prop_map(|at| format!("server:s{at}"))
    ];
    (subject, "[a-c]", prop::option::of("[a-d]")).prop_map(|(server, name, new)| {
        let condition = format!("{server} name:*{name}");
        match new {
            Some(new) => json!({"match": condition, "name": new}),
            None => json!({"match": condition, "hide": true}),
        }
    })
}

struct Role(Option<&'static str>);

impl Subject for Role {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field {
            Field::Claim(_) => self.0.into_iter().for_each(visit),
            // The preset below applies to these callers.
            Field::Preset if self.0 == Some("x") => visit("short"),
            _ => {}
        }
    }
}

impl CallerContext for Role {}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn a_name_is_explained_as_listed_exactly_where_it_is_listed(
        servers in prop::collection::vec(server(), 1..4),
        rules in prop::collection::vec(rule(), 0..3),
        prompts in any::<bool>(),
    ) {
        let upstreams: Vec<Value> = servers.iter().enumerate().map(|(at, (prefix, all, _))| {
            let mut upstream = json!({"name": format!("s{at}"), "url": "https://a.example/mcp"});
            if let Some(prefix) = prefix {
                upstream["prefix"] = json!(prefix);
                upstream["prefixAll"] = json!(all);
            }
            upstream
        }).collect();
        let config = json!({"upstreams": upstreams, "rules": rules,
            "policies": [{"name": "p", "show": "-name:*a or claim.role:*"}],
            "presets": [{"name": "short", "when": "claim.role:x", "filter": {"namePatterns": ["?"]}}]});
        let config = Config::parse(&config.to_string()).unwrap();
        let kind = if prompts { Kind::Prompt } else { Kind::Tool };
        let texts: Vec<String> = servers.iter().map(|(_, _, names)| {
            let one = |name: &String| json!({"name": name, "inputSchema": {"type": "object"}});
            json!({kind.list_key(): names.iter().map(one).collect::<Vec<_>>()}).to_string()
        }).collect();
        let sources: Vec<Source<'_>> = config.upstreams.iter().zip(&texts)
            .map(|(upstream, text)| Source { server: &upstream.name, lists: Lists::read(text).unwrap() })
            .collect();
        let catalog = config.compile_first(&sources);
        let kind_index = catalog.kind_index(kind);
        let called = |history: &History, name: &str| matches!(&history.fate, Fate::Listed(listed) if listed == name);

        let own = servers.iter().flat_map(|(_, _, names)| names.iter().map(String::as_str));
        let more = ["a", "b", "c", "d", "aa", "ab", "a_a", "a_b", "ba", "aaa", "a_a_a", "none"];
        for name in own.chain(kind_index.ids()).chain(more) {
            let told = histories(&config, &sources, &catalog, (kind, name), None);
            let listed = told.iter().any(|history| called(history, name));
            prop_assert_eq!(listed, kind_index.find(name).is_some(), "{}: {:?}", name, told);
            for history in &told {
                match &history.fate {
                    Fate::Listed(listed) => {
                        let index = kind_index.find(listed).unwrap();
                        prop_assert_eq!((kind_index.server(index), kind_index.own_id(index)), (Some(&*history.server), Some(&*history.id)));
                    }
                    Fate::Hidden => prop_assert!(history.outcome.hidden_by.is_some()),
                    Fate::Taken { name, by } => {
                        let kept = kind_index.find(name).unwrap();
                        prop_assert_eq!(kind_index.server(kept), Some(by.as_str()));
                        prop_assert!(catalog.collisions().iter().any(|lost| lost.id == *name && lost.left_out == history.server));
                    }
                    Fate::Attached | Fate::Unevaluated => prop_assert!(false, "{}: {:?}", name, history),
                }
            }
        }
        // For a caller, a name is visible exactly if the caller's view contains it.
        let guarded = config.guard(config.compile_first(&sources));
        for role in [Role(None), Role(Some("x")), Role(Some("y"))] {
            let view = guarded.view(&role);
            for name in kind_index.ids() {
                let told = histories(&config, &sources, &catalog, (kind, name), Some(&role));
                let visible = told.iter().any(|history| called(history, name) && history.visible);
                prop_assert_eq!(visible, view.find(kind, name).is_some(), "{}", name);
            }
        }
    }
}

#[test]
fn a_tool_with_unreadable_requirements_is_explained_by_them() {
    let required = json!({"io.modelcontextprotocol/requiredCapabilities": "sampling"});
    let lists = json!({"tools": [{"name": "draw", "inputSchema": {"type": "object"}, "_meta": required}]});
    let fate = |requirements: &str| {
        let upstream = json!({"url": "https://a.example/mcp", "requiredCapabilities": requirements});
        let config = Config::parse(&json!({"upstream": upstream}).to_string()).unwrap();
        let lists = lists.to_string();
        let sources = [Source { server: &config.upstream.name, lists: Lists::read(&lists).unwrap() }];
        let catalog = config.compile(&sources);
        let mut found = histories(&config, &sources, &catalog, (Kind::Tool, "draw"), None);
        assert_eq!(found.len(), 1);
        found.remove(0).fate
    };
    assert_eq!(fate("hide"), Fate::Unevaluated);
    assert_eq!(fate("annotate"), Fate::Listed("draw".to_owned()));
}
