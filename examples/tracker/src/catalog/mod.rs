//! The MCP lists of the tracker, and the input schemas of its tools.
//!
//! The lists are data in `catalog/*.json` and include each primitive's groups and tags. The configuration
//! (`sieve.jsonc`) adds the concerns by rule, as it would for an upstream server. Two tools state theirs in
//! `_meta.concerns`, the other form of #1936.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::Value;

/// The list files, formatted for people to read.
const FILES: [&str; 4] = [
    include_str!("tools.json"),
    include_str!("resources.json"),
    include_str!("templates.json"),
    include_str!("prompts.json"),
];

/// The list files as they are sent: a list is passed on byte for byte, so white space is removed here.
static LISTS: LazyLock<[String; 4]> = LazyLock::new(|| FILES.map(compact));

/// Each tool's `inputSchema`, by tool name.
static INPUTS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let [tools, ..] = FILES;
    // Malformed JSON would leave no tools at all, which fails the tests of this crate.
    let mut list: Value = serde_json::from_str(tools).unwrap_or_default();
    let tools = list.get_mut("tools").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
    let inputs = tools.into_iter().filter_map(|mut tool| {
        let name = tool.get("name")?.as_str()?.to_owned();
        Some((name, tool.get_mut("inputSchema")?.take()))
    });
    inputs.collect()
});

/// Returns the results of `tools/list`, `resources/list`, `resources/templates/list` and `prompts/list`.
pub(crate) fn lists() -> [&'static str; 4] {
    LISTS.each_ref().map(String::as_str)
}

/// Returns the `inputSchema` of a tool, or `None` if there is no such tool.
pub(crate) fn input_schema(tool: &str) -> Option<&'static Value> {
    INPUTS.get(tool)
}

/// Removes the white space between JSON tokens. Members keep their order, which parsing into a map would lose.
fn compact(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let kept = json.chars().filter(|c| {
        let inside = quoted;
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            _ => {}
        }
        inside || !c.is_ascii_whitespace()
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn compact_keeps_what_is_said() {
        assert_eq!(compact("{ \"a b\" : [1 , \"x \\\" y\\\\\" , 2 ]\n}"), r#"{"a b":[1,"x \" y\\",2]}"#);
        for (sent, written) in lists().iter().zip(FILES) {
            let [sent, written] = [*sent, written].map(|text| serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(sent, written);
        }
    }

    #[test]
    fn every_listed_tool_is_known_by_its_schema() {
        assert!(INPUTS.len() >= 24, "only {} tools", INPUTS.len());
        assert!(input_schema("server_time").is_some());
        assert!(input_schema("no_such_tool").is_none());
    }
}
