//! The conversion of calls and results to the content that middleware functions process, and back.

use std::collections::BTreeSet;

use mcp_sieve::{
    Error,
    json::{self, Members, Object, Raw},
};

use crate::{middleware::Content, protocol::error::RpcError};

/// The types of the items that hold a call or a result.
pub(crate) const CALL: &str = "tool_use";
pub(crate) const RESULT: &str = "tool_result";
/// The id of the item that holds text outside content blocks: arguments, structured results, questions.
const BESIDE: &str = "dev.mcpsieve/beside";
/// Parameters that the protocol reads, or that name the primitive.
const PARAMS: [&str; 5] = ["name", "uri", "task", "_meta", "requestState"];
/// Members of results that the protocol reads.
const RESULT_MEMBERS: [&str; 6] = ["task", "_meta", "resultType", "isError", "ttlMs", "cacheScope"];
/// The server's state in a result that asks the client for input. It must be returned unchanged.
pub(crate) const STATE: &str = "requestState";

/// Returns whether the protocol reads a parameter.
pub(crate) fn is_protocol_param(key: &str) -> bool {
    PARAMS.contains(&key)
}

/// Returns whether the protocol reads a member of a result. A value that it does not expect there is content.
pub(crate) fn is_protocol_result(members: &Members<'_>, key: &str, value: Raw<'_>) -> bool {
    match key {
        "isError" | "ttlMs" => !value.get().starts_with(['"', '[', '{']),
        "resultType" | "cacheScope" => is_keyword(value),
        STATE => {
            members.get("resultType").and_then(json::Raw::text).is_some_and(|kind| kind == "input_required")
        }
        _ => RESULT_MEMBERS.contains(&key),
    }
}

/// Returns whether a value is a text such as `input_required` and `public`, or `null`.
fn is_keyword(value: Raw<'_>) -> bool {
    let of_keyword = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    value.get() == "null" || value.text().is_some_and(|text| text.bytes().all(of_keyword))
}

/// Returns whether the protocol reads a member of a prompt's message.
fn is_protocol_message(key: &str, value: Raw<'_>) -> bool {
    match key {
        "role" => is_keyword(value),
        _ => ["content", "_meta"].contains(&key),
    }
}

/// A result in the form of content for middleware functions.
pub(crate) struct ContentView {
    pub content: Content<'static>,
    /// The member of the result that holds the content blocks.
    pub member: &'static str,
    pub slots: ContentSlots,
}

/// The way in which processed items are put back into a result.
pub(crate) enum ContentSlots {
    /// An array of content blocks, of any length.
    Array,
    /// The messages of a prompt. Each gets its processed content; their number must not change.
    Messages(Vec<String>),
    /// The contents of resources. Their number, given here, must not change.
    Resources(usize),
}

