//! A cache of filters that were applied to a view, for requests that repeat a filter.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use super::{Filter, Narrowing, Selection};
use crate::catalog::Kind;

/// Maximum number of applied filters that are stored for a view. The oldest is evicted first.
const MAX_APPLIED: usize = 16;
/// Maximum size, in bytes, of an applied filter that is stored.
const MAX_APPLIED_BYTES: usize = 32 * 1024;
/// Size of an applied filter without its texts and bitsets, in bytes, rounded up.
const ENTRY: usize = 1024;

/// A filter as it was applied to the primitives of a kind.
#[derive(Debug)]
pub struct AppliedFilter {
    /// The filter of the request, with the concerns that applied.
    pub filter: Filter,
    /// The request's filter and the URL's, compiled.
    pub narrowing: Narrowing,
    /// The primitives that both select.
    pub selection: Selection,
    /// The canonical texts of the request's filter and of the URL's filter.
    pub canonical: [Vec<u8>; 2],
    /// The report on the first page of the list, once it has been written.
    pub report: OnceLock<Vec<u8>>,
}

/// The inputs of an applied filter, except the view: the kind, the filter of the request as it was sent, and the query
/// of the URL.
type AppliedKey<'a> = (Kind, Option<&'a str>, &'a str);

/// The filters that were last applied to a view.
#[derive(Debug, Default)]
pub struct AppliedFilters {
    kept: Mutex<VecDeque<Kept>>,
    /// The total size of all views in bytes.
    meter: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Kept {
    kind: Kind,
    filter: Option<Box<str>>,
    query: Box<str>,
    applied: Arc<AppliedFilter>,
    size: usize,
}

impl AppliedFilters {
    /// Creates an empty cache that adds the size of its entries to `meter`, in bytes.
    pub fn metered(meter: &Arc<AtomicUsize>) -> Self {
        Self { meter: Arc::clone(meter), ..Self::default() }
    }

    /// Returns the filter that was applied under this key, if it is stored.
    pub fn get(&self, key: AppliedKey<'_>) -> Option<Arc<AppliedFilter>> {
        let kept = self.kept();
        kept.iter().find(|kept| kept.key() == key).map(|kept| Arc::clone(&kept.applied))
    }

    /// Stores an applied filter, unless it is too large or contains a search, because searches differ between requests.
    pub fn keep(&self, key: AppliedKey<'_>, applied: &Arc<AppliedFilter>) {
        let size = applied.size() + key.1.map_or(0, str::len) + key.2.len();
        if size > MAX_APPLIED_BYTES || applied.narrowing.searches() {
            return;
        }
        let (kind, filter, query) = key;
        let (filter, query, applied) = (filter.map(Box::from), query.into(), Arc::clone(applied));
        let mut kept = self.kept();
        if kept.len() == MAX_APPLIED
            && let Some(oldest) = kept.pop_front()
        {
            self.meter.fetch_sub(oldest.size, Relaxed);
        }
        kept.push_back(Kept { kind, filter, query, applied, size });
        self.meter.fetch_add(size, Relaxed);
    }

    /// Returns the size of all entries, in bytes.
    pub fn size(&self) -> usize {
        self.kept().iter().map(|kept| kept.size).sum()
    }

    /// Removes all entries.
    pub fn clear(&self) {
        self.kept().clear();
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        // The entries are consistent at every moment, so a poisoned lock is safe.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn key(&self) -> AppliedKey<'_> {
        (self.kind, self.filter.as_deref(), &self.query)
    }
}

impl AppliedFilter {
    /// Returns the estimated size in bytes. Each clause may cache two bitsets, and the report repeats the canonical
    /// texts.
    fn size(&self) -> usize {
        let bitsets = 2 * self.narrowing.clauses.len() + 4;
        let texts: usize = self.canonical.iter().map(Vec::len).sum();
        let ignored = self.narrowing.ignored().iter().map(|part| part.field.len() + part.reason.len());
        let unknown = self.narrowing.unknown().iter().map(|name| name.field.len() + name.reason.len());
        let reported: usize = ignored.chain(unknown).map(|length| length + 64).sum();
        ENTRY + bitsets * self.selection.bits().size() + 4 * texts + 2 * reported
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{AppliedFilter, AppliedFilters, AppliedKey, MAX_APPLIED, MAX_APPLIED_BYTES};
    use crate::{
        catalog::{Assignments, Catalog, Kind, Lists, Scope, Source},
        filter::{Filter, Narrowing, Selection},
    };
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    };

    fn catalog() -> Catalog {
        let lists = Lists::read(r#"{"tools":[{"name":"a","inputSchema":{}}]}"#).unwrap();
        Catalog::compile(&[Source { server: "one", lists }], &Assignments::default())
    }

    fn apply(catalog: &Catalog, filter: &str) -> Arc<AppliedFilter> {
        let filter = Filter::parse(filter).unwrap().filter;
        let scope = || Scope::everything(catalog);
        let (narrowing, mut selection) = (Narrowing::new(scope(), &filter), Selection::default());
        narrowing.select(scope(), Kind::Tool, &mut selection);
        let canonical = [filter.canonical(), Vec::new()];
        Arc::new(AppliedFilter { filter, narrowing, selection, canonical, report: Default::default() })
    }

    fn key(query: &str) -> AppliedKey<'_> {
        (Kind::Tool, None, query)
    }

    #[test]
    fn the_first_of_too_many_is_dropped_and_sizes_are_metered() {
        let (meter, catalog) = (Arc::new(AtomicUsize::new(0)), catalog());
        let (filters, applied) = (AppliedFilters::metered(&meter), apply(&catalog, "{}"));
        let queries: Vec<String> = (0..=MAX_APPLIED).map(|at| format!("page={at:02}")).collect();
        queries.iter().for_each(|query| filters.keep(key(query), &applied));
        let kept: Vec<bool> = queries.iter().map(|query| filters.get(key(query)).is_some()).collect();
        assert_eq!(kept.iter().filter(|kept| **kept).count(), MAX_APPLIED);
        assert_eq!(kept.first(), Some(&false));
        assert_eq!(meter.load(Relaxed), filters.size());
        filters.clear();
        assert_eq!(filters.size(), 0);
    }

    #[test]
    fn what_is_large_and_what_searches_is_not_kept() {
        let (filters, catalog) = (AppliedFilters::default(), catalog());
        let long = "x".repeat(MAX_APPLIED_BYTES);
        filters.keep(key(&long), &apply(&catalog, "{}"));
        filters.keep(key("search"), &apply(&catalog, r#"{"query":"a"}"#));
        assert_eq!(filters.size(), 0);
        filters.keep(key("tags"), &apply(&catalog, r#"{"tags":["a"]}"#));
        assert!(filters.size() > 0);
    }
}
