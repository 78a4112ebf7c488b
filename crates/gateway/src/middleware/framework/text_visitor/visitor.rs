//! Visits and replaces the texts of content items of every type.

use std::cell::Cell;

use mcp_sieve::{
    Error, ErrorKind,
    json::{self, Members, Object, Raw},
};

use super::{base64, data_url, number::visit_number, text_function::TextVisitor};

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
    visit_members(raw, beside, &mut |text| data_url::visit_text(text, &mut *visit, data_url::DEPTH))
}

fn visit_members(
    raw: Raw<'_>,
    beside: Option<&str>,
    visit: TextVisitor<'_>,
) -> (Option<String>, Option<String>) {
    let Some(members) = Members::read(raw) else { return (visit_strings(raw, visit), None) };
    let kind = members.get("type").and_then(json::Raw::text).unwrap_or_default();
    let media = members.get("mimeType").and_then(json::Raw::text);
    let text = Cell::new(None);
    let item = visit_object(&members, visit, &|key, value, visit| match (kind.as_ref(), key) {
        (_, "type" | "_meta") => None,
        (_, "annotations") => visit_annotations(value, visit),
        (_, "text") if beside.is_some() => {
            text.set(beside.and_then(visit));
            None
        }
        ("resource", "resource") => visit_resource(value, visit),
        ("tool_result" | "dev.mcpsieve/tool_result", "content") => visit_items(value, visit),
        ("tool_result" | "dev.mcpsieve/tool_result", "id" | "toolUseId" | "tool_use_id") => None,
        ("tool_use" | "dev.mcpsieve/tool_call", "id" | "name") => None,
        ("text" | "tool_result" | "dev.mcpsieve/tool_result" | "tool_use" | "dev.mcpsieve/tool_call", _) => {
            visit_value(key, value, visit)
        }
        ("image" | "audio", "data") => {
            base64::visit_text(value, true, media.as_deref().or(Some("image/")), visit)
        }
        (_, "data" | "blob") => base64::visit_text(value, false, media.as_deref(), visit),
        (_, "id" | "name" | "uri" | "mimeType" | "icons") => visit_unexpected(key, value, visit),
        _ => visit_value(key, value, visit),
    });
    (item, text.into_inner())
}

/// Visits the texts of a resource's contents. Returns the rewritten object if any text was replaced.
fn visit_resource(raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    let Some(members) = Members::read(raw) else { return visit_strings(raw, visit) };
    let media = members.get("mimeType").and_then(json::Raw::text);
    visit_object(&members, visit, &|key, value, visit| match key {
        "_meta" => None,
        "name" | "uri" | "mimeType" | "icons" => visit_unexpected(key, value, visit),
        "annotations" => visit_annotations(value, visit),
        "blob" => base64::visit_text(value, true, media.as_deref(), visit),
        _ => visit_value(key, value, visit),
    })
}

/// Visits a member that the protocol reads if its value is not of the type that the protocol expects there, because
/// then it is content. So is a `data:` URL as the URI: it names nothing that could be read.
fn visit_unexpected(key: &str, value: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    let expected = if key == "icons" { '[' } else { '"' };
    let scheme = value.get().get(..6).unwrap_or_default();
    let is_content = key == "uri" && scheme.eq_ignore_ascii_case("\"data:");
    if value.get().starts_with(expected) && !is_content { None } else { visit_strings(value, visit) }
}

/// Visits the texts of an array of items; or of a single item or string, as some model APIs have it. Returns the
/// rewritten value if any text was replaced.
fn visit_items(raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    if raw.get().starts_with('[') { visit_array(raw, visit, &visit_inner) } else { visit_inner(raw, visit) }
}

/// Visits the texts of an item within another one.
fn visit_inner(raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    visit_members(raw, None, visit).0
}

/// Visits the texts of annotations, except the three members that the protocol defines. Returns the rewritten object
/// if any text was replaced.
fn visit_annotations(raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    let Some(members) = Members::read(raw) else { return visit_strings(raw, visit) };
    visit_object(&members, visit, &|key, value, visit| match key {
        "audience" | "priority" | "lastModified" => None,
        _ => visit_strings(value, visit),
    })
}

/// Returns the JSON of a text item with another text.
pub(crate) fn replace_text(raw: Raw<'_>, new: &str) -> Option<String> {
    let members = Members::read(raw)?;
    visit_object(&members, &mut |_| Some(new.to_owned()), &|key, value, visit| {
        if key == "text" { visit_text(value, visit) } else { None }
    })
}

/// Visits every string and every long number in a value, except keys. Returns the rewritten value if any was replaced.
pub(crate) fn visit_strings(raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    visit_value("", raw, visit)
}

/// Visits the texts of a value that a member called `key` holds.
fn visit_value(key: &str, raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    match raw.get().as_bytes().first() {
        Some(b'"') => visit_text(raw, visit),
        Some(b'[') => visit_array(raw, visit, &|raw, visit| visit_value(key, raw, visit)),
        Some(b'{') => visit_object(&Members::read(raw)?, visit, &visit_value),
        Some(b'-' | b'0'..=b'9') => visit_number(key, raw, visit),
        _ => None,
    }
}

/// Rejects an item whose text could escape the functions: a string or an object key that is not valid Unicode.
pub(crate) fn validate_text(raw: Raw<'_>) -> Result<(), Error> {
    let sound = match raw.get().as_bytes().first() {
        Some(b'"') => raw.text().is_some(),
        Some(b'[') => return raw.elements().unwrap_or_default().into_iter().try_for_each(validate_text),
        Some(b'{') => match Members::read(raw) {
            Some(members) => return members.0.iter().try_for_each(|(_, value)| validate_text(*value)),
            None => false,
        },
        _ => true,
    };
    let refusal = || Error::new(ErrorKind::ContextInvalid, "expected text that is Unicode");
    if sound { Ok(()) } else { Err(refusal()) }
}

fn visit_text(raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    let given = visit(raw.text()?.as_ref())?;
    let mut out = Vec::new();
    Object::push_text(&mut out, &given);
    String::from_utf8(out).ok()
}

fn visit_array(
    raw: Raw<'_>,
    visit: TextVisitor<'_>,
    each: &dyn Fn(Raw<'_>, TextVisitor<'_>) -> Option<String>,
) -> Option<String> {
    let elements = raw.elements()?;
    let rewritten: Vec<_> = elements.iter().map(|element| each(*element, &mut *visit)).collect();
    rewritten.iter().any(Option::is_some).then_some(())?;
    let mut out = Vec::new();
    Object::push_array(&mut out, elements.iter().zip(&rewritten), |out, (before, after)| {
        out.extend_from_slice(after.as_deref().unwrap_or(before.get()).as_bytes());
    });
    String::from_utf8(out).ok()
}

fn visit_object(
    members: &Members<'_>,
    visit: TextVisitor<'_>,
    each: &dyn Fn(&str, Raw<'_>, TextVisitor<'_>) -> Option<String>,
) -> Option<String> {
    let rewritten: Vec<_> = members.0.iter().map(|(key, value)| each(key, *value, &mut *visit)).collect();
    rewritten.iter().any(Option::is_some).then_some(())?;
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    for ((key, before), after) in members.0.iter().zip(&rewritten) {
        object.raw(key, after.as_deref().unwrap_or(before.get()).as_bytes());
    }
    object.close();
    String::from_utf8(out).ok()
}
