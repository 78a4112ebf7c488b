//! Parses the result of `middleware/invoke` from a middleware server.

use mcp_sieve::json::Members;

use crate::middleware::{Content, MAX_RESULT, Outcome};

/// The refusal reason for functions of middleware servers.
const REFUSED: &str = "remote";

/// Reads the result of `middleware/invoke`. A result whose metadata has `"allow": false` refuses the context.
///
/// # Errors
/// A message about the invalid part, without quoting the result.
pub(crate) fn read(function: &str, result: &[u8]) -> Result<Outcome<'static>, &'static str> {
    let result = std::str::from_utf8(result).ok().and_then(Members::parse).ok_or("expected an object")?;
    if result.get("isError").is_some_and(|failed| failed.get() == "true") {
        return Err("the function failed");
    }
    // Another type is a question or a task: the content in it is not that of the function.
    if result.get("resultType").is_some_and(|kind| kind.text().is_none_or(|kind| kind != "complete")) {
        return Err("it is not complete");
    }
    let content = result.get("content").ok_or("missing `content`")?;
    let content = Content::read_within(content, MAX_RESULT);
    let content =
        content.map_err(|_| "`content` is not an array of content items, or too large")?.into_owned();
    let metadata = result.get("metadata").filter(|metadata| !metadata.is_null());
    if metadata.is_some_and(|metadata| !metadata.is_object()) {
        return Err("`metadata` is not an object");
    }
    let allow = metadata.and_then(Members::read).and_then(|metadata| metadata.get("allow"));
    let outcome =
        Outcome { metadata: metadata.map(|metadata| metadata.get().to_owned()), ..Outcome::new(content) };
    if allow.is_some_and(|allow| allow.get() == "false") {
        return Ok(outcome.refuse(REFUSED, format!("the function `{function}` does not allow the context")));
    }
    Ok(outcome)
}
