//! The rows of `tests/fixtures/tasks.json`.

use mcp_sieve::{
    filter::{OnUnknownMember, ParsedFilter},
    json::Raw,
    task::TaskFilter,
};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn tasks() {
    check(select);
}

/// Checks each row with `select`, which returns `{select, ignored, unknown}` or an error of `{code, message, path}` for the
/// tasks and the parameters of a list.
pub fn check(select: impl Fn(&[Value], &Value) -> Value) {
    let file: Value = serde_json::from_str(include_str!("../fixtures/tasks.json")).unwrap();
    let tasks = file["tasks"].as_array().unwrap();
    let mut failures = Vec::new();
    for row in file["rows"].as_array().unwrap() {
        let found = select(tasks, &row["params"]);
        let report = |member: &str| row.get(member).cloned().unwrap_or_else(|| json!([]));
        let expected = match row.get("error") {
            Some(error) => error.clone(),
            None => json!({
                "select": row["select"],
                "ignored": report("ignored"),
                "unknown": report("unknown"),
            }),
        };
        if found != expected {
            failures.push(format!("{}\n  found    {found}\n  expected {expected}", row["name"]));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn select(tasks: &[Value], params: &Value) -> Value {
    let (params, listed) = (params.to_string(), json!(tasks).to_string());
    let read = |params: &str| TaskFilter::read(Some(Raw::parse(params).unwrap()), OnUnknownMember::Error);
    match read(&params) {
        Err(error) => json!({"code": error.code(), "message": error.to_string(), "path": error.path()}),
        Ok(ParsedFilter { filter, ignored, unknown, .. }) => {
            let ignored: Vec<_> =
                ignored.iter().map(|part| json!({"field": part.field, "reason": part.reason})).collect();
            let kept = filter.select(Raw::parse(&listed).unwrap()).unwrap();
            let ids: Vec<&Value> = kept.iter().map(|at| &tasks[*at as usize]["taskId"]).collect();
            // The canonical form of a filter is the same filter.
            let canonical = format!("{{\"filter\":{}}}", String::from_utf8(filter.canonical()).unwrap());
            let again = read(&canonical).unwrap().filter;
            assert_eq!(again.hash(), filter.hash(), "{canonical}");
            let unknown: Vec<_> =
                unknown.iter().map(|name| json!({"field": name.field, "reason": name.reason})).collect();
            json!({"select": ids, "ignored": ignored, "unknown": unknown})
        }
    }
}
