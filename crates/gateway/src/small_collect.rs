//! Collects few items without sorting them first.

/// Inserts `items` one after the other into an empty map or set. All collections made here are small.
///
/// `collect` sorts the items of a `BTreeMap` first, and compiles the standard library's sort once more for each type.
pub(crate) fn small_collect<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut all = C::default();
    all.extend(items);
    all
}
