//! The rows of `tests/fixtures/picker.json` through the picker of this crate.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    corpus::rows::{Row, run, same},
    values,
};
use crate::{Failure, Picker, Sieve};

#[wasm_bindgen_test]
fn rows() {
    run("picker.json", include_str!("../../../tests/fixtures/picker.json"), "the picker of a page", |row| {
        let (lists, config) = row.world();
        let config = config.map_or(JsValue::UNDEFINED, JsValue::from);
        let mut picker = Sieve::new(lists.into(), config).unwrap().view(JsValue::UNDEFINED).unwrap().picker();
        let steps: Vec<Vec<Value>> = row.get("steps").ok_or("the row has no steps")?;
        let outcomes: Vec<Result<bool, Failure>> = steps.iter().map(|step| take(&mut picker, step)).collect();
        let code = outcomes
            .iter()
            .find_map(|outcome| outcome.as_ref().err())
            .map(|failure| values::thrown(&failure.clone().into(), "code").as_string().unwrap());
        same("error", &code, &row.get("error"))?;
        if let Some(changed) = row.get::<Vec<bool>>("changed") {
            let found: Vec<bool> = outcomes.into_iter().map(|outcome| outcome.unwrap_or(false)).collect();
            same("changed", &found, &changed)?;
        }
        expect(&picker, &row.inner("expect").ok_or("the row expects nothing")?)
    });
}

/// Takes one step; returns whether it changed anything.
fn take(picker: &mut Picker, step: &[Value]) -> Result<bool, Failure> {
    let text = |at: usize| step[at].as_str().unwrap_or_default();
    let on = |at: usize| step[at].as_bool().unwrap();
    let kind = |at: usize| step.get(at).map_or("tools", |kind| kind.as_str().unwrap());
    let group = |picker: &Picker| {
        let groups = values::array(picker.groups().unwrap());
        groups.as_array().unwrap().iter().position(|node| node["group"]["name"] == text(1)).unwrap()
    };
    match text(0) {
        "toggle" => picker.toggle(group(picker)),
        "exclude" => picker.exclude(group(picker)),
        "mark" => picker.mark(text(1), text(2)),
        "setConcern" => {
            let values = match &step[2] {
                Value::Null => vec![],
                Value::String(text) => vec![text.clone()],
                other => vec![other.to_string()],
            };
            picker.set_concern(text(1), values)
        }
        "setQuery" => picker.set_query(text(1)),
        "setLimit" => {
            let most = |key: &str| step[1].get(key).and_then(Value::as_u64).map(|most| most as u32);
            picker.set_limit(most("count"), most("tokens"))
        }
        "setDisabled" => picker.set_disabled(kind(3), text(1), on(2)),
        "setUsed" => picker.set_used(kind(3), text(1), on(2)),
        "setFavorite" => picker.set_favorite(kind(3), text(1), on(2)),
        "setOnlyFavorites" => picker.set_only_favorites(on(1)),
        "set" => picker.set(values::object(&step[1])),
        "begin" => picker.begin(values::object(&step[1])),
        "prefer" => picker.prefer(text(1)),
        "undo" => Ok(picker.undo()),
        "redo" => Ok(picker.redo()),
        "kind" => picker.show_kind(text(1)).map(|()| false),
        "show" => picker.show(text(1)).map(|()| false),
        "find" => {
            picker.find(text(1));
            Ok(false)
        }
        other => panic!("no step is called {other}"),
    }
}

