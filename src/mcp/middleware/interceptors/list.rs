use http::Response;
use serde_json::{Value, json};

use super::{is_for_event, phase};
use crate::{
    json,
    mcp::{http::response::Body, middleware::mount_request::MountRequest},
    middleware::Middleware,
};

/// The oldest compatible protocol revision.
const MIN_PROTOCOL: &str = "2025-03-26";

/// Answers `interceptors/list`.
pub(super) fn list(asked: &MountRequest<'_>) -> Response<Body> {
    let event = asked.message.param("event").and_then(json::text);
    let functions = asked.runtime.registry.functions().enumerate();
    let shown: Vec<Value> = functions
        .filter(|(_, function)| event.as_deref().is_none_or(|event| is_for_event(*function, event)))
        .map(|(at, function)| describe(at, function))
        .collect();
    asked.written(true, |result| {
        result.raw("interceptors", Value::Array(shown).to_string().as_bytes());
    })
}

fn describe(at: usize, function: &dyn Middleware) -> Value {
    let hook = function.hook();
    let schema: Value = serde_json::from_str(function.input_schema()).unwrap_or_default();
    json!({
        "name": function.name(),
        "description": function.description(),
        "type": if hook.changes { "mutation" } else { "validation" },
        "hook": {"events": hook.events, "phase": phase(hook.phase)},
        "mode": "enforce",
        "failOpen": false,
        "priorityHint": at,
        "compat": {"minProtocol": MIN_PROTOCOL},
        "configSchema": schema,
    })
}
