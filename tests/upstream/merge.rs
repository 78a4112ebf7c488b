//! Several servers in one catalog, and how name collisions are resolved.

use std::collections::BTreeMap;

use mcp_sieve::{
    catalog::{Catalog, Kind, Lists, Prefix, Source},
    config::Config,
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
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

#[test]
fn names_are_told_apart_or_refused() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("../fixtures/merge.json")).unwrap();
    for row in rows {
        let config = Config::parse(&json!({"rules": row.rules}).to_string()).unwrap();
        let texts: Vec<String> = row.servers.iter().map(|server| server.lists.to_string()).collect();
        let sources: Vec<Source<'_>> = std::iter::zip(&row.servers, &texts)
            .map(|(server, text)| Source { server: &server.name, lists: Lists::read(text).unwrap() })
            .collect();
        let prefixes = row.servers.iter().filter_map(|server| {
            let (text, always) = (server.prefix.clone()?, server.prefix_all);
            Some(Prefix { server: server.name.clone(), text, always })
        });
        let prefixes: Vec<Prefix> = prefixes.collect();
        let catalog = Catalog::merge(&sources, &prefixes, &config.assignments);
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
