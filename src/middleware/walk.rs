//! Where the texts of a content item stand.
//!
//! An object of which a text is replaced is written anew, member by member, in the order it had; what it holds
//! beside the text is copied.

use crate::{
    error::{Error, ErrorKind},
    json::{self, Members, Object, Raw, push_array, push_text},
};

/// Takes a text; gives what takes its place, if anything does.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&str) -> Option<String>;

/// What an item of a type holds that is text.
#[derive(Clone, Copy)]
enum Shape {
    /// The member itself.
    Text,
    /// `text` of the object that the member is.
    Embedded,
    /// Every string in the member, whatever it is.
    Strings,
    /// Content items; or a string, as some model APIs have it.
    Items,
}

/// The members of items that hold text, by the item's type. A tool's calls and results come as sampling messages
/// have them, or under the names that an extension may give them.
const TEXTS: [(&str, &str, Shape); 9] = [
    ("text", "text", Shape::Text),
    ("resource", "resource", Shape::Embedded),
    ("tool_use", "input", Shape::Strings),
    ("tool_result", "content", Shape::Items),
    ("tool_result", "structuredContent", Shape::Strings),
    ("dev.mcpsieve/tool_call", "arguments", Shape::Strings),
    ("dev.mcpsieve/tool_call", "input", Shape::Strings),
    ("dev.mcpsieve/tool_result", "content", Shape::Items),
    ("dev.mcpsieve/tool_result", "structuredContent", Shape::Strings),
];

/// Visits the texts of an item; gives the item anew if any was replaced.
pub(super) fn item(raw: Raw<'_>, visit: Visit<'_>) -> Option<String> {
    let members = Members::read(raw)?;
    let kind = members.get("type").and_then(json::text)?;
    object(&members, visit, &|key, value, visit| {
        let (_, _, shape) = TEXTS.iter().find(|(of, name, _)| *of == kind && *name == key)?;
        match shape {
            Shape::Text => text(value, visit),
            Shape::Embedded => {
                let embedded = Members::read(value)?;
                object(&embedded, visit, &|key, value, visit| {
                    if key == "text" { text(value, visit) } else { None }
                })
            }
            Shape::Strings => strings(value, visit),
            Shape::Items if value.get().starts_with('"') => text(value, visit),
            Shape::Items => array(value, visit, &item),
        }
    })
}

/// Visits every string in a value, keys excepted; gives the value anew if any was replaced.
pub(super) fn strings(raw: Raw<'_>, visit: Visit<'_>) -> Option<String> {
    match raw.get().as_bytes().first() {
        Some(b'"') => text(raw, visit),
        Some(b'[') => array(raw, visit, &strings),
        Some(b'{') => object(&Members::read(raw)?, visit, &|_, value, visit| strings(value, visit)),
        _ => None,
    }
}

/// Refuses an item whose text could be passed by: a string that is not Unicode, an object with such a key. Items
/// that have no text are nobody's to read.
pub(super) fn check(raw: Raw<'_>, kind: &str) -> Result<(), Error> {
    if TEXTS.iter().any(|(of, ..)| *of == kind) { unicode(raw) } else { Ok(()) }
}

fn unicode(raw: Raw<'_>) -> Result<(), Error> {
    let sound = match raw.get().as_bytes().first() {
        Some(b'"') => json::text(raw).is_some(),
        Some(b'[') => return json::elements(raw).unwrap_or_default().into_iter().try_for_each(unicode),
        Some(b'{') => match Members::read(raw) {
            Some(members) => return members.0.iter().try_for_each(|(_, value)| unicode(*value)),
            None => false,
        },
        _ => true,
    };
    let refusal = || Error::new(ErrorKind::ContextInvalid, "expected text that is Unicode");
    if sound { Ok(()) } else { Err(refusal()) }
}

fn text(raw: Raw<'_>, visit: Visit<'_>) -> Option<String> {
    let given = visit(json::text(raw)?.as_ref())?;
    let mut out = Vec::new();
    push_text(&mut out, &given);
    String::from_utf8(out).ok()
}

fn array(
    raw: Raw<'_>,
    visit: Visit<'_>,
    each: &dyn Fn(Raw<'_>, Visit<'_>) -> Option<String>,
) -> Option<String> {
    let elements = json::elements(raw)?;
    let rewritten: Vec<_> = elements.iter().map(|element| each(*element, &mut *visit)).collect();
    rewritten.iter().any(Option::is_some).then_some(())?;
    let mut out = Vec::new();
    push_array(&mut out, elements.iter().zip(&rewritten), |out, (before, after)| {
        out.extend_from_slice(after.as_deref().unwrap_or(before.get()).as_bytes());
    });
    String::from_utf8(out).ok()
}

fn object(
    members: &Members<'_>,
    visit: Visit<'_>,
    each: &dyn Fn(&str, Raw<'_>, Visit<'_>) -> Option<String>,
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
