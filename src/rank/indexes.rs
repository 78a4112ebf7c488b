use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use super::{Index, build::WordCounts};
use crate::catalog::{Bitset, ByKind, Catalog, Kind};

/// The indexes of a catalog, or of what one caller may see of it: each is made when it is first asked for,
/// and kept.
#[derive(Debug, Default)]
pub struct Indexes {
    kinds: ByKind<Mutex<Option<Kept>>>,
    /// What the size of each index is added to when it is made, in bytes.
    meter: Option<Arc<AtomicUsize>>,
    /// The words of the catalog, if they are shared with other parts of it.
    words: Option<Arc<SharedWords>>,
}

/// The words of a catalog, read when a part of it is first searched, for the indexes of all its parts.
#[derive(Debug, Default)]
pub(crate) struct SharedWords {
    kinds: ByKind<Mutex<Option<WordCounts>>>,
}

#[derive(Debug)]
struct Kept {
    visible: Bitset,
    index: Arc<Index>,
}

impl Kept {
    fn size(&self) -> usize {
        self.index.size() + self.visible.size()
    }
}

impl Indexes {
    /// No indexes yet, of a part of the catalog whose words these are.
    pub(crate) fn sharing(words: &Arc<SharedWords>) -> Self {
        Self { words: Some(Arc::clone(words)), ..Self::default() }
    }

    /// No indexes yet, of the same part. The size of each that is made will be added to `meter`, in bytes.
    pub(crate) fn metered(&self, meter: &Arc<AtomicUsize>) -> Self {
        Self { meter: Some(Arc::clone(meter)), words: self.words.clone(), ..Self::default() }
    }

    fn make(&self, catalog: &Catalog, kind: Kind, visible: &Bitset) -> Arc<Index> {
        let words = self.words.as_ref().and_then(|words| words.kinds.get(kind as usize));
        let all = || WordCounts::read(catalog, kind, catalog.kind_index(kind).all());
        Arc::new(match words {
            Some(words) => lock(words).get_or_insert_with(all).index(visible),
            None => Index::within(catalog, kind, visible),
        })
    }

    /// The index of what is `visible` of a kind. One that was asked for with something else visible is not
    /// given for this: another is made, and not kept.
    pub fn get(&self, catalog: &Catalog, kind: Kind, visible: &Bitset) -> Arc<Index> {
        let make = || self.make(catalog, kind, visible);
        let Some(cell) = self.kinds.get(kind as usize) else { return make() };
        let mut cell = lock(cell);
        let kept = cell.get_or_insert_with(|| {
            let kept = Kept { visible: visible.clone(), index: make() };
            self.meter.iter().for_each(|meter| _ = meter.fetch_add(kept.size(), Relaxed));
            kept
        });
        if kept.visible == *visible { Arc::clone(&kept.index) } else { make() }
    }

    /// How many bytes all indexes take that were made.
    pub(crate) fn size(&self) -> usize {
        self.kinds.iter().filter_map(|cell| lock(cell).as_ref().map(Kept::size)).sum()
    }

    /// Drops all indexes. They are made again when they are asked for.
    pub(crate) fn clear(&self) {
        self.kinds.iter().for_each(|cell| *lock(cell) = None);
    }
}

fn lock<T>(cell: &Mutex<T>) -> MutexGuard<'_, T> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}
