//! A cache of callers' views, with a size limit.

use crate::policy::Guarded;
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use super::View;
use crate::{catalog::Bitset, digest::Hashing, sort_indices::sort_indices};

impl Guarded {
    /// Maximum size, in bytes, of the views of one catalog that are cached, with their search indexes and applied
    /// filters. The least recently used entries are dropped first: the indexes and applied filters of a view before the
    /// view itself. The view that was used last is always kept.
    pub const MAX_VIEW_BYTES: usize = 16 << 20;
}

/// The size that is left when views are dropped, in bytes, so that the next new caller does not drop any.
const LEFT_BYTES: usize = Guarded::MAX_VIEW_BYTES / 8 * 7;
/// Size, in bytes, of the table entries of a caller and a view, rounded up.
const ENTRY: usize = 256;

/// The views of callers, by the properties on which views depend. Callers with the same visible primitives share one
/// view and its search indexes.
#[derive(Debug, Default)]
pub(super) struct ViewCache {
    /// The place of each caller, by its key. The same type finds other names, so that there is one table in a module.
    places: HashMap<Arc<str>, usize, Hashing>,
    callers: Vec<Cached>,
    /// Each view once, with a hash of its visible primitives.
    views: Vec<(u64, View)>,
    /// Counts the uses; each has a number of its own.
    uses: u64,
    /// The size of all views and indexes, in bytes. Indexes add theirs when they are made, perhaps long after their
    /// view was cached and perhaps after it was dropped, so that it is counted anew before anything is dropped.
    size: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Cached {
    key: Arc<str>,
    view: View,
    /// The last use.
    used: u64,
}

impl ViewCache {
    /// Returns the view of the callers with this key, if it is cached. The key contains everything about a caller that
    /// its view depends on.
    pub fn get(&mut self, key: &str) -> Option<View> {
        self.trim();
        let place = *self.places.get(key)?;
        let cached = self.callers.get_mut(place)?;
        self.uses += 1;
        cached.used = self.uses;
        cached.view.shared.used.store(self.uses, Relaxed);
        Some(cached.view.clone())
    }

    /// Caches a view, and returns it or one that shows the same. Callers cannot be crafted to make the table slow
    /// unless `seed` is known.
    pub fn insert(&mut self, key: &str, view: View, seed: u64) -> View {
        if self.callers.is_empty() {
            self.places = HashMap::with_hasher(Hashing(seed));
        }
        self.uses += 1;
        let hash = hash(&view);
        let mut known = self.views.iter().filter(|(known, _)| *known == hash).map(|(_, known)| known);
        let view = match known.find(|known| (&known.visible, &known.pages) == (&view.visible, &view.pages)) {
            Some(known) => known.clone(),
            None => {
                let view = view.metered(&self.size);
                self.size.fetch_add(view_size(&view), Relaxed);
                self.views.push((hash, view.clone()));
                view
            }
        };
        view.shared.used.store(self.uses, Relaxed);
        let cached = Cached { key: key.into(), view: view.clone(), used: self.uses };
        self.size.fetch_add(caller_size(&cached), Relaxed);
        self.places.insert(Arc::clone(&cached.key), self.callers.len());
        self.callers.push(cached);
        self.trim();
        view
    }

    /// Returns the size of all that is cached, in bytes.
    pub fn size(&self) -> usize {
        let views: usize = self.views.iter().map(|(_, view)| view_size(view) + derived_size(view)).sum();
        views + self.callers.iter().map(caller_size).sum::<usize>()
    }

    /// Drops the least recently used entries if the cache is too large.
    fn trim(&mut self) {
        if self.size.load(Relaxed) <= Guarded::MAX_VIEW_BYTES {
            return;
        }
        let mut size = self.size();
        if size > Guarded::MAX_VIEW_BYTES {
            let derived = self.views.iter().map(|(_, view)| (view.last_used(), derived_size(view)));
            let last = self.last_dropped(derived.collect(), &mut size);
            let dropped = self.views.iter().filter(|(_, view)| view.last_used() <= last);
            dropped.for_each(|(_, view)| {
                view.clear_indexes();
                view.shared.applied.clear();
            });

            // A view was used last when one of its callers was, so none goes before its callers.
            let mut all: Vec<_> =
                self.views.iter().map(|(_, view)| (view.last_used(), view_size(view))).collect();
            all.extend(self.callers.iter().map(|cached| (cached.used, caller_size(cached))));
            let last = self.last_dropped(all, &mut size);
            self.callers.retain(|cached| cached.used > last);
            self.views.retain(|(_, view)| view.last_used() > last);
            self.places.clear();
            for (place, cached) in self.callers.iter().enumerate() {
                self.places.insert(Arc::clone(&cached.key), place);
            }
        }
        self.size.store(size, Relaxed);
    }

    /// Returns the last use up to which entries have to be dropped, or zero if none has to be. `items` has the last use
    /// and the size of each entry. The sizes of dropped entries are subtracted from `size`.
    fn last_dropped(&self, items: Vec<(u64, usize)>, size: &mut usize) -> u64 {
        let used = |at: usize| items.get(at).map(|(used, _)| *used);
        let order = sort_indices(items.len(), &mut |a, b| used(a).cmp(&used(b)));
        let mut last = 0;
        for (used, bytes) in order.into_iter().filter_map(|at| items.get(at as usize)) {
            if *size <= LEFT_BYTES || *used == self.uses {
                break;
            }
            *size = size.saturating_sub(*bytes);
            last = *used;
        }
        last
    }
}

fn caller_size(cached: &Cached) -> usize {
    ENTRY + cached.key.len()
}

/// Returns the size of data that was derived from a view and can be derived again: search indexes and applied filters.
fn derived_size(view: &View) -> usize {
    view.indexes_size() + view.shared.applied.size()
}

fn view_size(view: &View) -> usize {
    let pages = view.pages.iter().map(|pages| pages.size()).sum::<usize>();
    ENTRY + pages + view.visible.iter().flat_map(|bits| bits.iter()).map(Bitset::size).sum::<usize>()
}

/// Returns a hash of the visible primitives, which finds views that may be equal.
fn hash(view: &View) -> u64 {
    let words = view.visible.iter().flat_map(|bits| bits.iter()).flat_map(Bitset::words);
    words.fold(0, |hash, word| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}
