//! The search indexes of a catalog or view, built at first use.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use super::{Index, build::WordCounts};
use crate::catalog::{Bitset, ByKind, Catalog, Kind};

/// The indexes of a catalog, or of the part that one caller may see. Each index is built at its first use and then
/// kept.
#[derive(Debug, Default)]
pub struct Indexes {
    kinds: ByKind<Mutex<Option<Kept>>>,
    /// The counter to which the size of each new index is added, in bytes.
    meter: Option<Arc<AtomicUsize>>,
    /// The words of the catalog, if several parts of it share them.
    words: Option<Arc<SharedWords>>,
}

/// The words of a catalog, which are read at the first search and shared by the indexes of all its parts.
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
    /// Creates an empty set of indexes for a part of the catalog with these words.
    pub(crate) fn sharing(words: &Arc<SharedWords>) -> Self {
        Self { words: Some(Arc::clone(words)), ..Self::default() }
    }

    /// Creates an empty set of indexes for the same part. The size of each new index is added to `meter`, in bytes.
    pub(crate) fn metered(&self, meter: &Arc<AtomicUsize>) -> Self {
        Self { meter: Some(Arc::clone(meter)), words: self.words.clone(), ..Self::default() }
    }

    /// Creates an empty set of indexes for another part of the same catalog.
    pub(crate) fn beside(&self) -> Self {
        Self { meter: self.meter.clone(), words: self.words.clone(), ..Self::default() }
    }

    fn make(&self, catalog: &Catalog, kind: Kind, visible: &Bitset) -> Arc<Index> {
        let words = self.words.as_ref().and_then(|words| words.kinds.get(kind as usize));
        let all = || WordCounts::read(catalog, kind, catalog.kind_index(kind).all());
        Arc::new(match words {
            Some(words) => lock(words).get_or_insert_with(all).index(visible),
            None => Index::within(catalog, kind, visible),
        })
    }

    /// Returns the index of the `visible` primitives of a kind. If the stored index has a different visible set,
    /// another one is built and not stored.
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

    /// Returns the size of all stored indexes, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.kinds.iter().filter_map(|cell| lock(cell).as_ref().map(Kept::size)).sum()
    }

    /// Drops all indexes. They are built again at their next use.
    pub(crate) fn clear(&self) {
        self.kinds.iter().for_each(|cell| *lock(cell) = None);
    }
}

fn lock<T>(cell: &Mutex<T>) -> MutexGuard<'_, T> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Indexes;
    use crate::{
        catalog::{Assignments, Bitset, Catalog, Kind, Lists, Source},
        rank::Scratch,
    };

    #[test]
    fn an_index_of_visible_tools_does_not_leak_into_another_set() {
        let tool = |name| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
        let tools = ["pay_salary", "read_payroll", "list_pays"].map(tool).join(",");
        let lists = format!(r#"{{"tools":[{tools}]}}"#);
        let lists = Lists::read(&lists);
        let source = Source { server: "a", lists: lists.unwrap() };
        let catalog = Catalog::compile(&[source], &Assignments::default());
        let (all, none) = (Bitset::all(3), Bitset::none(3));
        let (indexes, mut scratch) = (Indexes::default(), Scratch::default());
        assert_eq!(indexes.get(&catalog, Kind::Tool, &all).search("pay", 9, &mut scratch).len(), 2);
        assert_eq!(indexes.get(&catalog, Kind::Tool, &none).search("pay", 9, &mut scratch), []);
    }

    #[test]
    fn threads_may_share_indexes() {
        fn shared<T: Send + Sync>() {}
        shared::<Indexes>();
    }
}
