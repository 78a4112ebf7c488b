//! New names and URIs for primitives whose original name callers cannot use.

use super::primitive_draft::PrimitiveDraft;
use crate::{
    catalog::{index::attached::skill_directory, model::kind::Kind},
    json::{Members, Object, Raw},
};

/// A new name for a primitive, which callers use instead of its server's name.
#[derive(Debug)]
pub(crate) struct NewName {
    pub id: String,
    /// The manifest of a skill as JSON, because the URIs of its files change with its own.
    pub files: Option<String>,
}

impl NewName {
    /// Creates a new name or URI for a primitive.
    pub fn new(listed: &PrimitiveDraft<'_>, id: String) -> Self {
        let resources = if listed.kind == Kind::Skill { listed.members().get("resources") } else { None };
        let files = resources.and_then(|resources| manifest(resources, &listed.id, &id));
        Self { id, files }
    }
}

/// Returns the manifest of the skill `own` with the URIs for callers. Returns `None` if it has no list of files.
fn manifest(resources: Raw<'_>, own: &str, id: &str) -> Option<String> {
    let [own, directory] = [own, id].map(|uri| skill_directory(uri).unwrap_or(uri));
    let mut out = Vec::with_capacity(resources.get().len());
    Object::push_array(&mut out, resources.elements()?, |out, file| {
        let mut object = Object::open(out);
        for (key, value) in Members::read(file).unwrap_or_default().0 {
            let name = if key == "uri" { value.text() } else { None };
            match name.as_deref().and_then(|name| name.strip_prefix(own)) {
                Some(path) => object.text(&key, &[directory, path].concat()),
                None => object.raw(&key, value.get().as_bytes()),
            }
        }
        object.close();
    });
    String::from_utf8(out).ok()
}
