//! Inputs from JavaScript: objects and texts, `undefined` members, cycles, and values that are not JSON.

use js_sys::{Array, Function, Object, Reflect, Set, Uint8Array};
use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::UrlSearchParams;

use super::values;
use crate::{Failure, Sieve, View};

const LISTS: &str = r#"{"tools":[
    {"name":"read","inputSchema":{"type":"object"},"x":1.50},
    {"name":"write","inputSchema":{"type":"object"}}]}"#;

fn view() -> View {
    let config = json!({"rules": [{"match": "name:read", "groups": ["files"], "tags": ["safe"]}]});
    Sieve::new(LISTS.into(), values::object(&config)).unwrap().view(JsValue::UNDEFINED).unwrap()
}

fn set(object: &Object, member: &str, value: &JsValue) {
    Reflect::set(object, &member.into(), value).unwrap();
}

fn code(failure: Failure) -> String {
    values::thrown(&failure.into(), "code").as_string().unwrap()
}

fn message(failure: Failure) -> String {
    values::thrown(&failure.into(), "message").as_string().unwrap()
}

#[wasm_bindgen_test]
fn a_member_that_is_undefined_is_absent() {
    let filter = Object::new();
    set(&filter, "groups", &JsValue::UNDEFINED);
    set(&filter, "tags", &Array::of1(&"safe".into()));
    assert_eq!(view().select("tools", filter.into()).unwrap().names(), ["read"]);
    let config = Object::new();
    set(&config, "rules", &JsValue::UNDEFINED);
    assert!(Sieve::new(LISTS.into(), config.into()).is_ok());
}

#[wasm_bindgen_test]
fn a_value_that_json_lacks_is_refused_with_its_place() {
    let set_of_tags: JsValue = Set::new(&Array::of1(&"safe".into())).into();
    let function: JsValue = Function::new_no_args("").into();
    for (value, expected) in [
        (set_of_tags, "tags: "),
        (function, "tags: "),
        (f64::NAN.into(), "tags: expected a finite number, got NaN"),
        (JsValue::symbol(Some("s")), "tags: "),
    ] {
        let filter = Object::new();
        set(&filter, "tags", &value);
        let failure = view().select("tools", filter.into()).unwrap_err();
        assert_eq!(code(failure.clone()), "json");
        assert!(message(failure.clone()).contains(expected), "{}", message(failure));
    }
}

#[wasm_bindgen_test]
fn an_object_that_contains_itself_is_refused() {
    let filter = Object::new();
    set(&filter, "not", &filter);
    let failure = view().select("tools", filter.clone().into()).unwrap_err();
    assert!(message(failure.clone()).contains("JSON nests deeper than 127 levels"), "{}", message(failure));
    let failure = Sieve::new(filter.into(), JsValue::UNDEFINED).unwrap_err();
    assert_eq!(message(failure), "expected lists that JSON can represent");
}

#[wasm_bindgen_test]
fn an_unknown_member_of_a_configuration_is_refused() {
    let failure = Sieve::new(LISTS.into(), values::object(&json!({"rule": []}))).unwrap_err();
    assert_eq!(code(failure.clone()), "config");
    assert!(message(failure.clone()).contains("`rule`"), "{}", message(failure));
}

#[wasm_bindgen_test]
fn an_unknown_field_and_an_unknown_name_of_a_filter_are_reported() {
    let selection =
        view().select("tools", values::object(&json!({"colour": ["red"], "tags": ["none"]}))).unwrap();
    let ignored = json!([{"field": "colour", "reason": "unknown field"}]);
    assert_eq!(values::array(selection.ignored().unwrap()), ignored);
    let unknown = json!([{"field": "tags[0]", "reason": "unknown tag"}]);
    assert_eq!(values::array(selection.unknown().unwrap()), unknown);
}

#[wasm_bindgen_test]
fn an_unknown_member_of_a_caller_is_refused() {
    let sieve = Sieve::new(LISTS.into(), JsValue::UNDEFINED).unwrap();
    for caller in [json!({"claim": {}}), json!({"client": {"title": "x"}}), json!({"method": 1})] {
        assert_eq!(code(sieve.view(values::object(&caller)).unwrap_err()), "invalid_option", "{caller}");
    }
    assert_eq!(code(sieve.view(values::object(&json!({"claims": []}))).unwrap_err()), "json");
}

