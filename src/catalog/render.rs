use std::borrow::Cow;

use super::{PREFIX, primitive::Listed};
use crate::json::{Members, Object};

/// Appends a primitive as it is sent: the bytes it came as, plus its memberships in both places where
/// clients look (top-level `groups` and `tags`, and `_meta`, which strict clients keep).
pub(super) fn write(listed: &Listed<'_>, expose_concerns: bool, out: &mut Vec<u8>) {
    let concerns = expose_concerns && !listed.concerns.is_empty();
    if listed.groups.is_empty() && listed.tags.is_empty() && !concerns {
        return out.extend_from_slice(listed.raw.get().as_bytes());
    }
    let mut object = Object::open(out);
    // A server's own `tags` of another meaning stays where we write none.
    let written = |key: &&str| match *key {
        "groups" => !listed.groups.is_empty(),
        "tags" => !listed.tags.is_empty(),
        _ => true,
    };
    object.keep(listed.members, &["groups", "tags", "_meta"].into_iter().filter(written).collect::<Vec<_>>());
    facet(&mut object, "groups", &listed.groups);
    facet(&mut object, "tags", &listed.tags);
    let meta = listed.members.get("_meta").and_then(Members::read).unwrap_or_default();
    let [groups, tags] = ["groups", "tags"].map(|facet| format!("{PREFIX}/{facet}"));
    let prefixed = format!("{PREFIX}/concerns");
    let mut inner = Object::open(object.value("_meta"));
    let ours: [&str; 4] = [&groups, &tags, &prefixed, "concerns"];
    // Concerns that are not exposed are the server's own affair: what it wrote itself stays.
    inner.keep(&meta, ours.get(..if concerns { 4 } else { 2 }).unwrap_or_default());
    facet(&mut inner, &groups, &listed.groups);
    facet(&mut inner, &tags, &listed.tags);
    if concerns {
        concern_map(inner.value("concerns"), listed);
        concern_map(inner.value(&prefixed), listed);
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
