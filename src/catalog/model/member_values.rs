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
        Field::Name => "name",
        Field::Title => "title",
        Field::Description => "description",
        Field::Uri if matches!(kind, Kind::Resource | Kind::Template) => kind.id_key(),
        Field::Annotation(_) | Field::Audience | Field::Priority | Field::LastModified => "annotations",
        Field::Meta(_) => "_meta",
        _ => return None,
    })
}

/// The values of a field that a primitive itself spells out, given the [member](member_of) that they are read from.
pub(crate) fn written(member: Raw<'_>, field: &Field, visit: &mut dyn FnMut(&str)) {
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
