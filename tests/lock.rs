//! Runs the rows of `tests/fixtures/lock.json`: which definitions a lock serves, hides and refuses.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_sieve::{
    Caller, Config, Filter, Kind, Sieve,
    catalog::Lists,
    json::Members,
    lock::{Lock, LockState},
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

const ROWS: &str = include_str!("fixtures/lock.json");

/// Returns a member of a row as text: `{name}Text`, or the value of `name`.
fn text(row: &Value, name: &str) -> Option<String> {
    let text = row[format!("{name}Text")].as_str().map(ToOwned::to_owned);
    text.or_else(|| row.get(name).map(Value::to_string))
}

fn ignored(row: &Value) -> Vec<String> {
    let keys = row["lock"]["ignore"].as_array().cloned().unwrap_or_default();
    keys.iter().map(|key| key.as_str().unwrap().to_owned()).collect()
}

/// Returns the text of a lock that accepts these lists of the only server.
fn lock_of(lists: &str, ignored: &[String]) -> String {
    let read = Lists::read(lists).unwrap();
    let mut server = Map::new();
    for kind in Kind::ALL {
        let digests = read.primitives(kind).into_iter().map(|definition| {
            let id = Members::read(definition).unwrap().get(kind.id_key()).unwrap().text().unwrap();
            let digest = Sha256::digest(Lock::canonical(definition, ignored));
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            (id.into_owned(), Value::from(hex))
        });
        server.insert(kind.list_key().to_owned(), Value::Object(digests.collect()));
    }
    json!({"version": 3, "servers": {"upstream": server}}).to_string()
}

/// Returns the configuration of a row, with its lock.
fn config(row: &Value) -> Config {
    let mut config = row.get("config").cloned().unwrap_or_else(|| json!({}));
    let mut lock = row.get("lock").cloned().unwrap_or_else(|| json!({}));
    if row["noContent"] != true {
        let content = text(row, "content");
        let content = content.unwrap_or_else(|| lock_of(&text(row, "accepted").unwrap(), &ignored(row)));
        lock["content"] = content.into();
    }
    config["lock"] = lock;
    Config::parse(&config.to_string()).unwrap_or_else(|error| panic!("{}: {error}", row["name"]))
}

#[test]
fn rows() {
    let rows: Vec<Value> = serde_json::from_str(ROWS).unwrap();
    let mut failed = Vec::new();
    for row in &rows {
        let run = std::panic::catch_unwind(|| run(row));
        failed.extend(run.is_err().then_some(&row["name"]));
    }
    println!("lock.json: {} rows", rows.len());
    assert!(failed.is_empty(), "{failed:#?}");
}

fn run(row: &Value) {
    {
        let name = &row["name"];
        let config = config(row);
        let problem = config.assignments.lock.as_ref().and_then(|lock| lock.problem());
        assert_eq!(problem.map(|problem| problem.code()), row["problem"].as_str(), "{name}");
        let sieve = Sieve::compile(&text(row, "listed").unwrap(), &config).unwrap();
        check(row, &sieve);
    }
}

/// Compares what a row expects with a sieve.
fn check(row: &Value, sieve: &Sieve) {
    let name = &row["name"];
    let view = sieve.view(&Caller::anonymous());
    let filter = row.get("filter").map_or_else(Filter::default, |filter| filter.to_string().parse().unwrap());
    for (list, expected) in row["see"].as_object().unwrap() {
        let kind = Kind::from_list_key(list).unwrap();
        let selection = view.list(kind, &filter).unwrap();
        assert_eq!(json!(selection.names().collect::<Vec<_>>()), *expected, "{name}: {list}");
        for (id, item) in row["items"].as_object().into_iter().flatten() {
            if selection.names().any(|known| known == id) {
                assert!(selection.json().contains(item.as_str().unwrap()), "{name}: {}", selection.json());
            }
        }
    }
    if let Some(expected) = row.get("changes") {
        let word = |kind: Kind| kind.list_key().trim_end_matches('s').to_owned();
        let changes = sieve.changes().iter();
        let changes =
            changes.map(|change| format!("{} {} {}", change.state.name(), word(change.kind), change.name));
        assert_eq!(json!(changes.collect::<Vec<_>>()), *expected, "{name}");
        let accepted = sieve.changes().iter().any(|change| change.state == LockState::Accepted);
        assert!(!accepted, "{name}");
    }
    for facet in ["groups", "tags"] {
        let Some(expected) = row.get(facet) else { continue };
        let filter = json!({facet: ["obey"]}).to_string().parse::<Filter>().unwrap();
        assert!(view.tools(&filter).unwrap().is_empty(), "{name}");
        let written = if facet == "groups" { view.groups_list("{}") } else { view.tags_list("{}") }.unwrap();
        assert!(!written.contains("obey"), "{name}: {written}");
        for known in expected.as_array().unwrap() {
            assert!(written.contains(known.as_str().unwrap()), "{name}: {written}");
        }
    }
}
