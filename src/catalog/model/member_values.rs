//! The values of the members that a primitive spells out itself, as expressions and concerns read them.

use std::borrow::Cow;

use super::kind::Kind;
use crate::{
    expr::{Field, at_path},
    json::{self, Members, Number, Raw},
};

/// A concern value on a primitive: text, a number, or an array of these.
pub(crate) fn concern_values(raw: Raw<'_>) -> Option<Vec<Cow<'_, str>>> {
    let one = |raw| json::text(raw).or_else(|| number_text(raw).map(Cow::Owned));
    match json::elements(raw) {
        Some(values) => values.into_iter().map(one).collect(),
        None => one(raw).map(|value| vec![value]),
    }
}

/// The canonical text of a JSON number (`3`, `3.0` and `3e0` are one value), or `None` for anything else.
pub fn number_text(raw: Raw<'_>) -> Option<String> {
    Some(raw.get().parse::<Number>().ok()?.to_string())
}

/// The member that a field is read from, of those that a primitive itself spells out.
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

/// The member of a skill's frontmatter that a field is read from.
pub(crate) fn frontmatter_key(kind: Kind, field: &Field) -> Option<&'static str> {
    match field {
        _ if kind != Kind::Skill => None,
        Field::Name => Some("name"),
        Field::Description => Some("description"),
        Field::Meta(_) => Some("metadata"),
        _ => None,
    }
}

/// The values of a field that a primitive itself spells out, given its members. A skill spells them out in its
/// frontmatter; `_meta` beside it holds what others have attached.
pub(crate) fn written<'a>(
    kind: Kind,
    field: &Field,
    member: &dyn Fn(&'static str) -> Option<Raw<'a>>,
    visit: &mut dyn FnMut(&str),
) {
    if let Some(key) = frontmatter_key(kind, field) {
        let inner = member(FRONTMATTER).and_then(Members::read).and_then(|inner| inner.get(key));
        inner.into_iter().for_each(|value| values(value, field, visit));
    }
    let outer = member_of(kind, field).and_then(member);
    outer.into_iter().for_each(|value| values(value, field, visit));
}

/// The values of a field in the [member](member_of) that it is read from.
fn values(member: Raw<'_>, field: &Field, visit: &mut dyn FnMut(&str)) {
    let annotation = |name: &str| Members::read(member)?.get(name);
    let found = match field {
        Field::Annotation(name) => annotation(name),
        Field::Audience => annotation("audience"),
        Field::Priority => annotation("priority"),
        Field::LastModified => annotation("lastModified"),
        Field::Meta(path) => Members::read(member)
            .and_then(|meta| at_path(meta, path, |object, key| object.get(key), Members::read)),
        _ => Some(member).filter(|raw| json::text(*raw).is_some()),
    };
    if let Some(raw) = found {
        match json::elements(raw) {
            Some(elements) => elements.into_iter().for_each(|raw| spell(raw, visit)),
            None => spell(raw, visit),
        }
    }
}

/// Text as it is, numbers in their one spelling, whatever else as it is written, `null` not at all.
fn spell(raw: Raw<'_>, visit: &mut dyn FnMut(&str)) {
    if json::is_null(raw) {
        return;
    }
    match json::text(raw).or_else(|| number_text(raw).map(Cow::Owned)) {
        Some(text) => visit(&text),
        None => visit(raw.get()),
    }
}
