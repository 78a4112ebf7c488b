//! The method `interceptors/list`: describes middleware functions as interceptors.

use http::Response;
use serde_json::{Value, json};

use super::hooks;
use crate::{
    middleware::Middleware,
    mount::mount_request::MountRequest,
    protocol::{error::RpcError, response::Body},
};

/// The oldest compatible protocol revision.
const MIN_PROTOCOL: &str = "2025-03-26";

/// Where the functions of this server stand among interceptors without a hint, whose priority is 0. Redaction comes
/// before what others add to a request, and restoration after what they do to a response. The draft recommends such
/// numbers for the sanitization of requests.
const BEFORE_OTHERS: i32 = -100_000;
const AFTER_OTHERS: i32 = 100_000;

/// Answers `interceptors/list`.
pub(super) fn list(request: &MountRequest<'_>) -> Result<Response<Body>, RpcError> {
    let event = match request.message.param("event") {
        Some(_) => Some(request.message.text_param("event")?),
        None => None,
    };
    if event.as_deref().is_some_and(|event| event.contains('*')) {
        return Err(RpcError::params("`event` is a pattern, expected the name of one event"));
    }
    let functions = (0..).zip(request.runtime.registry.functions());
    let shown: Value = functions
        .filter(|(_, function)| {
            event.as_deref().is_none_or(|event| hooks::is_for_event(&function.hook(), event))
        })
        .map(|(at, function)| describe(at, function))
        .collect();
    Ok(request.written(true, |result| result.raw("interceptors", shown.to_string().as_bytes())))
}

fn describe(at: i32, function: &dyn Middleware) -> Value {
    let hook = function.hook();
    let schema: Value = serde_json::from_str(function.input_schema()).unwrap_or_default();
    json!({
        "name": function.name(),
        "description": function.description(),
        "type": if hook.changes { "mutation" } else { "validation" },
        "hooks": hooks::written(&hook),
        "mode": "active",
        "failOpen": false,
        "priorityHint": {"request": BEFORE_OTHERS + at, "response": AFTER_OTHERS + at},
        "compat": {"minProtocol": MIN_PROTOCOL},
        "configSchema": schema,
    })
}
