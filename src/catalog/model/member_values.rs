//! The values of a primitive's own members, as expressions and concerns read them.

use std::borrow::Cow;

use super::kind::Kind;
use crate::{
    expr::Field,
    json::{Members, Number, Raw, pick},
};

/// Reads the concern value of a primitive: text, a number, or an array of these.
pub(crate) fn concern_values(raw: Raw<'_>) -> Option<Vec<Cow<'_, str>>> {
    let one = |raw| Raw::text(raw).or_else(|| number_text(raw).map(Cow::Owned));
    match raw.elements() {
        Some(values) => values.into_iter().map(one).collect(),
        None => one(raw).map(|value| vec![value]),
    }
}

/// Returns the canonical text of a JSON number (`3`, `3.0` and `3e0` are the same), or `None` for any other value.
pub fn number_text(raw: Raw<'_>) -> Option<String> {
    Some(raw.get().parse::<Number>().ok()?.to_string())
}

/// Returns the member of a primitive's JSON from which a field is read, if there is one.
pub(crate) fn member_of(kind: Kind, field: &Field) -> Option<&'static str> {
    Some(match field {
        Field::Name | Field::Title | Field::Description if kind == Kind::Skill => return None,
        Field::Name => "name",
        Field::Title => "title",
        Field::Description => "description",
        Field::Uri if !kind.is_named() => kind.id_key(),
        Field::Annotation(_) | Field::Audience | Field::Priority | Field::LastModified => "annotations",
        Field::Meta(_) => "_meta",
        _ => return None,
    })
}

/// The member of a skill that holds the frontmatter of its `SKILL.md`.
pub(crate) const FRONTMATTER: &str = "frontmatter";

/// Returns the member of a skill's frontmatter from which a field is read.
pub(crate) fn frontmatter_key(kind: Kind, field: &Field) -> Option<&'static str> {
    match field {
        _ if kind != Kind::Skill => None,
        Field::Name => Some("name"),
        Field::Description => Some("description"),
        Field::Meta(_) => Some("metadata"),
        _ => None,
    }
}

/// Visits the values of a field in the members of a primitive. Those of a skill come from its frontmatter, and from its
/// `_meta`, which holds what others have added.
pub(crate) fn written<'a>(
    kind: Kind,
    field: &Field,
    member: &dyn Fn(&'static str) -> Option<Raw<'a>>,
    visit: &mut dyn FnMut(&str),
) {
    if let Some(key) = frontmatter_key(kind, field) {
        let ([inner], _) =
            member(FRONTMATTER).map_or(([None], false), |frontmatter| pick(frontmatter, [key]));
        inner.into_iter().for_each(|value| values(value, field, visit));
    }
    let outer = member_of(kind, field).and_then(member);
    outer.into_iter().for_each(|value| values(value, field, visit));
}

/// Visits the values of a field in the [member](member_of) from which it is read.
fn values(member: Raw<'_>, field: &Field, visit: &mut dyn FnMut(&str)) {
    // A condition could not see a text with a lone surrogate, or any member beside such a key.
    let text = member.well_formed();
    let member = Raw::known(&text);
    let annotation = |name: &str| Members::read(member)?.get(name);
    let found = match field {
        Field::Annotation(name) => annotation(name),
        Field::Audience => annotation("audience"),
        Field::Priority => annotation("priority"),
        Field::LastModified => annotation("lastModified"),
        Field::Meta(path) => Members::read(member)
            .and_then(|meta| Field::at_path(meta, path, |object, key| object.get(key), Members::read)),
        _ => Some(member).filter(|raw| raw.text().is_some()),
    };
    if let Some(raw) = found {
        match raw.elements() {
            Some(elements) => elements.into_iter().for_each(|raw| spell(raw, visit)),
            None => spell(raw, visit),
        }
    }
}

/// Visits one value: text as it is, a number in its canonical form, and other JSON as it is written. Skips `null`.
fn spell(raw: Raw<'_>, visit: &mut dyn FnMut(&str)) {
    if raw.is_null() {
        return;
    }
    match raw.text().or_else(|| number_text(raw).map(Cow::Owned)) {
        Some(text) => visit(&text),
        None => visit(raw.get()),
    }
}
