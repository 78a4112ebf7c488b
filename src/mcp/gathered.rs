/// A map or a set of these, put in one after the other.
///
/// `collect` sorts them first, and brings the standard library's sort with it anew for each place that collects,
/// some 5 KB. All maps here are small.
pub fn gathered<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut all = C::default();
    all.extend(items);
    all
}
