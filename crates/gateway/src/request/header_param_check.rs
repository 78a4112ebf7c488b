//! The check that a call repeats its marked arguments as `Mcp-Param-*` headers (revision 2026-07-28).

use http::HeaderMap;
use mcp_sieve::json::Raw;

use crate::{
    backend::header_param,
    protocol::{error::RpcError, headers},
};

/// Checks that the header of every marked argument of the call is present and has the argument's value.
///
/// # Errors
/// A header mismatch for a header that is missing, unreadable or different; `repeated_member` for a duplicate marked
/// argument.
pub(crate) fn check(tool: &[u8], arguments: Option<Raw<'_>>, headers: &HeaderMap) -> Result<(), RpcError> {
    // Catalogs contain no tools with invalid marks.
    let marks =
        std::str::from_utf8(tool).ok().and_then(|tool| header_param::read(tool).ok()).unwrap_or_default();
    if marks.is_empty() {
        return Ok(());
    }
    for mark in &marks {
        if let Some(argument) = mark.find(arguments)? {
            agree(&format!("Mcp-Param-{}", mark.name), argument, headers)?;
        }
    }
    Ok(())
}

fn agree(name: &str, argument: Raw<'_>, headers: &HeaderMap) -> Result<(), RpcError> {
    let text = argument.text();
    let body = text.as_deref().unwrap_or(argument.get());
    let Some(value) = headers::value(headers, name)? else { return Err(RpcError::header(name, None, body)) };
    let decoded = headers::decode(name, &value)?;
    let number = match text {
        None => argument.get().parse::<f64>().ok(),
        Some(_) => None,
    };
    let same = match number {
        // Integers are compared as such, because beyond 2^53 several of them are the same float.
        Some(number) => match (decoded.parse::<i64>(), argument.get().parse::<i64>()) {
            (Ok(header), Ok(body)) => header == body,
            _ => decoded.parse().is_ok_and(|header: f64| header == number),
        },
        None => decoded == body,
    };
    if same { Ok(()) } else { Err(RpcError::header(name, Some(&decoded), body)) }
}