impl ContentView {
    pub fn out(method: &str, members: &Members<'_>) -> Result<Self, RpcError> {
        let member = match method {
            "prompts/get" => "messages",
            "resources/read" => "contents",
            _ => "content",
        };
        let given = members.get(member).map(|raw| raw.elements().ok_or_else(misshapen)).transpose()?;
        let given = given.unwrap_or_default();
        let (mut items, mut around) = (Vec::new(), Vec::new());
        let slots = match member {
            "messages" => {
                let mut messages = Vec::new();
                for message in given {
                    let read = Members::read(message).ok_or_else(misshapen)?;
                    let content = read.get("content").ok_or_else(misshapen)?;
                    items.push(content.get().to_owned());
                    messages.push(message.get().to_owned());
                    around.push(around_content(&read));
                }
                ContentSlots::Messages(messages)
            }
            "contents" => {
                items.extend(
                    given.iter().map(|raw| format!(r#"{{"type":"resource","resource":{}}}"#, raw.get())),
                );
                ContentSlots::Resources(given.len())
            }
            _ => {
                items.extend(given.iter().map(|raw| raw.get().to_owned()));
                ContentSlots::Array
            }
        };
        let around = format!("[{}]", around.join(","));
        let read = |key: &str, value| key != member && !is_protocol_result(members, key, value);
        let mut parts = besides(members, &read);
        if member == "messages" {
            parts.push((member, Raw::known(&around)));
        }
        items.push(beside(RESULT, &parts)?.items().next().unwrap_or_default().to_owned());
        let source = format!("[{}]", items.join(","));
        let content = Raw::parse(&source).and_then(Content::read).map_err(unreadable)?.into_owned();
        Ok(Self { content, member, slots })
    }
}

impl ContentSlots {
    /// Returns the JSON of the member that held the items. `around` holds the processed other members of messages.
    pub fn fill(&self, items: &[&str], around: Option<Raw<'_>>) -> Result<String, RpcError> {
        let mut out = Vec::new();
        match self {
            Self::Array => {
                Object::push_array(&mut out, items, |out, item| out.extend_from_slice(item.as_bytes()))
            }
            Self::Messages(messages) if messages.len() == items.len() => {
                let around = around.and_then(json::Raw::elements).unwrap_or_default();
                let around: Vec<Members<'_>> = around.into_iter().filter_map(Members::read).collect();
                if around.len() != messages.len() {
                    return Err(misshapen());
                }
                let parts = messages.iter().zip(items).zip(&around);
                Object::push_array(&mut out, parts, |out, ((message, item), around)| {
                    let members = Members::parse(message).unwrap_or_default();
                    let mut object = Object::open(out);
                    merge(&mut object, &members, around, &|key, value| match key {
                        "content" => Raw::parse(item).ok(),
                        _ => is_protocol_message(key, value).then_some(value),
                    });
                    object.close();
                });
            }
            Self::Resources(count) if *count == items.len() => {
                let contents = items.iter().map(|item| Members::parse(item)?.get("resource"));
                let contents: Vec<Raw<'_>> = contents.collect::<Option<_>>().ok_or_else(misshapen)?;
                Object::push_array(&mut out, contents, |out, raw| {
                    out.extend_from_slice(raw.get().as_bytes())
                });
            }
            _ => return Err(misshapen()),
        }
        String::from_utf8(out).map_err(|_| misshapen())
    }
}

/// Returns the members of parameters or of a result for which `read` returns true.
pub(crate) fn besides<'a>(
    members: &'a Members<'_>,
    read: &dyn Fn(&str, Raw<'a>) -> bool,
) -> Vec<(&'a str, Raw<'a>)> {
    let parts = members.0.iter().map(|(key, value)| (key.as_ref(), *value));
    parts.filter(|(key, value)| read(key, *value)).collect()
}

/// Writes the members of a call or a result with those that functions returned, in one pass: there may be a hundred
/// thousand. `kept` returns the value of a member that functions do not treat. Members that functions left out are left
/// out, and those that they added follow.
pub(crate) fn merge<'a>(
    object: &mut Object<'_>,
    members: &Members<'a>,
    treated: &Members<'a>,
    kept: &dyn Fn(&str, Raw<'a>) -> Option<Raw<'a>>,
) {
    let mut rest = treated.0.iter().filter(|(key, value)| kept(key, *value).is_none()).peekable();
    for (key, value) in &members.0 {
        let value = kept(key, *value).or_else(|| Some(rest.next_if(|(name, _)| name == key)?.1));
        value.iter().for_each(|value| object.raw(key, value.get().as_bytes()));
    }
    rest.for_each(|(key, value)| object.raw(key, value.get().as_bytes()));
}

/// Returns the members of a prompt's message that the protocol does not read, as JSON. Its content is treated as an
/// item.
fn around_content(message: &Members<'_>) -> String {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    let parts = message.0.iter().filter(|(key, value)| !is_protocol_message(key, *value));
    parts.for_each(|(key, value)| object.raw(key, value.get().as_bytes()));
    object.close();
    String::from_utf8(out).unwrap_or_default()
}

/// Returns content with one item that holds `parts`, which are outside content blocks.
pub(crate) fn beside(kind: &str, parts: &[(&str, Raw<'_>)]) -> Result<Content<'static>, RpcError> {
    let mut out = b"[".to_vec();
    let mut item = Object::open(&mut out);
    item.text("type", kind);
    item.text("id", BESIDE);
    let held = if kind == CALL { "input" } else { "structuredContent" };
    let mut object = Object::open(item.value(held));
    parts.iter().for_each(|(key, value)| object.raw(key, value.get().as_bytes()));
    object.close();
    item.close();
    out.push(b']');
    let source = String::from_utf8(out).map_err(|_| misshapen())?;
    Raw::parse(&source).and_then(Content::read).map(Content::into_owned).map_err(unreadable)
}

/// Returns the items of a content, and the members of the item that [`beside`] made.
pub(crate) fn apart<'a>(content: &'a Content<'_>) -> (Vec<&'a str>, Option<Members<'a>>) {
    let mut items: Vec<&str> = content.items().collect();
    let place = place_beside(&items);
    let found = place.and_then(|place| held_beside(items.remove(place)));
    (items, found)
}

/// Returns content with the item that [`beside`] made behind all others.
pub(crate) fn with_beside_last(mut content: Content<'static>) -> Content<'static> {
    let items: Vec<&str> = content.items().collect();
    if let Some(place) = place_beside(&items) {
        content.move_to_end(place);
    }
    content
}

/// Returns the place of the item that [`beside`] made. It is behind the items of a server, which may have its id too.
fn place_beside(items: &[&str]) -> Option<usize> {
    items.iter().rposition(|item| held_beside(item).is_some())
}

/// Returns the members that an item holds if [`beside`] made it.
fn held_beside(item: &str) -> Option<Members<'_>> {
    let members = Members::parse(item)?;
    members.get("id").and_then(json::Raw::text).filter(|id| id == BESIDE)?;
    members.get("input").or_else(|| members.get("structuredContent")).and_then(Members::read)
}

/// Returns the error for content that functions cannot read: it is too large, or nests too deeply.
fn unreadable(error: Error) -> RpcError {
    RpcError::internal("middleware", format!("the functions of this call cannot read what it holds: {error}"))
}

/// Returns whether a result has a key in places where the chain writes keys anew, and that key is not Unicode.
pub(crate) fn has_broken_key(source: &str) -> bool {
    let Some(members) = Members::parse(source) else { return true };
    let messages = members.get("messages").and_then(json::Raw::elements).unwrap_or_default();
    messages.into_iter().any(|message| message.is_object() && Members::read(message).is_none())
}

/// Returns whether a result, or a message in it, has a member twice. Functions read only the last of them.
pub(crate) fn repeats(members: &Members<'_>) -> bool {
    let messages = members.get("messages").and_then(json::Raw::elements).unwrap_or_default();
    let parts = messages.into_iter().filter_map(Members::read);
    std::iter::once(members.clone()).chain(parts).any(|Members(members)| {
        let keys: BTreeSet<_> = members.iter().map(|(key, _)| key).collect();
        keys.len() < members.len()
    })
}

/// Returns the error for the output of a function that cannot be a call or a result.
pub(crate) fn misshapen() -> RpcError {
    RpcError::internal("middleware", "what a function made of this call cannot go on")
}
