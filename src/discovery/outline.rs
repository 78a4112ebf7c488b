//! Writes a tool as an outline: its name and one line, without the schema of its arguments.

use crate::{
    catalog::ToolUi,
    json::{Members, Object, Raw},
};

use super::{Tools, line::line};

/// The members of a definition that an outline keeps as they are: hosts decide by them whether to ask a user, and
/// whether to request a task.
const KEPT: [&str; 2] = ["annotations", "execution"];
/// The keyword of arguments that clients repeat in a header. Without the schema, their calls would lack it.
const IN_HEADER: &str = "\"x-mcp-header\"";
/// The schema of an outline, which accepts every object.
const ANY_OBJECT: &str = r#"{"type":"object"}"#;

impl Tools<'_> {
    /// Appends a tool, given as its JSON, with its name, the first line of its description, and a schema that accepts
    /// every object. A tool without a description gets its title as its line. What a host needs to call the tool and to
    /// show its user interface is kept.
    pub fn push_outline(tool: &[u8], out: &mut Vec<u8>) {
        let members = std::str::from_utf8(tool).ok().and_then(Members::parse).unwrap_or_default();
        let text = |key: &str| members.get(key).and_then(Raw::text).filter(|text| !text.trim().is_empty());
        let mut object = Object::open(out);
        if let Some(name) = members.get("name") {
            object.raw("name", name.get().as_bytes());
        }
        if let Some(description) = text("description").or_else(|| text("title")) {
            object.text("description", &line(&description));
        }
        let schema = members.get("inputSchema").map(Raw::get).filter(|schema| schema.contains(IN_HEADER));
        object.raw("inputSchema", schema.unwrap_or(ANY_OBJECT).as_bytes());
        for (key, value) in KEPT.iter().filter_map(|key| Some((key, members.get(key)?))) {
            object.raw(key, value.get().as_bytes());
        }
        let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
        if ToolUi::KEYS.iter().any(|key| meta.get(key).is_some()) {
            let mut inner = Object::open(object.value("_meta"));
            for (key, value) in meta.0.iter().filter(|(key, _)| ToolUi::KEYS.contains(&key.as_ref())) {
                inner.raw(key, value.get().as_bytes());
            }
            inner.close();
        }
        object.close();
    }
}

#[cfg(test)]
mod tests {
    use super::Tools;

    fn outline(tool: &str) -> String {
        let mut out = Vec::new();
        Tools::push_outline(tool.as_bytes(), &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn an_outline_has_the_name_a_line_and_the_annotations() {
        let tool = r#"{"annotations":{"readOnlyHint":true},"name":"a","title":"T","description":"Does it. Twice.","inputSchema":{"type":"object","required":["b"]},"outputSchema":{"type":"object"}}"#;
        let expected = r#"{"name":"a","description":"Does it.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#;
        assert_eq!(outline(tool), expected);
        assert_eq!(outline(expected), expected);
    }

    #[test]
    fn an_outline_keeps_what_a_host_needs() {
        let kept = r#"{"name":"a","inputSchema":{"properties":{"b":{"type":"string","x-mcp-header":"B"}}},"execution":{"taskSupport":"required"},"_meta":{"ui":{"resourceUri":"ui://a"}}}"#;
        assert_eq!(outline(kept), kept);
        let more = kept.replace(r#""_meta":{"#, r#""outputSchema":{},"_meta":{"tags":["x"],"#);
        assert_eq!(outline(&more), kept);
    }

    #[test]
    fn a_title_takes_the_place_of_a_description() {
        let titled = outline(r#"{"name":"a","title":"Does it","description":" ","inputSchema":{}}"#);
        assert_eq!(titled, r#"{"name":"a","description":"Does it","inputSchema":{"type":"object"}}"#);
        assert_eq!(outline(r#"{"name":"a"}"#), r#"{"name":"a","inputSchema":{"type":"object"}}"#);
    }
}
