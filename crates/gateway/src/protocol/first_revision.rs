//! Results and notifications for clients of revision 2024-11-05, without the members that later revisions added. Some
//! of these clients refuse a message with content of a type that they do not know.

use std::borrow::Cow;

use mcp_sieve::json::{Members, Object, Raw};

use crate::protocol::method::Method;

/// Members of an implementation's description that came later.
const IMPLEMENTATION: &[&str] = &["title", "description", "icons", "websiteUrl"];
/// Capabilities of a server that came later.
const CAPABILITIES: &[&str] = &["completions", "tasks"];
/// Members of a tool that came later.
const TOOL: &[&str] = &["title", "annotations", "outputSchema", "icons", "execution"];
/// Members of a prompt, an argument of one, a resource or a template that came later.
const NAMED: &[&str] = &["title", "icons"];

/// Returns the result of a method without members that came after revision 2024-11-05. Content of later types is
/// replaced by text that describes it.
pub(crate) fn project<'a>(method: Method, result: &'a [u8]) -> Cow<'a, [u8]> {
    let Some(raw) = std::str::from_utf8(result).ok().and_then(|text| Raw::parse(text).ok()) else {
        return Cow::Borrowed(result);
    };
    let mut out = Vec::with_capacity(result.len());
    match method {
        Method::Initialize => rewrite(&mut out, raw, &[], |key| match key {
            "capabilities" => Some(|out, raw| omit(out, raw, CAPABILITIES)),
            "serverInfo" => Some(|out, raw| omit(out, raw, IMPLEMENTATION)),
            _ => None,
        }),
        Method::ListTools => {
            list(&mut out, raw, "tools", |out, tool| omit(out, tool, TOOL));
        }
        Method::ListResources => list(&mut out, raw, "resources", |out, item| omit(out, item, NAMED)),
        Method::ListTemplates => list(&mut out, raw, "resourceTemplates", |out, item| omit(out, item, NAMED)),
        Method::ListPrompts => list(&mut out, raw, "prompts", |out, prompt| {
            rewrite(out, prompt, NAMED, |key| match key {
                "arguments" => Some(|out, raw| each(out, raw, |out, argument| omit(out, argument, NAMED))),
                _ => None,
            });
        }),
        Method::GetPrompt => list(&mut out, raw, "messages", |out, message| {
            rewrite(out, message, &[], |key| (key == "content").then_some(content as Rewrite));
        }),
        Method::CallTool => call_result(&mut out, raw),
        _ => return Cow::Borrowed(result),
    }
    Cow::Owned(out)
}

/// Returns a notification without the message of progress, which came later.
pub(crate) fn project_notification(notification: Vec<u8>) -> Vec<u8> {
    let raw = std::str::from_utf8(&notification).ok().and_then(|text| Raw::parse(text).ok());
    let Some(raw) = raw.filter(|raw| is_progress(*raw)) else { return notification };
    let mut out = Vec::with_capacity(notification.len());
    rewrite(&mut out, raw, &[], |key| match key {
        "params" => Some(|out, params| omit(out, params, &["message"])),
        _ => None,
    });
    out
}

fn is_progress(notification: Raw<'_>) -> bool {
    let method = Members::read(notification).and_then(|members| members.get("method")?.text());
    method.as_deref() == Some("notifications/progress")
}

