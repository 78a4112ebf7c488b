//! Applies the operator's annotations, icons and removed output schemas to a primitive.

use super::primitive_draft::PrimitiveDraft;
use crate::{
    catalog::{
        model::{binding::MemberOverrides, kind::Kind},
        parse::schema::OUTPUT_SCHEMA,
    },
    json::{Members, Object, Raw},
};

/// The member with what a server says about the effects of a tool, or about the readers of a resource.
const ANNOTATIONS: &str = "annotations";
/// The member with the icons of a primitive.
const ICONS: &str = "icons";

impl MemberOverrides {
    /// Replaces members of a primitive. `title` is the one that the same rule sets: hosts that read the title of a
    /// tool's annotations get it too.
    pub(crate) fn apply(&self, listed: &mut PrimitiveDraft<'_>, title: Option<&str>) {
        if *self == Self::default() && title.is_none() {
            return;
        }
        if let Some(title) = title.filter(|_| listed.kind == Kind::Tool) {
            let own = listed.member(ANNOTATIONS).and_then(Members::read);
            if own.is_some_and(|own| own.get("title").is_some()) {
                let mut json = Vec::new();
                let mut object = Object::open(&mut json);
                object.text("title", title);
                object.close();
                annotate(listed, &String::from_utf8(json).unwrap_or_default());
            }
        }
        if !self.annotations.is_empty() && matches!(listed.kind, Kind::Tool | Kind::Resource | Kind::Template)
        {
            annotate(listed, &self.annotations);
        }
        if let Some(icons) = self.icons.as_ref().filter(|_| listed.kind != Kind::Skill) {
            listed.replace(ICONS, icons.clone());
        }
        if self.drops_output_schema && listed.kind == Kind::Tool {
            listed.replace(OUTPUT_SCHEMA, None);
        }
    }
}

/// Merges members into the annotations of a primitive. `null` removes one.
fn annotate(listed: &mut PrimitiveDraft<'_>, json: &str) {
    let changes = Members::parse(json).unwrap_or_default();
    let own = listed.member(ANNOTATIONS).and_then(Members::read).unwrap_or_default();
    let (mut out, mut first) = (Vec::new(), true);
    let mut object = Object::open(&mut out);
    let kept = own.0.iter().map(|(key, value)| (key, changes.get(key).unwrap_or(*value)));
    let added = changes.0.iter().filter(|(key, _)| own.get(key).is_none()).map(|(key, value)| (key, *value));
    for (key, value) in kept.chain(added).filter(|(_, value): &(_, Raw<'_>)| !value.is_null()) {
        object.raw(key, value.get().as_bytes());
        first = false;
    }
    object.close();
    let json = if first { None } else { String::from_utf8(out).ok() };
    listed.replace(ANNOTATIONS, json);
}
