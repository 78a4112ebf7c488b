use std::cmp::Ordering;

/// The places `0..len` in the order that `compare` gives; equal ones in any order.
///
/// The standard library's sort is made anew for each type that is sorted, some 4 KB each time. Places are of one
/// type, whatever stands there.
pub(crate) fn arranged(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    order.sort_unstable_by(|a, b| compare(*a as usize, *b as usize));
    order
}
