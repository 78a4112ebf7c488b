//! The lists of a server that speaks both revisions, as one listing.

use std::{borrow::Cow, collections::HashSet};

use crate::{
    catalog::{Kind, LIST_ERA},
    json::{self, Members, Object, Raw},
    mcp::upstream::pages::Collected,
    revision::Era,
};

/// Returns a JSON array of list results: the lists of stateless requests, and what is listed in a session alone. What one
/// of them lacks is marked as that of the other; a primitive of both is the one that stateless requests list.
pub(crate) fn lists(stateless: &Collected, session: Option<&Collected>) -> String {
    let mut out = b"[".to_vec();
    match session {
        None => stateless.pages.iter().for_each(|(kind, array)| page(&mut out, *kind, None, array)),
        Some(session) => {
            write_missing(&mut out, stateless, session, Some(Era::Stateless), false);
            write_missing(&mut out, session, stateless, Some(Era::Session), true);
        }
    }
    out.push(b']');
    // Both halves were text.
    String::from_utf8(out).unwrap_or_default()
}

/// Writes the primitives of `listed`, those that `other` lacks as those of `era`; of the rest all, or none.
fn write_missing(
    out: &mut Vec<u8>,
    listed: &Collected,
    other: &Collected,
    era: Option<Era>,
    missing_alone: bool,
) {
    let known = ids(other);
    for (kind, array) in &listed.pages {
        let primitives = Raw::parse(array).ok().and_then(json::elements);
        let Some(primitives) = primitives else {
            // Not an array: the catalog says so.
            page(out, *kind, None, array);
            continue;
        };
        let is_missing =
            |primitive: &Raw<'_>| id(*kind, *primitive).is_some_and(|id| !known.contains(&(*kind, id)));
        for run in primitives.chunk_by(|a, b| is_missing(a) == is_missing(b)) {
            let missing = run.first().is_some_and(is_missing);
            if missing || !missing_alone {
                let run: Vec<&str> = run.iter().map(|primitive| primitive.get()).collect();
                page(out, *kind, era.filter(|_| missing), &["[", &run.join(","), "]"].concat());
            }
        }
    }
}

fn page(out: &mut Vec<u8>, kind: Kind, era: Option<Era>, array: &str) {
    if out.len() > 1 {
        out.push(b',');
    }
    let mut object = Object::open(out);
    if let Some(era) = era {
        object.text(LIST_ERA, era.name());
    }
    object.raw(kind.list_key(), array.as_bytes());
    object.close();
}

fn ids(collected: &Collected) -> HashSet<(Kind, Cow<'_, str>)> {
    let arrays = collected.pages.iter().filter_map(|(kind, array)| Some((*kind, Raw::parse(array).ok()?)));
    let primitives = arrays
        .flat_map(|(kind, array)| json::elements(array).into_iter().flatten().map(move |raw| (kind, raw)));
    primitives.filter_map(|(kind, primitive)| Some((kind, id(kind, primitive)?))).collect()
}

fn id(kind: Kind, primitive: Raw<'_>) -> Option<Cow<'_, str>> {
    Members::read(primitive)?.get(kind.id_key()).and_then(json::text)
}
