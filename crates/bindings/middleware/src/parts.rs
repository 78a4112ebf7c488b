//! The form in which contexts cross the boundary to JavaScript: an array with the JSON, and then the index of the item
//! and the text for each long text. The `text` of such an item is empty in the JSON.
//!
//! Long texts are not part of the JSON, because escaping and parsing them in JavaScript takes longer than scanning
//! them.

use js_sys::{Array, JsString};
use mcp_sieve::json::Object;
use mcp_sieve_gateway::middleware::Content;
use wasm_bindgen::{JsCast, JsValue};

use super::utf8::{text, utf8};

/// Returns the JSON of a context and its long texts, each with the index of its item.
pub fn read(parts: &Array) -> (String, Vec<(usize, String)>) {
    let index = |part: JsValue| part.as_f64().map_or(usize::MAX, |index| index as usize);
    let long = |part: JsValue| part.dyn_ref::<JsString>().map(utf8).unwrap_or_default();
    let texts = (1..parts.length()).step_by(2).map(|at| (index(parts.get(at)), long(parts.get(at + 1))));
    (parts.get(0).as_string().unwrap_or_default(), texts.collect())
}

/// Writes an object with the content and the members that `write` adds.
///
/// For an unchanged long text, the array has the index of the item with which it was passed instead of the text,
/// because creating a JavaScript string takes longer than scanning it.
pub fn write(content: &Content<'_>, write: impl FnOnce(&mut Object<'_>)) -> Array {
    let (parts, mut out) = (Array::of1(&JsValue::NULL), Vec::new());
    let mut object = Object::open(&mut out);
    for (item, beside) in content.write_beside(object.value("content")) {
        parts.push(&JsValue::from(item as u32));
        parts.push(&match beside.given {
            Some(given) => JsValue::from(given as u32),
            None => JsValue::from_str(&beside.text),
        });
    }
    write(&mut object);
    object.close();
    parts.set(0, text(out).into());
    parts
}
