//! `Mcp-Param-*`: whether a call repeats its marked arguments as headers (revision 2026-07-28).

use http::HeaderMap;
use serde_json::Value;

use super::{Failure, headers, marks};
use crate::json::Raw;

/// Checks that every marked argument that the call carries stands in its header, and says the same.
///
/// # Errors
/// A header mismatch for a header that is missing, unreadable or different.
pub(super) fn check(tool: &[u8], arguments: Option<Raw<'_>>, headers: &HeaderMap) -> Result<(), Failure> {
    // A tool whose marks cannot be read is in no catalog.
    let marks = marks::read(tool).unwrap_or_default();
    if marks.is_empty() {
        return Ok(());
    }
    let arguments: Value = arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    for mark in &marks {
        match mark.of(&arguments) {
            None | Some(Value::Null) => {}
            Some(argument) => agree(&format!("Mcp-Param-{}", mark.name), argument, headers)?,
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
        // Whole numbers as such: beyond 2^53 several of them are one float.
        Value::Number(number) => match (decoded.parse::<i64>(), number.as_i64()) {
            (Ok(header), Some(body)) => header == body,
            _ => decoded.parse().is_ok_and(|header: f64| Some(header) == number.as_f64()),
        },
        _ => decoded == body,
    };
    if same { Ok(()) } else { Err(Failure::header(name, Some(&decoded), &body)) }
}
