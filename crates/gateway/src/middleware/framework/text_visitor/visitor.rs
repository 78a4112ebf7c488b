//! Visits and replaces the texts of content items of every type.

use std::cell::Cell;

use mcp_sieve::json::{self, Members, Object, Raw};

use super::{base64, data_url, edits::Edits, number::visit_number, text_function::TextVisitor};

/// Visits the texts of an item. Returns the rewritten item if any text was replaced.
///
/// Tool calls and tool results have the types of sampling messages, or the names of this project's extension. In an
/// item of an unknown type, every string may be text.
pub(crate) fn visit_item(raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    visit_item_beside(raw, None, visit).0
}

/// Visits the texts of an item whose member `text` may be kept beside it, and those that `data:` URLs in them encode.
/// Returns the rewritten item and the new text, each if it changed.
pub(crate) fn visit_item_beside(
    raw: Raw<'_>,
    beside: Option<&str>,
    visit: TextVisitor<'_>,
) -> (Option<String>, Option<String>) {
    let visit: TextVisitor<'_> = &mut |text| data_url::visit_text(text, &mut *visit, data_url::DEPTH);
    let mut text = None;
    let item = rewrite(raw, |raw, edits| text = visit_members(raw, beside, visit, edits));
    (item, text)
}

/// Visits every string and every long number in a value, except keys. Returns the rewritten value if any was replaced.
pub(crate) fn visit_strings(raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    rewrite(raw, |raw, edits| visit_value("", raw, visit, edits))
}

/// Returns the JSON of a text item with another text.
pub(crate) fn replace_text(raw: Raw<'_>, new: &str) -> Option<String> {
    rewrite(raw, |raw, edits| {
        let members = Members::read(raw).unwrap_or_default();
        let texts = members.0.iter().filter(|(key, value)| key == "text" && value.get().starts_with('"'));
        texts.for_each(|(_, value)| edits.replace(*value, Some(text_json(new))));
    })
}

/// Calls `visit` with a value in which U+FFFD stands in place of each lone surrogate, and applies the edits to the value
/// as it is written.
fn rewrite(raw: Raw<'_>, visit: impl FnOnce(Raw<'_>, &mut Edits)) -> Option<String> {
    let text = raw.well_formed();
    let mut edits = Edits::of(&text);
    visit(Raw::known(&text), &mut edits);
    edits.apply(raw.get())
}

/// Visits the texts of an item. Returns the new text in place of the one beside it, if it was replaced.
fn visit_members(
    raw: Raw<'_>,
    beside: Option<&str>,
    visit: TextVisitor<'_>,
    edits: &mut Edits,
) -> Option<String> {
    let Some(members) = Members::read(raw) else {
        visit_value("", raw, visit, edits);
        return None;
    };
    let kind = members.get("type").and_then(json::Raw::text).unwrap_or_default();
    let media = members.get("mimeType").and_then(json::Raw::text);
    let text = Cell::new(None);
    visit_object(&members, visit, edits, &|key, value, visit, edits| match (kind.as_ref(), key) {
        (_, "type" | "_meta") => {}
        (_, "annotations") => visit_annotations(value, visit, edits),
        (_, "text") if beside.is_some() => text.set(beside.and_then(visit)),
        ("resource", "resource") => visit_resource(value, visit, edits),
        ("tool_result" | "dev.mcpsieve/tool_result", "content") => visit_items(value, visit, edits),
        ("tool_result" | "dev.mcpsieve/tool_result", "id" | "toolUseId" | "tool_use_id") => {}
        ("tool_use" | "dev.mcpsieve/tool_call", "id" | "name") => {}
        ("text" | "tool_result" | "dev.mcpsieve/tool_result" | "tool_use" | "dev.mcpsieve/tool_call", _) => {
            visit_value(key, value, visit, edits);
        }
        ("image" | "audio", "data") => {
            base64::visit_text(value, true, media.as_deref().or(Some("image/")), visit, edits);
        }
        (_, "data" | "blob") => base64::visit_text(value, false, media.as_deref(), visit, edits),
        (_, "id" | "name" | "uri" | "mimeType" | "icons") => visit_unexpected(key, value, visit, edits),
        _ => visit_value(key, value, visit, edits),
    });
    text.into_inner()
}

/// Visits the texts of a resource's contents.
fn visit_resource(raw: Raw<'_>, visit: TextVisitor<'_>, edits: &mut Edits) {
    let Some(members) = Members::read(raw) else { return visit_value("", raw, visit, edits) };
    let media = members.get("mimeType").and_then(json::Raw::text);
    visit_object(&members, visit, edits, &|key, value, visit, edits| match key {
        "_meta" => {}
        "name" | "uri" | "mimeType" | "icons" => visit_unexpected(key, value, visit, edits),
        "annotations" => visit_annotations(value, visit, edits),
        "blob" => base64::visit_text(value, true, media.as_deref(), visit, edits),
        _ => visit_value(key, value, visit, edits),
    });
}

/// Visits a member that the protocol reads if its value is not of the type that the protocol expects there, because
/// then it is content. So is a `data:` URL as the URI: it names nothing that could be read.
fn visit_unexpected(key: &str, value: Raw<'_>, visit: TextVisitor<'_>, edits: &mut Edits) {
    let expected = if key == "icons" { '[' } else { '"' };
    let scheme = value.get().get(..6).unwrap_or_default();
    let is_content = key == "uri" && scheme.eq_ignore_ascii_case("\"data:");
    if !value.get().starts_with(expected) || is_content {
        visit_value("", value, visit, edits);
    }
}

/// Visits the texts of an array of items; or of a single item or string, as some model APIs have it.
fn visit_items(raw: Raw<'_>, visit: TextVisitor<'_>, edits: &mut Edits) {
    match raw.elements() {
        Some(items) => items.into_iter().for_each(|item| _ = visit_members(item, None, visit, edits)),
        None => _ = visit_members(raw, None, visit, edits),
    }
}

/// Visits the texts of annotations, except the three members that the protocol defines.
fn visit_annotations(raw: Raw<'_>, visit: TextVisitor<'_>, edits: &mut Edits) {
    let Some(members) = Members::read(raw) else { return visit_value("", raw, visit, edits) };
    visit_object(&members, visit, edits, &|key, value, visit, edits| match key {
        "audience" | "priority" | "lastModified" => {}
        _ => visit_value("", value, visit, edits),
    });
}

/// Visits the texts of a value that a member called `key` holds.
pub(super) fn visit_value(key: &str, raw: Raw<'_>, visit: TextVisitor<'_>, edits: &mut Edits) {
    match raw.get().as_bytes().first() {
        Some(b'"') => edits.replace(raw, raw.text().and_then(|text| visit(&text)).as_deref().map(text_json)),
        Some(b'[') => {
            let elements = raw.elements().unwrap_or_default();
            elements.into_iter().for_each(|element| visit_value(key, element, visit, edits));
        }
        Some(b'{') => {
            visit_object(&Members::read(raw).unwrap_or_default(), visit, edits, &visit_value);
        }
        Some(b'-' | b'0'..=b'9') => edits.replace(raw, visit_number(key, raw, visit)),
        _ => {}
    }
}

fn visit_object(
    members: &Members<'_>,
    visit: TextVisitor<'_>,
    edits: &mut Edits,
    each: &dyn Fn(&str, Raw<'_>, TextVisitor<'_>, &mut Edits),
) {
    members.0.iter().for_each(|(key, value)| each(key, *value, &mut *visit, edits));
}

/// Returns the JSON of a string.
fn text_json(text: &str) -> String {
    let mut out = Vec::new();
    Object::push_text(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}