/// Compares the picker with the expectations of a row.
fn expect(picker: &Picker, row: &Row) -> Result<(), String> {
    if let Some(filter) = row.value("filter") {
        same("filter", &values::json(picker.filter().unwrap()), &filter)?;
    }
    let summary = values::json(picker.summary().unwrap());
    let rows = values::array(picker.rows(0, usize::MAX).unwrap());
    let rows = rows.as_array().unwrap();
    same("number of rows", &summary["rows"], &json!(rows.len()))?;
    let named = |name: &str| rows.iter().find(|row| row["name"] == name);
    if row.has("rows") {
        same("rows", &rows.iter().map(|row| text(&row["name"])).collect(), &row.names("rows"))?;
    }
    for (name, rules) in row.get::<BTreeMap<String, Vec<String>>>("reasons").unwrap_or_default() {
        let reasons = named(&name).map_or(&[][..], |row| row["reasons"].as_array().unwrap());
        same(&name, &reasons.iter().map(|reason| text(&reason["rule"])).collect(), &rules)?;
    }
    for (name, rank) in row.get::<BTreeMap<String, Value>>("ranks").unwrap_or_default() {
        let found = named(&name).and_then(|row| row.get("rank")).ok_or("no rank")?;
        same(&format!("rank of {name}"), found, &rank)?;
    }
    if let Some(budget) = row.value("budget") {
        let found =
            ["candidates", "candidateTokens", "dropped"].map(|key| (key.to_owned(), summary[key].clone()));
        same("budget", &Value::Object(Map::from_iter(found)), &budget)?;
    }
    if let Some(kept) = row.get::<String>("preferences") {
        same("preferences", &picker.preferences(), &kept)?;
    }
    if let Some(steps) = row.value("steps") {
        same("steps", &json!([summary["undo"], summary["redo"]]), &steps)?;
    }
    let groups = values::array(picker.groups().unwrap());
    let tags = values::array(picker.tags().unwrap());
    let node = |name: &str| {
        let group = groups.as_array().unwrap().iter().rfind(|node| node["group"]["name"] == name);
        group.or_else(|| tags.as_array().unwrap().iter().find(|tag| tag["tag"]["name"] == name)).unwrap()
    };
    for (member, found) in [("states", "state"), ("marks", "mark"), ("members", "members"), ("left", "left")]
    {
        for (name, expected) in row.get::<BTreeMap<String, Value>>(member).unwrap_or_default() {
            same(&format!("{member} of {name}"), &node(&name)[found], &expected)?;
        }
    }
    if let Some(expected) = row.value("values") {
        let concerns = values::array(picker.concerns().unwrap());
        let found = concerns.as_array().unwrap().iter().map(|entry| {
            let options = entry["options"].as_array().unwrap().iter();
            let options = options
                .map(|option| json!([option["value"], option["chosen"], option["members"], option["left"]]));
            (text(&entry["concern"]["name"]), options.collect())
        });
        same("values", &Value::Object(found.collect()), &expected)?;
    }
    Ok(())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[wasm_bindgen_test]
fn an_unknown_word_is_refused_with_the_known_ones() {
    let sieve = Sieve::new(r#"{"tools":[]}"#.into(), JsValue::UNDEFINED).unwrap();
    let mut picker = sieve.view(JsValue::UNDEFINED).unwrap().picker();
    let message = |failure: Failure| values::thrown(&failure.into(), "message").as_string().unwrap();
    let refused = message(picker.mark("read", "maybe").unwrap_err());
    assert_eq!(refused, "unknown mark `maybe`, expected one of `any`, `must`, `not`");
    let refused = message(picker.show("some").unwrap_err());
    assert_eq!(refused, "unknown rows `some`, expected one of `left`, `hidden`, `dropped`, `all`");
    assert!(picker.show_kind("tool").is_err());
    assert_eq!(picker.kind(), "tools");
}

#[wasm_bindgen_test]
fn a_call_returns_a_thousand_rows_at_most() {
    let tool = |at| json!({"name": format!("t{at}"), "inputSchema": {"type": "object"}});
    let lists = json!({"tools": (0..1_100).map(tool).collect::<Vec<_>>()});
    let sieve = Sieve::new(values::object(&lists), JsValue::UNDEFINED).unwrap();
    let picker = sieve.view(JsValue::UNDEFINED).unwrap().picker();
    assert_eq!(picker.rows(0, usize::MAX).unwrap().len(), 1000);
    assert_eq!(values::array(picker.rows(1_099, 2_000).unwrap())[0]["name"], "t1099");
    assert_eq!(picker.rows(5, 2).unwrap().len(), 0);
}
