//! The binding `namesSecret`: whether the name of a setting suggests that its value is a secret.

use mcp_sieve_redact::secrets;
use wasm_bindgen::prelude::*;

/// Returns whether the name of a variable, header, option or parameter says that its value is a secret.
#[wasm_bindgen(js_name = namesSecret)]
#[must_use]
pub fn names_secret(name: &str) -> bool {
    secrets::names_secret(name)
}
