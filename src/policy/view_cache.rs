use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use super::View;
use crate::{catalog::Bitset, digest::Hashing, sort_indices::sort_indices};

/// Maximum size, in bytes, of the views of one catalog that are cached, with their search indexes. The views that were
/// used least recently are dropped first, their search indexes before the views themselves. The one used last stays,
/// however large it is.
pub const MAX_VIEW_BYTES: usize = 16 << 20;
/// The size that is left when views are dropped, in bytes, so that the next new caller does not drop any.
const LEFT_BYTES: usize = MAX_VIEW_BYTES / 8 * 7;
/// What a caller and a view take beside what they hold, in bytes: their places in the tables, rounded up.
const ENTRY: usize = 256;

/// Everything about a caller that its view depends on.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The results of the terms that read the caller, judge after judge; then whether each preset applies to it, and
    /// whether its revision is older than that of the catalog. One byte each, 0 or 1.
    pub answers: Vec<u8>,
    /// The values of the fields that predicates read; `None` ends the values of each.
    pub values: Vec<Option<String>>,
}

impl Key {
    fn size(&self) -> usize {
        let text: usize = self.values.iter().flatten().map(String::capacity).sum();
        ENTRY + self.answers.capacity() + self.values.capacity() * size_of::<Option<String>>() + text
    }
}

/// The views of callers, by what these views depend on. Callers who see the same share one view, and with it the
/// search indexes, whatever they differ in.
#[derive(Debug)]
pub(super) struct ViewCache {
    callers: HashMap<Key, Cached, Hashing>,
    views: HashMap<Arc<[Bitset; 4]>, View, Hashing>,
    /// Counts the uses; each has a number of its own.
    uses: u64,
    /// The size of all views and indexes, in bytes. Indexes add theirs when they are made, perhaps long after their
    /// view was cached and perhaps after it was dropped, so that it is counted anew before anything is dropped.
    size: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Cached {
    view: View,
    /// The last use.
    used: u64,
}

impl ViewCache {
    /// An empty cache. Whoever does not know `seed` cannot craft callers that make its tables slow.
    pub fn new(seed: u64) -> Self {
        let (callers, views) = (HashMap::with_hasher(Hashing(seed)), HashMap::with_hasher(Hashing(seed)));
        Self { callers, views, uses: 0, size: Arc::default() }
    }

    /// The view of the callers with this key, if it is cached.
    pub fn get(&mut self, key: &Key) -> Option<View> {
        self.trim();
        self.uses += 1;
        let cached = self.callers.get_mut(key)?;
        cached.used = self.uses;
        cached.view.shared.used.store(self.uses, Relaxed);
        Some(cached.view.clone())
    }

    /// Caches a view, and returns it or one that shows the same.
    pub fn insert(&mut self, key: Key, view: View) -> View {
        let Some(visible) = view.visible.clone() else { return view };
        self.uses += 1;
        self.size.fetch_add(key.size(), Relaxed);
        let shared = self.views.entry(visible).or_insert_with(|| {
            let view = view.metered(&self.size);
            self.size.fetch_add(view_size(&view), Relaxed);
            view
        });
        let view = shared.clone();
        view.shared.used.store(self.uses, Relaxed);
        self.callers.insert(key, Cached { view: view.clone(), used: self.uses });
        self.trim();
        view
    }

    /// The size of all that is cached, in bytes.
    pub fn size(&self) -> usize {
        let views = self.views.values().map(|view| view_size(view) + view.shared.indexes.size());
        views.chain(self.callers.keys().map(Key::size)).sum()
    }

    /// Drops what was used least recently, if there is too much.
    fn trim(&mut self) {
        if self.size.load(Relaxed) <= MAX_VIEW_BYTES {
            return;
        }
        let mut size = self.size();
        if size > MAX_VIEW_BYTES {
            self.drop_indexes(&mut size);
            self.drop_callers(&mut size);
        }
        self.size.store(size, Relaxed);
    }

    fn drop_indexes(&self, size: &mut usize) {
        let mut views: Vec<_> =
            self.views.values().map(|view| (view.last_used(), &view.shared.indexes)).collect();
        by_use(&mut views);
        for (used, indexes) in views {
            if *size <= LEFT_BYTES || used == self.uses {
                return;
            }
            *size -= indexes.size();
            indexes.clear();
        }
    }

    fn drop_callers(&mut self, size: &mut usize) {
        let callers = self.callers.iter().map(|(key, cached)| (cached.used, key.size()));
        // A view was used last when one of its callers was, so none goes before its callers.
        let views =
            self.views.values().map(|view| (view.last_used(), view_size(view) + view.shared.indexes.size()));
        let mut all: Vec<_> = callers.chain(views).collect();
        by_use(&mut all);
        let mut dropped = 0;
        for (used, bytes) in all {
            if *size <= LEFT_BYTES || used == self.uses {
                break;
            }
            *size -= bytes;
            dropped = used;
        }
        self.callers.retain(|_, cached| cached.used > dropped);
        self.views.retain(|_, view| view.last_used() > dropped);
    }
}

/// Sorts by the last use.
fn by_use<T: Copy>(items: &mut Vec<(u64, T)>) {
    let used = |at: usize| items.get(at).map(|(used, _)| *used);
    let order = sort_indices(items.len(), &mut |a, b| used(a).cmp(&used(b)));
    *items = order.into_iter().filter_map(|at| items.get(at as usize).copied()).collect();
}

fn view_size(view: &View) -> usize {
    ENTRY + view.visible.iter().flat_map(|bits| bits.iter()).map(Bitset::size).sum::<usize>()
}
