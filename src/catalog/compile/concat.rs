//! Concatenates the lists of all servers into one text, ordered by kind and server.

use std::sync::Arc;

use super::in_place::InPlaceWriter;
use crate::{
    catalog::{
        model::{kind::Kind, name_record::NameRecord},
        parse::{
            lists::{Item, Source},
            source_text::SourceText,
        },
    },
    json::Raw,
    sort_indices::sort_indices,
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

/// Copies the primitives of all sources into one text, ordered by kind and then by source. Templates come in the order
/// in which `record` has them: a URI belongs to the first that matches it, so a template that a server adds takes over
/// no URI of another server.
pub(crate) fn gather(sources: &[Source<'_>], record: Option<&NameRecord>) -> (InPlaceWriter, Vec<Batch>) {
    let servers: Vec<Arc<str>> = sources.iter().map(|source| Arc::from(source.server)).collect();
    let items = || {
        Kind::ALL.into_iter().flat_map(|kind| sources.iter().flat_map(move |source| source.lists.items(kind)))
    };
    let mut text = SourceText::with_room(items().map(|item| item.end - item.start + SEPARATOR.len()).sum());
    let mut batches = Vec::new();
    let mut end = 0;
    for kind in Kind::ALL {
        for (source, items) in runs(kind, sources, record) {
            let (Some(source), Some(server)) = (sources.get(source), servers.get(source)) else { continue };
            let copy = |item: Item| {
                let bytes = source.lists.text().as_bytes();
                text.push(bytes.get(item.start..item.end).unwrap_or_default());
                text.push(SEPARATOR);
                let start = end;
                let behind = start + item.end - item.start;
                end = behind + SEPARATOR.len();
                Item { start, end: behind, ..item }
            };
            let items = items.into_iter().map(copy).collect();
            batches.push(Batch { kind, server: Arc::clone(server), items });
        }
    }
    (InPlaceWriter::new(text), batches)
}

/// Returns the primitives of a kind in their order, each run of one source with the position of the source.
fn runs(kind: Kind, sources: &[Source<'_>], record: Option<&NameRecord>) -> Vec<(usize, Vec<Item>)> {
    let listed = || sources.iter().map(|source| source.lists.items(kind)).enumerate();
    let Some(record) = record.filter(|_| kind == Kind::Template && sources.len() > 1) else {
        return listed().map(|(source, items)| (source, items.to_vec())).collect();
    };
    let mut ranked = Vec::new();
    for (source, items) in listed() {
        let text = sources.get(source).map(|source| source.lists.text().as_bytes()).unwrap_or_default();
        for item in items {
            let id = item.id(kind, text, 0).and_then(|id| Raw::parse(id).ok()?.text());
            ranked.push((record.rank(kind, &id.unwrap_or_default()), source, *item));
        }
    }
    let rank = |at: usize| ranked.get(at).map(|(rank, ..)| *rank);
    let order = sort_indices(ranked.len(), &mut |one, other| rank(one).cmp(&rank(other)));
    let mut runs: Vec<(usize, Vec<Item>)> = Vec::new();
    for (_, source, item) in order.into_iter().filter_map(|at| ranked.get(at as usize)) {
        match runs.last_mut().filter(|(last, _)| last == source) {
            Some((_, items)) => items.push(*item),
            None => runs.push((*source, vec![*item])),
        }
    }
    runs
}
