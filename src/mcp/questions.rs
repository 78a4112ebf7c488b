//! What a server may ask of a client in the middle of a request, and whether the client can answer.

use serde_json::{Map, Value, json};

use super::Failure;

/// The capability that a client declares to be asked by a method; `None` for what no client is asked.
pub(super) fn capability(method: &str) -> Option<&'static str> {
    match method {
        "sampling/createMessage" => Some("sampling"),
        "elicitation/create" => Some("elicitation"),
        "roots/list" => Some("roots"),
        _ => None,
    }
}

/// Whether the client can answer requests of these methods.
///
/// # Errors
/// The capabilities that it would have to declare and did not.
pub(super) fn able<'a>(methods: impl Iterator<Item = &'a str>, capabilities: &Value) -> Result<(), Failure> {
    let mut missing = Map::new();
    for method in methods {
        let Some(name) = capability(method) else {
            let message = format!("clients are not asked by `{method}`");
            return Err(Failure::internal("input_request", message));
        };
        if !capabilities.get(name).is_some_and(Value::is_object) {
            missing.insert(name.to_owned(), json!({}));
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(Failure::capability(Value::Object(missing))) }
}
