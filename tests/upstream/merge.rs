//! Several servers in one catalog, and how name collisions are resolved.

use std::collections::BTreeMap;

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, NameRecord, Prefix, Source},
    expr::{Field, Subject},
    policy::CallerContext,
};
use mcp_sieve_gateway::config::Config;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// Whether nothing records which server had a name first.
    #[serde(default)]
    unrecorded: bool,
    /// What the servers listed earlier.
    #[serde(default)]
    before: Vec<Server>,
    servers: Vec<Server>,
    #[serde(default)]
    rules: Vec<Value>,
    shown: BTreeMap<String, Vec<[String; 3]>>,
    reports: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Server {
    name: String,
    prefix: Option<String>,
    #[serde(default)]
    prefix_all: bool,
    lists: Value,
}

/// Compiles the lists of servers.
fn merge(servers: &[Server], config: &Config, record: Option<&NameRecord>) -> Catalog {
    let texts: Vec<String> = servers.iter().map(|server| server.lists.to_string()).collect();
    let sources: Vec<Source<'_>> = std::iter::zip(servers, &texts)
        .map(|(server, text)| Source { server: &server.name, lists: Lists::read(text).unwrap() })
        .collect();
    let prefixes = servers.iter().filter_map(|server| {
        let (text, always) = (server.prefix.clone()?, server.prefix_all);
        Some(Prefix { server: server.name.clone(), text, always })
    });
    let prefixes: Vec<Prefix> = prefixes.collect();
    Catalog::merge_recorded(&sources, &prefixes, &config.engine.assignments, record)
}

#[test]
fn names_are_told_apart_or_refused() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("../fixtures/merge.json")).unwrap();
    for row in rows {
        let config = Config::parse(&json!({"rules": row.rules}).to_string()).unwrap();
        let mut record = NameRecord::default();
        merge(&row.before, &config, Some(&NameRecord::default())).record_names(&mut record);
        let catalog = merge(&row.servers, &config, Some(&record).filter(|_| !row.unrecorded));
        for kind in Kind::ALL {
            let kind_index = catalog.kind_index(kind);
            let shown: Vec<[String; 3]> = (0..kind_index.len())
                .map(|at| {
                    [kind_index.id(at), kind_index.server(at), kind_index.own_id(at)]
                        .map(|text| text.unwrap().to_owned())
                })
                .collect();
            let expected = row.shown.get(kind.list_key()).cloned().unwrap_or_default();
            assert_eq!(shown, expected, "{}: {kind}", row.name);
            for (at, [id, ..]) in expected.iter().enumerate() {
                let sent: Value = serde_json::from_slice(kind_index.bytes(at).unwrap()).unwrap();
                assert_eq!(sent[kind.id_key()], *id, "{}", row.name);
            }
        }
        let reports: Vec<Value> = catalog
            .reports()
            .iter()
            .map(|report| {
                json!({"code": report.code.name(), "kind": report.kind.name(), "name": report.name, "problem": report.problem})
            })
            .collect();
        assert_eq!(json!(reports), row.reports, "{}", row.name);
        let left_out: Vec<&str> =
            catalog.collisions().iter().map(|collision| collision.id.as_str()).collect();
        let reported = reports.iter().filter(|report| report["code"] == "name_taken");
        let reported: Vec<&str> = reported.map(|report| report["name"].as_str().unwrap()).collect();
        assert_eq!(left_out, reported, "{}", row.name);
    }
}

/// A caller with one claim.
struct Role<'a>(&'a str);

impl Subject for Role<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if field.to_string() == "claim.role" {
            visit(self.0);
        }
    }
}

impl CallerContext for Role<'_> {}

