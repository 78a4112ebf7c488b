//! Finds the names of tools in answers and tool calls.

use std::borrow::Cow;

use mcp_sieve::json::{self, Members};

/// Returns the texts in backticks that look like the name of a tool: letters, digits, `-` and at least one `_`.
pub(crate) fn find_tool_names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(|name| name.strip_suffix("()").unwrap_or(name)).filter(|name| {
        let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        name.len() > 2 && name.contains('_') && name.chars().all(letters)
    })
}

/// Returns the name of the tool that a content item calls, if it is a call.
pub(crate) fn called_tool(item: &str) -> Option<Cow<'_, str>> {
    let members = Members::parse(item)?;
    let text = |key| members.get(key).and_then(json::Raw::text);
    let is_call = text("type").is_some_and(|kind| kind == "tool_use" || kind == "dev.mcpsieve/tool_call");
    text("name").filter(|_| is_call)
}
