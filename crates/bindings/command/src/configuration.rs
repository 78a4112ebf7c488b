//! Small bindings for configurations (access without a token, member offsets) and for joining lists.

use mcp_sieve_bindings_value::refusal;
use mcp_sieve_gateway::{
    config::{self, Config},
    upstream::join_revisions,
};
use wasm_bindgen::prelude::*;

/// Returns whether a gateway with this configuration (JSONC) serves callers without a token.
#[wasm_bindgen(js_name = admitsStrangers)]
pub fn admits_strangers(config: &str) -> Result<bool, JsValue> {
    let config = Config::parse(config).map_err(|error| refusal(&error))?;
    Ok(config::admits_strangers(&config))
}

/// Joins the lists that a server of both revisions returns to stateless requests and in sessions.
///
/// Both are JSON arrays of list results. The result marks primitives that only one of them lists, and reports
/// definitions that differ.
#[wasm_bindgen(js_name = joinRevisions)]
pub fn join(stateless: &str, session: &str) -> String {
    join_revisions(stateless, session)
}

/// Returns the byte offset of the member at `path` in a configuration.
#[wasm_bindgen]
pub fn locate(config: &str, path: &str) -> Option<usize> {
    config::locate(config, path).map(|range| range.start)
}
