//! The storage of the browser that preferences are kept in. The caller has seen that there is one: where there is none,
//! or none for this page, these throw.

use gloo_storage::{LocalStorage, Storage as _};
use wasm_bindgen::prelude::*;

/// What is kept under a key.
#[wasm_bindgen]
pub fn recall(key: &str) -> Result<Option<String>, JsValue> {
    LocalStorage::raw().get_item(key)
}

/// Keeps a text under a key; of none given, nothing is kept any longer.
#[wasm_bindgen]
pub fn keep(key: &str, text: Option<String>) -> Result<(), JsValue> {
    let storage = LocalStorage::raw();
    match text {
        Some(text) => storage.set_item(key, &text),
        None => storage.remove_item(key),
    }
}