/// The tool of a server gets its prefix where another server had the name first. That takes it out of the reach of no
/// policy that hides it by name.
#[test]
fn a_prefix_takes_nothing_out_of_the_reach_of_a_policy() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let names_by = |config: Value, wiki: &[&str], role: &str| -> Vec<String> {
        let config = Config::parse(&config.to_string()).unwrap();
        let lists = [
            json!({"tools": wiki.iter().map(|name| tool(name)).collect::<Vec<_>>()}),
            json!({"tools": [tool("search"), tool("secret"), tool("plan")]}),
        ]
        .map(|lists| lists.to_string());
        let sources: Vec<Source<'_>> = std::iter::zip(["wiki", "forge"], &lists)
            .map(|(server, text)| Source { server, lists: Lists::read(text).unwrap() })
            .collect();
        let prefix = Prefix { server: "forge".into(), text: "forge_".into(), always: false };
        let record = NameRecord::default();
        let catalog = Catalog::merge_recorded(&sources, &[prefix], &config.engine.assignments, Some(&record));
        let guarded = config.guard(catalog);
        let view = guarded.view(&Role(role));
        let kind_index = view.catalog().kind_index(Kind::Tool);
        view.bits(Kind::Tool).iter().map(|index| kind_index.id(index).unwrap().to_owned()).collect()
    };
    let names = |show: &Value, wiki: &[&str], role: &str| {
        names_by(json!({"policies": [{"name": "p", "show": show}]}), wiki, role)
    };
    let wiki = ["pages", "secret", "search"];
    for show in [
        json!("-name:secret"),
        json!("-name:sec*"),
        json!("name!=secret"),
        json!("-name:secret or claim.role:admin"),
        json!({"not": {"name": "secret"}}),
        json!("-(name:secret or name:hidden)"),
        json!("-(name:secret kind:tool)"),
    ] {
        assert_eq!(names(&show, &["pages"], ""), ["pages", "search", "plan"], "{show}");
        assert_eq!(names(&show, &wiki, ""), ["pages", "search", "forge_search", "plan"], "{show}");
    }
    assert_eq!(names(&json!("-name:secret or claim.role:admin"), &wiki, "admin").len(), 6);
    let preset =
        json!({"presets": [{"name": "p", "when": "-claim.role:x", "filter": {"where": "-name:secret"}}]});
    assert_eq!(names_by(preset, &wiki, ""), ["pages", "search", "forge_search", "plan"]);
    // What a policy allows by name is the listed name alone.
    assert_eq!(names(&json!("name:forge_secret"), &wiki, ""), ["forge_secret"]);
    assert_eq!(names(&json!("name:secret"), &wiki, ""), ["secret"]);
    assert_eq!(names(&json!("-name:forge_secret"), &wiki, "").len(), 5);
    // Another name that ends alike is not the same name.
    assert_eq!(names(&json!("-name:_secret"), &wiki, "").len(), 6);
}

#[test]
fn a_shortened_name_takes_nothing_out_of_the_reach_of_a_policy() {
    let long = "secret_operation_that_deletes_everything";
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let lists = json!({"tools": [tool("open"), tool(long), tool("open_operation_that_lists_everything")]})
        .to_string();
    let names = |mut config: Value, role: &str, prefix: Option<&str>| -> Vec<String> {
        config["maxToolName"] = json!(20);
        let config = Config::parse(&config.to_string()).unwrap();
        let sources = [Source { server: "forge", lists: Lists::read(&lists).unwrap() }];
        let prefixes = prefix.map(|text| Prefix { server: "forge".into(), text: text.into(), always: true });
        let catalog = Catalog::merge(&sources, prefixes.as_slice(), &config.engine.assignments);
        let guarded = config.guard(catalog);
        let view = guarded.view(&Role(role));
        let kind_index = view.catalog().kind_index(Kind::Tool);
        view.bits(Kind::Tool).iter().map(|index| kind_index.id(index).unwrap().to_owned()).collect()
    };
    let shown =
        |show: &str, role: &str| names(json!({"policies": [{"name": "p", "show": show}]}), role, None);
    let all = shown("name:*", "");
    assert!(all.len() == 3 && all[1].starts_with("secret_") && all[2].starts_with("open_operat_"), "{all:?}");
    let left = [&*all[0], &*all[2]];
    for show in [
        &format!("-name:{long}"),
        "-name:*_deletes_*",
        &format!("name!={long}"),
        &format!("-name:{long} or claim.role:admin"),
    ] {
        assert_eq!(shown(show, ""), left, "{show}");
        let policy = json!({"policies": [{"name": "p", "show": show}]});
        assert_eq!(names(policy, "", Some("f_")).len(), 2, "{show}, under a prefix");
    }
    assert_eq!(shown(&format!("-name:{long} or claim.role:admin"), "admin").len(), 3);
    let filter = json!({"where": "-name:*_deletes_*"});
    assert_eq!(
        names(json!({"presets": [{"name": "p", "when": "-claim.role:x", "filter": filter}]}), "", None),
        left
    );
    // What a policy allows by name is the listed name alone.
    assert_eq!(shown(&format!("name:{long} or name:open"), ""), ["open"]);
}

