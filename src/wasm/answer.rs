//! What JavaScript gets as objects, written as JSON.

use crate::{
    catalog::{Bits, Shelf, Tokens},
    concern::{Concern, Concerns, Range, Scalar, Values},
    error::Ignored,
    filter::Filter,
    json::{Object, push_array, push_text},
    policy::View,
    rank::Hit,
};

/// The names, `uri`s or `uriTemplate`s of what is selected.
pub(super) fn names(shelf: &Shelf, selected: &Bits) -> Vec<u8> {
    let mut out = Vec::new();
    push_array(&mut out, selected.iter().filter_map(|index| shelf.id(index)), push_text);
    out
}

/// What was found: its place among the visible, its name, and how well it fits.
pub(super) fn hits(shelf: &Shelf, visible: &Bits, hits: &[Hit]) -> Vec<u8> {
    let mut out = Vec::new();
    push_array(&mut out, hits, |out, hit| {
        let mut object = Object::open(out);
        object.raw("index", visible.count_below(hit.index).to_string().as_bytes());
        object.text("name", shelf.id(hit.index).unwrap_or_default());
        object.raw("score", hit.score.to_string().as_bytes());
        object.close();
    });
    out
}

/// What a selection takes of a context.
pub(super) fn tokens(tokens: Tokens) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.raw("count", tokens.count.to_string().as_bytes());
    object.raw("exact", if tokens.exact { b"true" } else { b"false" });
    object.close();
    out
}

/// The canonical form of a filter, its hash and what of it had no effect.
pub(super) fn filter(filter: &Filter, ignored: &[Ignored]) -> Vec<u8> {
    applied(filter.hash(), &filter.canonical(), ignored)
}

/// The same of any filter.
pub(super) fn applied(hash: u128, canonical: &[u8], ignored: &[Ignored]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("hash", &format!("{hash:032x}"));
    object.raw("applied", canonical);
    push_array(object.value("ignored"), ignored, |out, part| {
        let mut object = Object::open(out);
        object.text("field", &part.field);
        object.text("reason", part.reason);
        object.close();
    });
    object.close();
    out
}

/// The hash, groups, tags and concerns of a catalog, and what was left out of it.
pub(super) fn catalog(view: &View, concerns: &Concerns) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("hash", &format!("{:032x}", view.catalog().hash()));
    push_array(object.value("groups"), view.groups(), |out, group| {
        let mut object = Object::open(out);
        object.text("name", &group.name);
        optional(&mut object, "title", group.title.as_deref());
        optional(&mut object, "description", group.description.as_deref());
        optional(&mut object, "parent", group.parent.as_deref());
        object.close();
    });
    push_array(object.value("tags"), view.tags(), |out, tag| {
        let mut object = Object::open(out);
        object.text("name", &tag.name);
        object.text("description", &tag.description);
        object.close();
    });
    push_array(object.value("concerns"), concerns.iter(), declaration);
    push_array(object.value("reports"), view.catalog().reports(), |out, report| {
        let mut object = Object::open(out);
        object.text("kind", &report.kind.to_string());
        object.text("name", &report.name);
        object.text("problem", &report.problem);
        object.close();
    });
    object.close();
    out
}

fn declaration(out: &mut Vec<u8>, concern: &Concern) {
    let mut object = Object::open(out);
    object.text("name", &concern.name);
    optional(&mut object, "description", concern.description.as_deref());
    match &concern.values {
        Values::Listed(values) => object.texts("values", values),
        Values::Range(Range { min, max, step }) => {
            let mut range = Object::open(object.value("values"));
            for (key, number) in [("min", Some(min)), ("max", Some(max)), ("step", step.as_ref())] {
                if let Some(number) = number {
                    range.raw(key, number.to_string().as_bytes());
                }
            }
            range.close();
        }
    }
    if concern.ordered {
        object.raw("ordered", b"true");
    }
    match &concern.default {
        Some(Scalar::Text(text)) => object.text("default", text),
        Some(Scalar::Number(number)) => object.raw("default", number.to_string().as_bytes()),
        None => {}
    }
    object.close();
}

fn optional(object: &mut Object<'_>, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        object.text(key, value);
    }
}
