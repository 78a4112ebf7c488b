use std::sync::Arc;

use super::in_place::InPlaceWriter;
use crate::catalog::{
    model::kind::Kind,
    parse::{
        lists::{Item, Source},
        source_text::SourceText,
    },
};

/// The separator between two primitives, as in a list. [`InPlaceWriter`] writes a comma in its place.
const SEPARATOR: &[u8] = b",";

/// The primitives of one kind and one server.
#[derive(Debug)]
pub(crate) struct Batch {
    pub kind: Kind,
    pub server: Arc<str>,
    pub items: Vec<Item>,
}

/// Copies the primitives of all sources into one text, ordered by kind and then by source.
pub(crate) fn gather(sources: &[Source<'_>]) -> (InPlaceWriter, Vec<Batch>) {
    let servers: Vec<Arc<str>> = sources.iter().map(|source| Arc::from(source.server)).collect();
    let items = || {
        Kind::ALL.into_iter().flat_map(|kind| sources.iter().flat_map(move |source| source.lists.items(kind)))
    };
    let mut text = SourceText::with_room(items().map(|item| item.end - item.start + SEPARATOR.len()).sum());
    let mut batches = Vec::new();
    let mut end = 0;
    for kind in Kind::ALL {
        for (source, server) in sources.iter().zip(&servers) {
            let copy = |item: &Item| {
                let bytes = source.lists.text().as_bytes();
                text.push(bytes.get(item.start..item.end).unwrap_or_default());
                text.push(SEPARATOR);
                let start = end;
                let behind = start + item.end - item.start;
                end = behind + SEPARATOR.len();
                Item { start, end: behind, ..*item }
            };
            let items = source.lists.items(kind).iter().map(copy).collect();
            batches.push(Batch { kind, server: Arc::clone(server), items });
        }
    }
    (InPlaceWriter::new(text), batches)
}
