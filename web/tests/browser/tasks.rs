//! Filters of tasks: the rows of `tests/fixtures/tasks.json`, and pages.

#[path = "../../../tests/tasks/corpus.rs"]
mod rows;

use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::values;
use crate::{Failure, TaskFilter};

#[wasm_bindgen_test]
fn rows_as_objects() {
    rows::check(|tasks, params| select(tasks, params).unwrap_or_else(described));
}

fn select(tasks: &[Value], params: &Value) -> Result<Value, Failure> {
    let filter = TaskFilter::new(values::object(params))?;
    let selected = filter.select(values::object(&json!(tasks)))?;
    let ids: Vec<&Value> = selected.iter().map(|at| &tasks[*at as usize]["taskId"]).collect();
    let mut ignored = values::array(filter.ignored()?);
    // The rows do not say what was probably meant.
    ignored
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(|part| _ = part.as_object_mut().unwrap().remove("meant"));
    Ok(json!({"select": ids, "ignored": ignored, "unknown": values::array(filter.unknown()?)}))
}

fn described(failure: Failure) -> Value {
    let error = JsValue::from(failure);
    let text = |member: &str| values::thrown(&error, member).as_string();
    json!({"code": text("code"), "message": text("message"), "path": text("path")})
}

/// A list of five tasks, one of which has expired.
fn tasks() -> JsValue {
    let task = |id: usize| {
        json!({
            "taskId": id.to_string(),
            "status": "working",
            "createdAt": format!("2026-07-28T10:00:0{id}Z"),
            "lastUpdatedAt": format!("2026-07-28T10:00:0{id}Z"),
            "ttl": if id == 2 { json!(1) } else { Value::Null },
        })
    };
    values::object(&(0..5).map(task).collect())
}

#[wasm_bindgen_test]
fn pages_follow_each_other_and_skip_expired_tasks() {
    let filter = TaskFilter::new(values::object(&json!({"order": "asc"}))).unwrap();
    let mut pages = Vec::new();
    let mut cursor = None;
    loop {
        let page = values::json(filter.page(tasks(), cursor.take(), Some(2)).unwrap());
        pages.push(page["indices"].clone());
        match page.get("nextCursor") {
            Some(next) => cursor = next.as_str().map(str::to_owned),
            None => break,
        }
    }
    assert_eq!(pages, [json!([0, 1]), json!([3, 4])]);
}

#[wasm_bindgen_test]
fn a_cursor_of_another_filter_is_refused() {
    let ascending = TaskFilter::new(values::object(&json!({"order": "asc"}))).unwrap();
    let page = values::json(ascending.page(tasks(), None, Some(1)).unwrap());
    let cursor = page["nextCursor"].as_str().unwrap().to_owned();
    let other = TaskFilter::new(JsValue::UNDEFINED).unwrap();
    let refused = other.page(tasks(), Some(cursor), None).err().map(described).unwrap();
    assert_eq!(refused["code"], "cursor_filter_mismatch");
}

#[wasm_bindgen_test]
fn the_capability_names_the_methods() {
    let capability = values::json(TaskFilter::capability(vec!["tools/call".to_owned()]).unwrap());
    assert_eq!(capability["methods"], json!(["tools/call"]), "{capability}");
}

#[wasm_bindgen_test]
fn the_applied_filter_is_canonical() {
    let filter =
        TaskFilter::new(values::object(&json!({"filter": {"status": ["failed", "failed"]}}))).unwrap();
    assert_eq!(
        values::json(filter.filter().unwrap()),
        json!({"order": "desc", "orderBy": "lastUpdatedAt", "status": ["failed"]})
    );
}
