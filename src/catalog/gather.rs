use std::sync::Arc;

use super::{Incoming, Kind, Source, lists::Item, stock::Stock};

/// Primitives of one kind that one server listed.
#[derive(Debug)]
pub(super) struct Batch {
    pub kind: Kind,
    pub server: Arc<str>,
    pub items: Vec<Item>,
}

/// Copies the primitives of all sources into one text, kind by kind and within a kind source by source.
pub(super) fn gather(sources: &[Source<'_>]) -> (Stock, Vec<Batch>) {
    let servers: Vec<Arc<str>> = sources.iter().map(|source| Arc::from(source.server)).collect();
    let items = || {
        Kind::ALL.into_iter().flat_map(|kind| sources.iter().flat_map(move |source| source.lists.items(kind)))
    };
    let mut text = Incoming::with_room(items().map(|item| item.end - item.start).sum());
    let mut batches = Vec::new();
    let mut end = 0;
    for kind in Kind::ALL {
        for (source, server) in sources.iter().zip(&servers) {
            let copy = |item: &Item| {
                let bytes = source.lists.text().as_bytes();
                text.push(bytes.get(item.start..item.end).unwrap_or_default());
                let start = end;
                end += item.end - item.start;
                Item { start, end, ..*item }
            };
            let items = source.lists.items(kind).iter().map(copy).collect();
            batches.push(Batch { kind, server: Arc::clone(server), items });
        }
    }
    (Stock::new(text), batches)
}
