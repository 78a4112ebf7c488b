//! Small bindings for configurations: access without a token, and member offsets.

use mcp_sieve_bindings_value::refusal;
use mcp_sieve_gateway::config::{self, Config};
use wasm_bindgen::prelude::*;

/// Returns whether a gateway with this configuration (JSONC) serves callers without a token.
#[wasm_bindgen(js_name = admitsStrangers)]
pub fn admits_strangers(config: &str) -> Result<bool, JsValue> {
    let config = Config::parse(config).map_err(|error| refusal(&error))?;
    Ok(config::admits_strangers(&config))
}

/// Returns the byte offset of the member at `path` in a configuration.
#[wasm_bindgen]
pub fn locate(config: &str, path: &str) -> Option<usize> {
    config::locate(config, path).map(|range| range.start)
}
