//! Collects few items without sorting them first.

/// Inserts `items` one after the other into an empty map or set.
///
/// `collect` sorts the items of a `BTreeMap` first, and compiles the standard library's sort, about 5 KB, once more for
/// each type that is collected. All collections made here are small.
pub(crate) fn small_collect<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut all = C::default();
    all.extend(items);
    all
}
