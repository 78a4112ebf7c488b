//! The storage of the browser, for preferences. The caller must check that it is available: these functions throw if
//! the browser or the page has none.

use gloo_storage::{LocalStorage, Storage as _};
use wasm_bindgen::prelude::*;

/// Returns the text that is stored under a key.
#[wasm_bindgen]
pub fn recall(key: &str) -> Result<Option<String>, JsValue> {
    LocalStorage::raw().get_item(key)
}

/// Stores a text under a key. Without a text, removes the stored one.
#[wasm_bindgen]
pub fn keep(key: &str, text: Option<String>) -> Result<(), JsValue> {
    let storage = LocalStorage::raw();
    match text {
        Some(text) => storage.set_item(key, &text),
        None => storage.remove_item(key),
    }
}
