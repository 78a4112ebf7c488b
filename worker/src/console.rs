//! Lines for the Worker's log. They hold text of servers, callers and stores, so they are escaped. Each begins with the
//! time, or as JSON has it as a member.

use mcp_sieve::time::CivilDate;
use mcp_sieve_gateway::audit::{printable, printable_json};
use serde_json::{Map, Value};

use crate::clock;

/// Writes one line that the operator should look at.
pub(crate) fn warn(line: &str) {
    worker::console_warn!("{} {}", now(), printable(line));
}

/// Writes one line about something that was lost.
pub(crate) fn error(line: &str) {
    worker::console_error!("{} {}", now(), printable(line));
}

fn now() -> String {
    CivilDate::timestamp(clock::now())
}

/// Writes one line of JSON.
pub(crate) fn log(attributes: Map<String, Value>) {
    worker::console_log!("{}", printable_json(&Value::Object(attributes).to_string()));
}
