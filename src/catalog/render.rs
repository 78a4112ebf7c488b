use std::borrow::Cow;

use super::{OWN, primitive::Listed};
use crate::json::{Members, Object};

/// Appends a primitive as it is sent: the bytes it came as, what the operator writes anew in its place, plus
/// its memberships in both places where clients look (top-level `groups` and `tags`, and `_meta`, which strict
/// clients keep).
pub(super) fn write(listed: &Listed<'_>, id: &str, expose_concerns: bool, out: &mut Vec<u8>) {
    let name = if listed.kind.id_key() == "name" { (id != listed.id).then_some(id) } else { listed.name };
    let anew = [("name", name), ("title", listed.title), ("description", listed.description)];
    let concerns = expose_concerns && !listed.concerns.is_empty();
    let member = !listed.groups.is_empty() || !listed.tags.is_empty() || concerns;
    if !member && anew.iter().all(|(_, text)| text.is_none()) {
        return out.extend_from_slice(listed.raw.get().as_bytes());
    }
    let mut object = Object::open(out);
    // A server's own `tags` of another meaning stays where we write none.
    let written: &[&str] = match (listed.groups.is_empty(), listed.tags.is_empty()) {
        (false, false) => &["groups", "tags", "_meta"],
        (false, true) => &["groups", "_meta"],
        (true, false) => &["tags", "_meta"],
        (true, true) if member => &["_meta"],
        (true, true) => &[],
    };
    copy(&mut object, listed.members, written, &anew);
    if !member {
        return object.close();
    }
    facet(&mut object, "groups", &listed.groups);
    facet(&mut object, "tags", &listed.tags);
    let mut inner = Object::open(object.value("_meta"));
    // Concerns that are not exposed are the server's own affair: what it wrote itself stays.
    let written = [OWN.groups, OWN.tags, OWN.concerns, "concerns"];
    inner.keep(&listed.meta, written.get(..if concerns { 4 } else { 2 }).unwrap_or_default());
    facet(&mut inner, OWN.groups, &listed.groups);
    facet(&mut inner, OWN.tags, &listed.tags);
    if concerns {
        concern_map(inner.value("concerns"), listed);
        concern_map(inner.value(OWN.concerns), listed);
    }
    inner.close();
    object.close();
}

/// Copies every member but those in `but`, texts of `anew` in the place of what they replace, or behind.
fn copy(object: &mut Object<'_>, members: &Members<'_>, but: &[&str], anew: &[(&str, Option<&str>)]) {
    let text = |key: &str| anew.iter().find(|(known, _)| *known == key).and_then(|(_, text)| *text);
    for (key, value) in members.0.iter().filter(|(key, _)| !but.contains(&key.as_ref())) {
        match text(key) {
            Some(text) => object.text(key, text),
            None => object.raw(key, value.get().as_bytes()),
        }
    }
    for (key, text) in anew.iter().filter(|(key, _)| members.get(key).is_none()) {
        text.iter().for_each(|text| object.text(key, text));
    }
}

fn facet(object: &mut Object<'_>, key: &str, names: &[Cow<'_, str>]) {
    if !names.is_empty() {
        object.texts(key, names);
    }
}

/// Concern values, a single one as plain text as the proposal writes it.
fn concern_map(out: &mut Vec<u8>, listed: &Listed<'_>) {
    let mut object = Object::open(out);
    for (name, values) in &listed.concerns {
        match values.as_slice() {
            [only] => object.text(name, only),
            several => object.texts(name, several),
        }
    }
    object.close();
}
