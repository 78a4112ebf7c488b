//! Lines for the Worker's log. Servers, callers and stores have their words in them, so that they are escaped.

use mcp_sieve::mcp::{printable, printable_json};
use serde_json::{Map, Value};

/// Writes one line that the operator should look at.
pub(crate) fn warn(line: &str) {
    worker::console_warn!("{}", printable(line));
}

/// Writes one line about something that was lost.
pub(crate) fn error(line: &str) {
    worker::console_error!("{}", printable(line));
}

/// Writes one line of JSON.
pub(crate) fn log(attributes: Map<String, Value>) {
    worker::console_log!("{}", printable_json(&Value::Object(attributes).to_string()));
}