/// A function that writes a value in another form.
type Rewrite = fn(&mut Vec<u8>, Raw<'_>);

/// Writes an object without the members `later`, and with the values of some members rewritten. Another value is
/// written as it is.
fn rewrite(out: &mut Vec<u8>, raw: Raw<'_>, later: &[&str], form: impl Fn(&str) -> Option<Rewrite>) {
    let Some(members) = Members::read(raw) else { return out.extend_from_slice(raw.get().as_bytes()) };
    let mut object = Object::open(out);
    for (key, value) in members.0.iter().filter(|(key, _)| !later.contains(&key.as_ref())) {
        match form(key) {
            Some(form) => form(object.value(key), *value),
            None => object.raw(key, value.get().as_bytes()),
        }
    }
    object.close();
}

/// Writes an object without the members `later`.
fn omit(out: &mut Vec<u8>, raw: Raw<'_>, later: &[&str]) {
    rewrite(out, raw, later, |_| None);
}

/// Writes an array with every element rewritten. Another value is written as it is.
fn each(out: &mut Vec<u8>, raw: Raw<'_>, form: impl Fn(&mut Vec<u8>, Raw<'_>)) {
    match raw.elements() {
        Some(elements) => Object::push_array(out, elements, |out, element| form(out, element)),
        None => out.extend_from_slice(raw.get().as_bytes()),
    }
}

/// Writes an object with every element of one member rewritten.
fn list(out: &mut Vec<u8>, raw: Raw<'_>, key: &str, form: Rewrite) {
    let Some(members) = Members::read(raw) else { return out.extend_from_slice(raw.get().as_bytes()) };
    let mut object = Object::open(out);
    for (name, value) in &members.0 {
        match name == key {
            true => each(object.value(name), *value, form),
            false => object.raw(name, value.get().as_bytes()),
        }
    }
    object.close();
}

/// Writes the result of a tool call. A structured result without other content becomes text.
fn call_result(out: &mut Vec<u8>, raw: Raw<'_>) {
    let Some(members) = Members::read(raw) else { return out.extend_from_slice(raw.get().as_bytes()) };
    let structured = members.get("structuredContent");
    let blocks = members.get("content").and_then(Raw::elements);
    let mut object = Object::open(out);
    match (blocks, structured) {
        (Some(blocks), Some(structured)) if blocks.is_empty() => {
            object.keep(&members, &["content", "structuredContent"]);
            Object::push_array(object.value("content"), [structured], |out, structured| {
                text_block(out, structured.get());
            });
        }
        _ => {
            for (key, value) in members.0.iter().filter(|(key, _)| key != "structuredContent") {
                match key.as_ref() {
                    "content" => each(object.value(key), *value, content),
                    _ => object.raw(key, value.get().as_bytes()),
                }
            }
        }
    }
    object.close();
}

/// Writes a block of content. Audio and links to resources came later.
fn content(out: &mut Vec<u8>, raw: Raw<'_>) {
    let members = Members::read(raw).unwrap_or_default();
    let text = |key: &str| members.get(key).and_then(Raw::text);
    match text("type").as_deref() {
        Some("audio") => {
            let media = text("mimeType").unwrap_or(Cow::Borrowed("audio"));
            text_block(out, &format!("[{media}: audio is not part of MCP 2024-11-05]"));
        }
        Some("resource_link") => {
            let uri = text("uri").unwrap_or_default();
            match text("title").or_else(|| text("name")) {
                Some(name) => text_block(out, &format!("{name}: {uri}")),
                None => text_block(out, &uri),
            }
        }
        _ => out.extend_from_slice(raw.get().as_bytes()),
    }
}

