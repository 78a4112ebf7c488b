//! Tests of argument validation: one row for each supported JSON Schema keyword.

#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::{Value, json};

use super::check;
use crate::catalog;

fn run(properties: Value, given: Value) -> Result<Value, String> {
    let schema = json!({"type": "object", "properties": properties, "required": ["need"], "additionalProperties": false});
    check(&schema, given.as_object().unwrap()).map(Value::from)
}

/// Each row: the schema of `need`, a value that it accepts, one that it rejects, and the expected error text.
#[test]
fn every_keyword_admits_and_refuses() {
    let rows = [
        (
            json!({"type": "string", "minLength": 1, "maxLength": 3}),
            json!("äöü"),
            json!("four"),
            "a string of 1 to 3 characters",
        ),
        (
            json!({"type": "string", "minLength": 1, "maxLength": 3}),
            json!("a"),
            json!(""),
            "a string of 1 to 3 characters",
        ),
        (
            json!({"type": "string", "minLength": 0, "maxLength": 3}),
            json!(""),
            json!(null),
            "a string of at most 3 characters",
        ),
        (json!({"type": "integer", "minimum": 1}), json!(1), json!(0), "an integer from 1"),
        (
            json!({"type": "integer", "minimum": 0, "maximum": 9}),
            json!(9),
            json!(1.5),
            "an integer from 0 to 9",
        ),
        (
            json!({"type": "integer", "minimum": 0, "maximum": 9}),
            json!(0),
            json!("1"),
            "an integer from 0 to 9",
        ),
        (
            json!({"type": "number", "minimum": -90, "maximum": 90}),
            json!(-90.0),
            json!(90.5),
            "a number from -90 to 90",
        ),
        (json!({"type": "boolean"}), json!(false), json!(0), "true or false"),
        (json!({"type": "boolean", "const": true}), json!(true), json!(false), "`true`"),
        (
            json!({"type": "string", "enum": ["a", "b", "c"]}),
            json!("b"),
            json!("B"),
            "one of `a`, `b` or `c`",
        ),
        (
            json!({"type": ["string", "null"], "minLength": 1, "maxLength": 9}),
            json!(null),
            json!(7),
            "a string of 1 to 9 characters or null",
        ),
        (
            json!({"type": "array", "maxItems": 2, "items": {"type": "boolean"}}),
            json!([true]),
            json!([true, true, true]),
            "a list of at most 2 items, each true or false",
        ),
        (
            json!({"type": "array", "uniqueItems": true, "items": {"type": "boolean"}}),
            json!([true, false]),
            json!([true, true]),
            "a list, no two alike, each true or false",
        ),
        (json!({"type": "object", "properties": {}}), json!({}), json!([]), "an object"),
        (
            json!({"type": "string", "format": "date-time"}),
            json!("2026-05-04T09:30:00Z"),
            json!("tomorrow"),
            "an RFC 3339 date and time from 1970 to 2999, such as `2026-05-04T09:30:00Z`",
        ),
    ];
    for (schema, good, bad, expected) in rows {
        let properties = json!({ "need": schema });
        assert_eq!(run(properties.clone(), json!({ "need": good })), Ok(json!({ "need": good })), "{schema}");
        assert_eq!(
            run(properties.clone(), json!({ "need": bad })),
            Err(format!("`need` must be {expected}")),
            "{schema}"
        );
        assert_eq!(run(properties, json!({})), Err(format!("`need` is required, {expected}")), "{schema}");
    }
}

#[test]
fn parts_are_named_by_their_path() {
    let near = json!({"type": "object", "properties": {"latitude": {"type": "number"}}, "required": ["latitude"], "additionalProperties": false});
    let properties =
        json!({"need": near, "names": {"type": "array", "items": {"type": "string", "maxLength": 2}}});
    let refusal =
        run(properties, json!({"need": {"lat": 1}, "names": ["ab", "abc"], "more": 1})).unwrap_err();
    let said = [
        "`more` is not an argument; known are `names` and `need`",
        "`names[1]` must be a string of at most 2 characters",
        "`need.lat` is not an argument; known are `latitude`",
        "`need.latitude` is required, a number",
    ];
    assert_eq!(refusal, said.join("; "));
}

#[test]
fn defaults_are_filled_in_and_whole_floats_are_integers() {
    let properties = json!({"need": {"type": "integer"}, "limit": {"type": "integer", "default": 20}, "other": {"type": "string"}});
    assert_eq!(run(properties, json!({"need": 3.0})), Ok(json!({"need": 3, "limit": 20})));
}

#[test]
fn a_refusal_is_short_whatever_was_given() {
    let given: serde_json::Map<String, Value> =
        (0..500).map(|at| (format!("{}{at}", "x".repeat(500)), json!(1))).collect();
    assert!(check(&json!({"type": "object"}), &given).unwrap_err().len() < 1_000);
}

/// A published keyword that is not enforced would mislead callers.
#[test]
fn the_catalog_uses_no_other_keyword() {
    const KNOWN: [&str; 18] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "minProperties",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "enum",
        "const",
        "default",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "format",
        "description",
    ];
    fn walk(schema: &Value, tool: &str) {
        for (keyword, value) in schema.as_object().unwrap() {
            assert!(KNOWN.contains(&keyword.as_str()), "{tool} uses `{keyword}`");
            match keyword.as_str() {
                "properties" => value.as_object().unwrap().values().for_each(|property| walk(property, tool)),
                "items" => walk(value, tool),
                "format" => assert_eq!(value, "date-time", "{tool}"),
                "additionalProperties" => assert_eq!(value, false, "{tool}"),
                _ => {}
            }
        }
    }
    let [tools, ..] = catalog::lists();
    let list: Value = serde_json::from_str(tools).unwrap();
    for tool in list.get("tools").and_then(Value::as_array).unwrap() {
        walk(tool.get("inputSchema").unwrap(), tool.get("name").and_then(Value::as_str).unwrap());
    }
}
