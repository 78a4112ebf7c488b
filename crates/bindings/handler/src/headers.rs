//! The headers of callers that handlers receive.

use mcp_sieve_gateway::config::may_pass;
use wasm_bindgen::prelude::*;
use web_sys::Headers;

/// Returns the headers of a caller that are forwarded to the handler: all except those of the client's connection and
/// those that the core itself writes.
///
/// # Errors
/// Errors that the platform throws.
#[wasm_bindgen(js_name = passedHeaders)]
pub fn passed(given: &Headers) -> Result<Headers, JsValue> {
    let passed = Headers::new_with_headers(given)?;
    let mut kept_back = Vec::new();
    let mut judge = |_: String, name: String| {
        if !may_pass(&name) {
            kept_back.push(name);
        }
    };
    let each = ScopedClosure::<dyn FnMut(String, String)>::borrow_mut_aborting(&mut judge);
    given.for_each(each.as_ref().unchecked_ref())?;
    drop(each);
    kept_back.iter().try_for_each(|name| passed.delete(name))?;
    Ok(passed)
}
