//! What the operator can be told of each request: one line of attributes, under the names that OpenTelemetry has for
//! MCP and, for what only Sieve knows, under `dev.mcpsieve`. No argument is among them, and no content.

use std::cell::RefCell;

use http::Response;
use serde_json::{Map, Value};

use crate::catalog::PREFIX;

use super::{Failure, Host, MAX_AUDIT_TEXT, context::Asked, message::Message, reply::Body};

/// The attributes of a message under way.
#[derive(Debug, Default)]
pub(super) struct Seen(RefCell<Map<String, Value>>);

impl Seen {
    /// Adds an attribute.
    pub fn say(&self, name: &str, value: impl Into<Value>) {
        self.0.borrow_mut().insert(name.to_owned(), value.into());
    }

    fn text(&self, name: &str, text: &str) {
        self.say(name, text.get(..text.floor_char_boundary(MAX_AUDIT_TEXT)).unwrap_or_default());
    }
}

/// Hands the operator the line of a message that came in at `since`.
pub(super) fn told<H: Host>(
    asked: &Asked<'_, H>,
    message: &Message<'_>,
    since: u64,
    answered: &Result<Response<Body>, Failure>,
) {
    let Some(seen) = asked.seen else { return };
    seen.text("mcp.method.name", &message.method);
    if let Some(id) = message.id {
        seen.text("jsonrpc.request.id", id.get());
    }
    let name = message.text_param("name").ok();
    match (message.method.as_ref(), name) {
        ("tools/call", Some(name)) => {
            seen.say("gen_ai.operation.name", "execute_tool");
            seen.text("gen_ai.tool.name", &name);
        }
        ("prompts/get", Some(name)) => seen.text("gen_ai.prompt.name", &name),
        _ => {}
    }
    if let Err(failure) = answered {
        seen.say("rpc.response.status_code", failure.code.to_string());
        seen.say("error.type", failure.code.to_string());
    }
    // In seconds, as OpenTelemetry has durations; until the answer begins. A clock may go back.
    let ms = asked.host.now().saturating_sub(since);
    seen.say(&format!("{PREFIX}.duration"), ms as f64 / 1000.0);
    asked.host.log(seen.0.take());
}
