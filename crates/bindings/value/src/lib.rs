//! The values that all bindings return to JavaScript: errors and parsed JSON.

use js_sys::JSON;
use js_sys::{Error as JsError, Reflect};
use mcp_sieve::Error;
use wasm_bindgen::JsValue;

/// Returns a JavaScript `Error` with `code`, and with `at` and `path` if they are known.
pub fn refusal(error: &Error) -> JsValue {
    let thrown = JsError::new(&error.to_string());
    let set = |key: &str, value: JsValue| {
        // Setting a property fails only for frozen objects, and this one is new.
        let _ = Reflect::set(&thrown, &key.into(), &value);
    };
    set("code", error.code().into());
    if let Some(at) = error.at() {
        set("at", JsValue::from_f64(at as f64));
    }
    if let Some(path) = error.path() {
        set("path", path.into());
    }
    thrown.into()
}

/// Parses JSON into plain objects and arrays.
pub fn plain(json: Vec<u8>) -> JsValue {
    // The engine only writes UTF-8 and valid JSON.
    JSON::parse(&String::from_utf8(json).unwrap_or_default()).unwrap_or(JsValue::UNDEFINED)
}
