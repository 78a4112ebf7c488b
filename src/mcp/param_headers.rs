//! `Mcp-Param-*`: arguments that a tool wants repeated as headers, for routing (revision 2026-07-28,
//! `x-mcp-header`).

use http::HeaderMap;
use serde_json::Value;

use super::{Failure, headers};
use crate::json::Raw;

/// Deepest nesting of `properties` that is searched for marks.
const MAX_DEPTH: usize = 8;
const MARK: &str = "x-mcp-header";

/// Checks that every marked argument that the call carries stands in its header, and says the same.
///
/// # Errors
/// A header mismatch for a header that is missing, unreadable or different.
pub(super) fn check(tool: &[u8], arguments: Option<Raw<'_>>, headers: &HeaderMap) -> Result<(), Failure> {
    // Most tools mark nothing; looking for the word spares them the parse.
    if !tool.windows(MARK.len()).any(|window| window == MARK.as_bytes()) {
        return Ok(());
    }
    let tool: Value = serde_json::from_slice(tool).unwrap_or_default();
    let arguments: Value = arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let Some(schema) = tool.get("inputSchema") else { return Ok(()) };
    walk(schema, &arguments, headers, 0)
}

fn walk(schema: &Value, arguments: &Value, headers: &HeaderMap, depth: usize) -> Result<(), Failure> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object).filter(|_| depth < MAX_DEPTH)
    else {
        return Ok(());
    };
    for (key, property) in properties {
        let argument = arguments.get(key).unwrap_or(&Value::Null);
        match property.get(MARK).and_then(Value::as_str) {
            Some(mark) if !argument.is_null() => agree(&format!("Mcp-Param-{mark}"), argument, headers)?,
            Some(_) => {}
            None => walk(property, argument, headers, depth + 1)?,
        }
    }
    Ok(())
}

fn agree(name: &str, argument: &Value, headers: &HeaderMap) -> Result<(), Failure> {
    let body = match argument {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let Some(value) = headers::value(headers, name)? else { return Err(Failure::header(name, None, &body)) };
    let decoded = headers::decode(name, &value)?;
    let same = match argument {
        Value::Number(number) => decoded.parse().is_ok_and(|header: f64| Some(header) == number.as_f64()),
        _ => decoded == body,
    };
    if same { Ok(()) } else { Err(Failure::header(name, Some(&decoded), &body)) }
}
