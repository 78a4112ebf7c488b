use std::cmp::Ordering;

/// Returns the indices `0..len` in the order that `compare` gives. Equal ones come in any order.
///
/// The standard library compiles its sort again for each element type, about 4 KB each time. Indices are of one
/// type, whatever they point to.
pub(crate) fn sort_indices(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    order.sort_unstable_by(|a, b| compare(*a as usize, *b as usize));
    order
}
