//! `listConcerns` with `members: true`: the primitives with each value of a concern, as `_meta["dev.mcpsieve/members"]`.
//!
//! A picker needs them, and would otherwise list the server once for each value. They disclose nothing that such lists
//! do not: a list for a value has its primitives and those without a value.

use std::collections::BTreeMap;

use mcp_sieve::{Error, Kind, catalog::Catalog, json::Raw, policy::View};
use serde_json::{Value, json};

/// The ids of primitives, by the list key of their kind.
type Ids<'a> = BTreeMap<&'static str, Vec<&'a str>>;

/// Returns whether a request asks for members.
///
/// # Errors
/// [`FilterType`](mcp_sieve::ErrorKind::FilterType) for anything but a boolean.
pub(super) fn wanted(param: Option<Raw<'_>>) -> Result<bool, Error> {
    match param.map(Raw::get) {
        None | Some("null" | "false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Error::filter_type("members", "`true` or `false`")),
    }
}

/// Adds the visible members of a concern to its declaration, by value and kind.
pub(super) fn add(declaration: &mut Value, view: &View, concern: &str) {
    let catalog = view.catalog();
    let primitives: Vec<_> = Kind::ALL
        .into_iter()
        .flat_map(|kind| view.bits(kind).iter().filter_map(move |index| catalog.primitive(kind, index)))
        .collect();
    let mut members = BTreeMap::<&str, Ids<'_>>::new();
    for primitive in &primitives {
        for value in primitive.concern(concern) {
            let ids = members.entry(value).or_default().entry(primitive.kind().list_key()).or_default();
            ids.push(primitive.id());
        }
    }
    let key = format!("{prefix}/members", prefix = Catalog::PREFIX);
    if let Some(object) = declaration.as_object_mut() {
        object.insert("_meta".to_owned(), json!({ key: members }));
    }
}
