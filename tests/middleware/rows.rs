//! The rows of the fixtures.

use futures_executor::block_on;
use mcp_sieve_gateway::middleware::Registry;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

use super::world::{World, value};

/// Returns the actual result if it differs from the expected one of the row.
fn differs(row: &Value, registry: &Registry) -> Option<String> {
    let world = World::from_row(row);
    let arguments = row.get("arguments").map(ToString::to_string);
    let context = row["context"].to_string();
    let function = row["function"].as_str().unwrap();
    let found = block_on(registry.invoke(function, arguments.as_deref(), &context, &world));
    let found = match (found, row.get("error")) {
        (Err(error), Some(expected)) => {
            let found = json!({"code": error.code(), "path": error.path(), "message": error.to_string()});
            let same = expected.as_object().unwrap().iter().all(|(key, value)| found[key] == *value);
            return (!same).then(|| found.to_string());
        }
        (Ok(outcome), None) => value(&outcome),
        (Ok(outcome), Some(_)) => return Some(value(&outcome).to_string()),
        (Err(error), None) => return Some(error.to_string()),
    };
    let whole = row.get("result").is_none_or(|result| *result == found);
    let mut parts = row["at"].as_object().into_iter().flatten();
    let parts = parts.all(|(at, value)| found.pointer(at).unwrap_or(&Value::Null) == value);
    let kept = row.get("kept").is_none_or(|kept| *kept == Value::from(world.kept.take()));
    (!whole || !parts || !kept).then(|| found.to_string())
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn rows() {
    let files = [
        include_str!("../fixtures/middleware.json"),
        include_str!("../fixtures/middleware-pii.json"),
        include_str!("../fixtures/middleware-secrets.json"),
        include_str!("../fixtures/middleware-moderation.json"),
    ];
    let rows = files.iter().flat_map(|rows| serde_json::from_str::<Vec<Value>>(rows).unwrap());
    let registry = Registry::built_in();
    let failed: Vec<String> = rows
        .filter_map(|row| Some(format!("{}: found {}", row["name"], differs(&row, &registry)?)))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Tests custom policies and patterns, and configurations that are rejected.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn own_policies_and_patterns() {
    let fixture: Value = serde_json::from_str(include_str!("../fixtures/middleware-own.json")).unwrap();
    let built = |policies: Option<&Value>, patterns: Option<&Value>| {
        let [policies, patterns] = [policies, patterns].map(|own| own.map(ToString::to_string));
        Registry::built_in_with(policies.as_deref(), patterns.as_deref())
    };
    let registry = built(fixture.get("policies"), fixture.get("patterns")).unwrap();
    let rows = fixture["rows"].as_array().unwrap().iter();
    let mut failed: Vec<String> =
        rows.filter_map(|row| Some(format!("{}: found {}", row["name"], differs(row, &registry)?))).collect();
    for row in fixture["refused"].as_array().unwrap() {
        let error = built(row.get("policies"), row.get("patterns")).expect_err(&row["name"].to_string());
        let found = json!({"code": error.code(), "path": error.path(), "message": error.to_string()});
        if found != row["error"] {
            failed.push(format!("{}: found {found}", row["name"]));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
