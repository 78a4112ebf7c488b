//! The values that all bindings return to JavaScript: errors and parsed JSON.

use js_sys::JSON;
use js_sys::{Error as JsError, Reflect};
use mcp_sieve::Error;
use wasm_bindgen::JsValue;

/// Returns a JavaScript `Error` with `code`, and with `at` and `path` if they are known.
pub fn refusal(error: &Error) -> JsValue {
    let thrown = failure(error.code(), &error.to_string());
    if let Some(at) = error.at() {
        set(&thrown, "at", JsValue::from_f64(at as f64));
    }
    if let Some(path) = error.path() {
        set(&thrown, "path", path.into());
    }
    thrown
}

/// Returns a JavaScript `Error` with `code`.
pub fn failure(code: &str, message: &str) -> JsValue {
    let thrown = JsError::new(message).into();
    set(&thrown, "code", code.into());
    thrown
}

fn set(thrown: &JsValue, key: &str, value: JsValue) {
    // Setting a property fails only for frozen objects, and this one is new.
    let _ = Reflect::set(thrown, &key.into(), &value);
}

/// Parses JSON into plain objects and arrays.
pub fn plain(json: Vec<u8>) -> JsValue {
    // The engine only writes UTF-8 and valid JSON.
    JSON::parse(&String::from_utf8(json).unwrap_or_default()).unwrap_or(JsValue::UNDEFINED)
}
