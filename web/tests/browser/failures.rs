//! Errors that the crate throws: code, path and position.

use js_sys::Error;
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use super::values;
use crate::Sieve;

#[wasm_bindgen_test]
fn an_error_has_a_code_a_path_and_a_position() {
    let config = json!({"rules": [{"match": "name:"}]});
    let error = JsValue::from(Sieve::new("{}".into(), values::object(&config)).unwrap_err());
    assert_eq!(error.unchecked_ref::<Error>().name(), "SieveError");
    assert_eq!(values::thrown(&error, "code"), "config");
    assert_eq!(values::thrown(&error, "path"), "rules[0].match");
    let error = JsValue::from(Sieve::new("{\"tools\": [".into(), JsValue::UNDEFINED).unwrap_err());
    assert_eq!(values::thrown(&error, "code"), "json");
    assert_eq!(values::thrown(&error, "at"), 11);
    assert_eq!(values::thrown(&error, "path"), JsValue::UNDEFINED);
}
