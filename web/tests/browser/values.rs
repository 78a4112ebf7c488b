//! Values of JavaScript in tests.

use js_sys::{JSON, Reflect};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};

/// Returns the object of a JSON text, or the text itself if an object cannot represent it, as with repeated members.
pub fn object_or_text(source: &str) -> JsValue {
    let object = JSON::parse(source).ok().filter(JsValue::is_object);
    let same = object.filter(|object| JSON::stringify(object).is_ok_and(|written| written == source));
    same.unwrap_or_else(|| source.into())
}

/// Returns the object of a JSON value.
pub fn object(value: &Value) -> JsValue {
    JSON::parse(&value.to_string()).unwrap()
}

/// Returns a plain value as JSON.
pub fn json(value: impl Into<JsValue>) -> Value {
    let text = JSON::stringify(&value.into()).unwrap().as_string().unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns plain values as JSON.
pub fn array<T: Into<JsValue>>(values: Vec<T>) -> Value {
    values.into_iter().map(|value| json(value)).collect()
}

/// Returns a member of an error, which must be an `Error`.
pub fn thrown(error: &JsValue, member: &str) -> JsValue {
    assert!(error.is_instance_of::<js_sys::Error>(), "what is thrown is an Error");
    Reflect::get(error, &member.into()).unwrap()
}