/// Writes a block of text.
fn text_block(out: &mut Vec<u8>, text: &str) {
    let mut block = Object::open(out);
    block.text("type", "text");
    block.text("text", text);
    block.close();
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn projected(method: Method, result: &str) -> String {
        String::from_utf8(project(method, result.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn results_have_the_members_of_the_first_revision() {
        let rows = [
            (
                Method::Initialize,
                r#"{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true},"completions":{},"tasks":{"list":{}},"logging":{},"extensions":{}},"serverInfo":{"name":"n","title":"N","version":"1","description":"d","icons":[],"websiteUrl":"u"},"instructions":"i"}"#,
                r#"{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true},"logging":{},"extensions":{}},"serverInfo":{"name":"n","version":"1"},"instructions":"i"}"#,
            ),
            (
                Method::ListTools,
                r#"{"tools":[{"name":"t","title":"T","description":"d","inputSchema":{"title":"kept"},"outputSchema":{},"annotations":{"readOnlyHint":true},"icons":[],"execution":{},"_meta":{"a":1},"x":2}],"nextCursor":"c"}"#,
                r#"{"tools":[{"name":"t","description":"d","inputSchema":{"title":"kept"},"_meta":{"a":1},"x":2}],"nextCursor":"c"}"#,
            ),
            (
                Method::ListResources,
                r#"{"resources":[{"uri":"a:b","name":"r","title":"R","annotations":{"priority":1},"size":3,"icons":[]}]}"#,
                r#"{"resources":[{"uri":"a:b","name":"r","annotations":{"priority":1},"size":3}]}"#,
            ),
            (
                Method::ListTemplates,
                r#"{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"r","title":"R"}]}"#,
                r#"{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"r"}]}"#,
            ),
            (
                Method::ListPrompts,
                r#"{"prompts":[{"name":"p","title":"P","arguments":[{"name":"a","title":"A","required":true}]},{"name":"q"}]}"#,
                r#"{"prompts":[{"name":"p","arguments":[{"name":"a","required":true}]},{"name":"q"}]}"#,
            ),
            (
                Method::GetPrompt,
                r#"{"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"n"}},{"role":"user","content":{"type":"text","text":"t"}}]}"#,
                r#"{"messages":[{"role":"user","content":{"type":"text","text":"n: a:b"}},{"role":"user","content":{"type":"text","text":"t"}}]}"#,
            ),
            (
                Method::ReadResource,
                r#"{"contents":[{"uri":"a:b","text":"t","title":"kept"}]}"#,
                r#"{"contents":[{"uri":"a:b","text":"t","title":"kept"}]}"#,
            ),
        ];
        for (method, result, expected) in rows {
            assert_eq!(projected(method, result), expected);
            assert_eq!(projected(method, expected), expected);
        }
    }

    #[test]
    fn content_of_later_types_becomes_text() {
        let rows = [
            (
                r#"{"content":[{"type":"text","text":"a","annotations":{}},{"type":"image","data":"","mimeType":"image/png"},{"type":"resource","resource":{"uri":"a:b","text":""}}],"structuredContent":{"a":1},"isError":false,"_meta":{}}"#,
                r#"{"content":[{"type":"text","text":"a","annotations":{}},{"type":"image","data":"","mimeType":"image/png"},{"type":"resource","resource":{"uri":"a:b","text":""}}],"isError":false,"_meta":{}}"#,
            ),
            (
                r#"{"content":[{"type":"audio","data":"AAAA","mimeType":"audio/wav"},{"type":"audio"}]}"#,
                r#"{"content":[{"type":"text","text":"[audio/wav: audio is not part of MCP 2024-11-05]"},{"type":"text","text":"[audio: audio is not part of MCP 2024-11-05]"}]}"#,
            ),
            (
                r#"{"content":[{"type":"resource_link","uri":"a:b","name":"n","title":"T"},{"type":"resource_link","uri":"a:c"}]}"#,
                r#"{"content":[{"type":"text","text":"T: a:b"},{"type":"text","text":"a:c"}]}"#,
            ),
            // A structured result is not lost if it is all that there is.
            (
                r#"{"content":[],"structuredContent":{"a":"\"b"}}"#,
                r#"{"content":[{"type":"text","text":"{\"a\":\"\\\"b\"}"}]}"#,
            ),
            (r#"{"content":[]}"#, r#"{"content":[]}"#),
            (r#"{"content":7,"other":null}"#, r#"{"content":7,"other":null}"#),
            ("[]", "[]"),
        ];
        for (result, expected) in rows {
            assert_eq!(projected(Method::CallTool, result), expected);
        }
    }

    #[test]
    fn progress_has_no_message() {
        let project = |text: &str| String::from_utf8(project_notification(text.into())).unwrap();
        let rows = [
            (
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2,"message":"m"}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{},"message":"m"}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{},"message":"m"}}"#,
            ),
        ];
        for (notification, expected) in rows {
            assert_eq!(project(notification), expected);
        }
    }
}
