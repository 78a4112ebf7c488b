//! Which settings hold secrets.

use wasm_bindgen::prelude::*;

use crate::middleware::secrets;

/// Returns whether the name of a variable, header, option or parameter says that its value is a secret.
#[wasm_bindgen(js_name = namesSecret)]
#[must_use]
pub fn names_secret(name: &str) -> bool {
    secrets::names_secret(name)
}
