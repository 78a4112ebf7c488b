use std::borrow::Cow;

use super::{PREFIX, primitive::Listed};
use crate::json::{Members, push_text};

/// Appends a primitive as it is sent: the bytes it came as, plus its memberships in both places where
/// clients look (top-level `groups` and `tags`, and `_meta`, which strict clients keep).
pub(super) fn write(listed: &Listed<'_>, expose_concerns: bool, out: &mut Vec<u8>) {
    let concerns = expose_concerns && !listed.concerns.is_empty();
    if listed.groups.is_empty() && listed.tags.is_empty() && !concerns {
        return out.extend_from_slice(listed.raw.get().as_bytes());
    }
    let mut object = Object::open(out);
    object.keep(&listed.members, &["groups", "tags", "_meta"]);
    object.facet("groups", &listed.groups);
    object.facet("tags", &listed.tags);
    object.key("_meta");
    let meta = listed.members.get("_meta").and_then(Members::read).unwrap_or_default();
    let [groups, tags] = ["groups", "tags"].map(|facet| format!("{PREFIX}/{facet}"));
    let prefixed = format!("{PREFIX}/concerns");
    let mut inner = Object::open(object.out);
    let ours: [&str; 4] = [&groups, &tags, &prefixed, "concerns"];
    // Concerns that are not exposed are the server's own affair: what it wrote itself stays.
    inner.keep(&meta, ours.get(..if concerns { 4 } else { 2 }).unwrap_or_default());
    inner.facet(&groups, &listed.groups);
    inner.facet(&tags, &listed.tags);
    if concerns {
        inner.concerns("concerns", listed);
        inner.concerns(&prefixed, listed);
    }
    inner.close();
    object.close();
}

/// An object being written.
struct Object<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl<'a> Object<'a> {
    fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    fn close(self) {
        self.out.push(b'}');
    }

    fn key(&mut self, key: &str) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(b',');
        }
        push_text(self.out, key);
        self.out.push(b':');
    }

    /// Copies every member but those that are about to be written anew.
    fn keep(&mut self, members: &Members<'_>, but: &[&str]) {
        for (key, value) in members.0.iter().filter(|(key, _)| !but.contains(&key.as_ref())) {
            self.key(key);
            self.out.extend_from_slice(value.get().as_bytes());
        }
    }

    fn facet(&mut self, key: &str, names: &[Cow<'_, str>]) {
        if !names.is_empty() {
            self.key(key);
            array(self.out, names);
        }
    }

    /// Concern values, a single one as plain text as the proposal writes it.
    fn concerns(&mut self, key: &str, listed: &Listed<'_>) {
        self.key(key);
        let mut inner = Object::open(self.out);
        for (name, values) in &listed.concerns {
            inner.key(name);
            match values.as_slice() {
                [only] => push_text(inner.out, only),
                several => array(inner.out, several),
            }
        }
        inner.close();
    }
}

fn array(out: &mut Vec<u8>, names: &[Cow<'_, str>]) {
    out.push(b'[');
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_text(out, name);
    }
    out.push(b']');
}