#[wasm_bindgen_test]
fn an_unknown_kind_is_refused_with_the_known_ones() {
    let failure = view().select("tool", JsValue::UNDEFINED).unwrap_err();
    assert_eq!(code(failure.clone()), "kind");
    assert_eq!(
        message(failure),
        "unknown kind `tool`, expected one of `tools`, `resources`, `resourceTemplates`, `prompts`, `skills`"
    );
}

#[wasm_bindgen_test]
fn lists_are_text_bytes_or_objects() {
    let list =
        |lists: JsValue| Sieve::new(lists, JsValue::UNDEFINED).unwrap().view(JsValue::UNDEFINED).unwrap();
    let text = |lists: JsValue| list(lists).select("tools", JsValue::UNDEFINED).unwrap().list();
    assert!(text(LISTS.into()).contains(r#""x":1.50"#), "a text is kept as it is");
    assert_eq!(text(Uint8Array::from(LISTS.as_bytes()).into()), text(LISTS.into()));
    assert_eq!(text(js_sys::JSON::parse(LISTS).unwrap()), text(LISTS.into()).replace("1.50", "1.5"));
    let failure = Sieve::new(Uint8Array::from(&[0xff][..]).into(), JsValue::UNDEFINED).unwrap_err();
    assert_eq!(message(failure), "expected lists in UTF-8");
}

#[wasm_bindgen_test]
fn a_configuration_may_be_text_with_comments() {
    let sieve = Sieve::new(LISTS.into(), "{ // none\n}".into()).unwrap();
    assert_eq!(sieve.view(JsValue::NULL).unwrap().select("tools", JsValue::NULL).unwrap().count(), 2);
}

#[wasm_bindgen_test]
fn the_parameters_of_a_url_are_a_filter() {
    let parameters = UrlSearchParams::new_with_str("groups=files&tags=safe").unwrap();
    assert_eq!(view().select("tools", parameters.into()).unwrap().names(), ["read"]);
    let misspelt = UrlSearchParams::new_with_str("group=files").unwrap();
    assert_eq!(code(view().select("tools", misspelt.into()).unwrap_err()), "filter_field");
}

#[wasm_bindgen_test]
fn a_check_refuses_a_caller() {
    let config =
        json!({"checks": [{"name": "staff", "require": "claim.role:staff", "message": "staff only"}]});
    let sieve = Sieve::new(LISTS.into(), values::object(&config)).unwrap();
    assert_eq!(sieve.refusal(JsValue::UNDEFINED).unwrap().as_deref(), Some("staff only"));
    assert_eq!(sieve.refusal(values::object(&json!({"claims": {"role": "staff"}}))).unwrap(), None);
}

#[wasm_bindgen_test]
fn a_selection_counts_tokens_and_searches() {
    let selection = view().select("tools", JsValue::UNDEFINED).unwrap();
    let tokens = values::json(selection.tokens().unwrap());
    assert!(tokens["count"].as_u64().unwrap() > 10, "{tokens}");
    let found = values::array(selection.search("write", None).unwrap());
    assert_eq!(found[0]["name"], "write");
    assert_eq!(values::array(selection.search("write", Some(0)).unwrap()), json!([]));
}

#[wasm_bindgen_test]
fn the_default_of_a_concern_applies_if_the_caller_asks() {
    let config = json!({
        "concerns": [{"name": "cost", "values": ["low", "high"], "default": "low"}],
        "rules": [{"match": "name:write", "concerns": {"cost": "high"}}],
    });
    let view = Sieve::new(LISTS.into(), values::object(&config)).unwrap().view(JsValue::UNDEFINED).unwrap();
    let names = |filter| view.select("tools", values::object(&filter)).unwrap().names();
    assert_eq!(names(json!({})), ["read", "write"]);
    assert_eq!(names(json!({"concerns": {"cost": "high"}})), ["read", "write"]);
    assert_eq!(names(json!({"concerns": {"cost": "low"}})), ["read"]);
    assert_eq!(names(json!({"applyDefaults": true})), ["read"]);
    assert_eq!(values::json(view.facets().unwrap())["concerns"][0]["default"], "low");
}