/// A name loses its prefix when the other server that lists it is removed, or is down when the gateway starts. That
/// opens the tool to no caller from whom a policy or a preset hides it under the prefix.
#[test]
fn a_prefix_that_is_gone_takes_nothing_out_of_the_reach_of_a_policy() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let names = |mut config: Value, forge: Value, wiki: &[&str]| -> Vec<String> {
        let mut forge = forge;
        forge["name"] = "forge".into();
        forge["url"] = "https://forge.example/mcp".into();
        config["upstreams"] = json!([{"name": "wiki", "url": "https://wiki.example/mcp"}, forge]);
        let config = Config::parse(&config.to_string()).unwrap();
        let lists = [
            json!({"tools": wiki.iter().map(|name| tool(name)).collect::<Vec<_>>()}),
            json!({"tools": [tool("refund"), tool("plan")]}),
        ]
        .map(|lists| lists.to_string());
        let sources: Vec<Source<'_>> = std::iter::zip(["wiki", "forge"], &lists)
            .map(|(server, text)| Source { server, lists: Lists::read(text).unwrap() })
            .collect();
        let guarded = config.guard(config.compile_first(&sources));
        let view = guarded.view(&Role("support"));
        let kind_index = view.catalog().kind_index(Kind::Tool);
        view.bits(Kind::Tool).iter().map(|index| kind_index.id(index).unwrap().to_owned()).collect()
    };
    let policy = |show: &str| json!({"policies": [{"name": "p", "show": show}]});
    let preset =
        |show: &str| json!({"presets": [{"name": "p", "when": "claim.role:*", "filter": {"where": show}}]});
    let prefix = || json!({"prefix": "forge_"});
    for hides in ["-name:forge_refund", "name!=forge_refund", "-name:forge_r* or claim.role:lead"] {
        assert_eq!(names(policy(hides), prefix(), &["refund"]), ["refund", "plan"], "{hides}");
        assert_eq!(names(policy(hides), prefix(), &[]), ["plan"], "{hides}");
        assert_eq!(
            names(policy(hides), json!({}), &[]),
            ["refund", "plan"],
            "{hides}: a server without a prefix"
        );
    }
    assert_eq!(names(preset("-name:forge_refund"), prefix(), &[]), ["plan"]);
    // The tool of another server never had that name.
    assert_eq!(names(policy("-name:forge_pages"), prefix(), &["pages"]), ["pages", "refund", "plan"]);
    // Terms that show by name match the listed name alone.
    assert_eq!(names(policy("name:forge_refund"), prefix(), &[]), [""; 0]);
}

#[test]
fn a_portable_name_is_the_same_beside_any_other_and_under_a_prefix() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let config = |show: &str| {
        let policies = json!([{"name": "p", "show": show}]);
        Config::parse(&json!({"toolNames": "portable", "policies": policies}).to_string()).unwrap()
    };
    let shown =
        |servers: &[(&str, Vec<&str>)], prefix: Option<(bool, &str)>, show: &str| -> Vec<[String; 3]> {
            let config = config(show);
            let text = |names: &[&str]| {
                json!({"tools": names.iter().map(|name| tool(name)).collect::<Vec<_>>()}).to_string()
            };
            let lists: Vec<String> = servers.iter().map(|(_, names)| text(names)).collect();
            let sources: Vec<_> = std::iter::zip(servers, &lists)
                .map(|((server, _), text)| Source { server, lists: Lists::read(text).unwrap() })
                .collect();
            let prefixes =
                prefix.map(|(always, text)| Prefix { server: "b".into(), text: text.into(), always });
            let record = NameRecord::default();
            let (prefixes, assignments) = (prefixes.as_slice(), &config.engine.assignments);
            let catalog = Catalog::merge_recorded(&sources, prefixes, assignments, Some(&record));
            let guarded = config.guard(Catalog::restore(catalog.snapshot()).unwrap());
            let view = guarded.view(&Role(""));
            let tools = view.catalog().kind_index(Kind::Tool);
            let row = |index| [tools.id(index), tools.own_id(index), tools.server(index)].map(Option::unwrap);
            view.bits(Kind::Tool).iter().map(|index| row(index).map(str::to_owned)).collect()
        };
    let row = |id: &str, own: &str, server: &str| [id, own, server].map(str::to_owned);
    let dotted = "immich.albums.assets.add";
    let portable = "immich_albums_assets_add_e9c2386f";
    let alone = shown(&[("a", vec![dotted])], None, "name:*");
    assert_eq!(alone, [row(portable, dotted, "a")]);
    // Another name with the same characters is another name.
    let twins =
        shown(&[("a", vec![dotted, "immich_albums.assets.add", "immich_albums_assets_add"])], None, "name:*");
    assert_eq!(twins[0], alone[0]);
    assert_eq!(twins.len(), 3);
    assert_eq!(twins[2], row("immich_albums_assets_add", "immich_albums_assets_add", "a"));
    // Of two servers, one keeps the name and the other gets its prefix before the name is rewritten.
    let both = [("a", vec![dotted]), ("b", vec![dotted, "天気"])];
    let found = shown(&both, Some((false, "b.")), "name:*");
    assert_eq!(found[0], alone[0]);
    assert!(found[1][0].starts_with("b_immich_albums_assets_add_") && found[1][0].len() == 35, "{found:?}");
    assert_eq!(found[1][1..], [dotted, "b"]);
    assert_eq!(found[2], row("tool_97a2c3de", "天気", "b"));
    assert_eq!(shown(&both, None, "name:*").len(), 2, "without a prefix the second is left out");
    let found = shown(&both, Some((true, "b/")), "name:*");
    assert!(found[1][0].starts_with("b_immich") && found[2][0].starts_with("b_"), "{found:?}");
    // A server that lists the portable name of another cannot take it.
    let found = shown(&[("a", vec![dotted]), ("b", vec![portable])], None, "name:*");
    assert_eq!(found, alone);
    // What a policy hides by name is hidden by the name that the server lists.
    for show in ["-name:immich.*", "name!=immich.albums.assets.add"] {
        assert_eq!(shown(&both, Some((false, "b.")), show).len(), 1, "{show}");
    }
    assert_eq!(shown(&both, Some((false, "b.")), "-name:天気").len(), 2);
}
