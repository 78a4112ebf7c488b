//! Renaming of the groups, tags and concerns in the lists of a server.
//!
//! Names are replaced before the lists are compiled, so rules, filters, policies and `_meta` use only the new ones.

use std::borrow::Cow;

use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog, Group},
    json::{self, Members, Object, Raw},
};

use super::renames::{NameMap, Renames};

/// Returns list results with the operator's names. Text of another shape is returned unchanged.
pub fn renamed_lists<'a>(text: &'a str, renames: &Renames) -> Cow<'a, str> {
    if renames.is_empty() {
        return Cow::Borrowed(text);
    }
    let Ok(raw) = Raw::parse_deep(text) else { return Cow::Borrowed(text) };
    let mut out = Vec::with_capacity(text.len());
    match raw.elements() {
        Some(results) => {
            Object::push_array(&mut out, results, |out, result| write_result(out, result, renames))
        }
        None => write_result(&mut out, raw, renames),
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Writes one list result.
fn write_result(out: &mut Vec<u8>, result: Raw<'_>, renames: &Renames) {
    let Some(members) = Members::read(result) else { return out.extend_from_slice(result.get().as_bytes()) };
    let mut object = Object::open(out);
    for (key, value) in &members.0 {
        match value.elements().filter(|_| Kind::from_list_key(key).is_some()) {
            Some(primitives) => Object::push_array(object.value(key), primitives, |out, primitive| {
                write_primitive(out, primitive, renames);
            }),
            // The text may also be a whole response.
            None if key == "result" => write_result(object.value(key), *value, renames),
            None => object.raw(key, value.get().as_bytes()),
        }
    }
    object.close();
}

/// Writes a primitive. It is unchanged unless it names groups, tags or concerns.
fn write_primitive(out: &mut Vec<u8>, primitive: Raw<'_>, renames: &Renames) {
    let names = |key: &str| match key {
        "groups" => Some(Part::Names(&renames.groups)),
        "tags" => Some(Part::Names(&renames.tags)),
        "annotations" => Some(Part::Annotations),
        "_meta" => Some(Part::Meta),
        _ => None,
    };
    write_object(out, primitive, renames, &names);
}

/// A member that contains names.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// An array of names.
    Names(&'a NameMap),
    /// An object with this member, an array of names.
    Within(&'static str, &'a NameMap),
    /// An object whose keys are names.
    Keys(&'a NameMap),
    Annotations,
    Meta,
}

/// Writes an object with new names in the members that `part` knows. A member without any names left is omitted.
fn write_object<'a>(
    out: &mut Vec<u8>,
    object: Raw<'_>,
    renames: &'a Renames,
    part: &dyn Fn(&str) -> Option<Part<'a>>,
) {
    let members =
        Members::read(object).filter(|members| members.0.iter().any(|(key, _)| part(key).is_some()));
    let Some(members) = members else { return out.extend_from_slice(object.get().as_bytes()) };
    let mut object = Object::open(out);
    for (key, value) in &members.0 {
        match part(key) {
            None => object.raw(key, value.get().as_bytes()),
            Some(Part::Annotations) => write_object(object.value(key), *value, renames, &|key| match key {
                "groups" => Some(Part::Names(&renames.groups)),
                "tags" => Some(Part::Names(&renames.tags)),
                _ => None,
            }),
            Some(Part::Meta) => write_object(object.value(key), *value, renames, &|key| {
                let own = key.strip_prefix(Catalog::PREFIX).and_then(|key| key.strip_prefix('/'));
                match own.unwrap_or(key) {
                    "groups" if own.is_some() => Some(Part::Names(&renames.groups)),
                    "tags" => Some(Part::Names(&renames.tags)),
                    "fastmcp" | "_fastmcp" => Some(Part::Within("tags", &renames.tags)),
                    Assignments::TOOLBOX => Some(Part::Within("groups", &renames.groups)),
                    "concerns" => Some(Part::Keys(&renames.concerns)),
                    Group::SEP_2084_KEY => Some(Part::Names(&renames.groups)),
                    _ => None,
                }
            }),
            Some(Part::Names(map)) => write_names(&mut object, key, *value, map),
            Some(Part::Within(member, map)) => {
                write_object(object.value(key), *value, renames, &|key| {
                    (key == member).then_some(Part::Names(map))
                });
            }
            Some(Part::Keys(map)) => write_keys(&mut object, key, *value, map),
        }
    }
    object.close();
}

/// Writes an array of names. Any other value is kept, so that the catalog can report it.
fn write_names(object: &mut Object<'_>, key: &str, value: Raw<'_>, map: &NameMap) {
    let names: Option<Vec<_>> =
        value.elements().and_then(|names| names.into_iter().map(json::Raw::text).collect());
    let Some(names) = names else { return object.raw(key, value.get().as_bytes()) };
    let mut renamed: Vec<&str> = Vec::with_capacity(names.len());
    renamed.extend(names.iter().filter_map(|name| map.get(name)));
    if !renamed.is_empty() || names.is_empty() {
        object.texts(key, &renamed);
    }
}

/// Writes an object whose keys are names. If two names become the same, only the first is written.
fn write_keys(object: &mut Object<'_>, key: &str, value: Raw<'_>, map: &NameMap) {
    let Some(members) = Members::read(value) else { return object.raw(key, value.get().as_bytes()) };
    let mut written: Vec<&str> = Vec::new();
    let mut inner = Object::open(object.value(key));
    for (name, value) in &members.0 {
        if let Some(renamed) = map.get(name).filter(|renamed| !written.contains(renamed)) {
            written.push(renamed);
            inner.raw(renamed, value.get().as_bytes());
        }
    }
    inner.close();
}
