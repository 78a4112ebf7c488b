use std::borrow::Cow;

use super::{OWN, primitive::Listed};
use crate::json::Object;

/// Appends a primitive as it is sent: the bytes it came as, plus its memberships in both places where
/// clients look (top-level `groups` and `tags`, and `_meta`, which strict clients keep).
pub(super) fn write(listed: &Listed<'_>, expose_concerns: bool, out: &mut Vec<u8>) {
    let concerns = expose_concerns && !listed.concerns.is_empty();
    if listed.groups.is_empty() && listed.tags.is_empty() && !concerns {
        return out.extend_from_slice(listed.raw.get().as_bytes());
    }
    let mut object = Object::open(out);
    // A server's own `tags` of another meaning stays where we write none.
    let written: &[&str] = match (listed.groups.is_empty(), listed.tags.is_empty()) {
        (false, false) => &["groups", "tags", "_meta"],
        (false, true) => &["groups", "_meta"],
        (true, false) => &["tags", "_meta"],
        (true, true) => &["_meta"],
    };
    object.keep(listed.members, written);
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
