//! Sorting by index, so that one sort is compiled for all types.

use std::cmp::Ordering;

/// Returns the indices `0..len` sorted by `compare`. The sort is stable.
///
/// The standard library compiles its sort again for each element type, 4 to 8 KB each time. Indices are of one type,
/// whatever they point to, and merging them takes no more comparisons and a tenth of the code.
pub fn sort_indices(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    let mut merged = Vec::with_capacity(len);
    let mut width = 1;
    while width < len {
        for pair in order.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at_checked(width).unwrap_or((pair, &[]));
            let mut is_after =
                |one: u32, other: u32| compare(one as usize, other as usize) == Ordering::Greater;
            // Two halves that are in order already need no merging.
            let apart = |(one, other): (&u32, &u32)| !is_after(*one, *other);
            if !left.last().zip(right.first()).is_none_or(apart) {
                while let (Some((one, ones)), Some((other, others))) =
                    (left.split_first(), right.split_first())
                {
                    if is_after(*one, *other) {
                        merged.push(*other);
                        right = others;
                    } else {
                        merged.push(*one);
                        left = ones;
                    }
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        merged.clear();
        width *= 2;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::sort_indices;

    #[test]
    fn indices_are_sorted_as_the_standard_library_does() {
        let mut seed = 1u32;
        for len in (0..70).chain([127, 128, 129, 1000]) {
            for range in [1, 3, 1000] {
                let mut next = || {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 16) % range
                };
                let values: Vec<u32> = (0..len).map(|_| next()).collect();
                let mut expected: Vec<u32> = (0..len).collect();
                expected.sort_by_key(|at| values.get(*at as usize));
                let sorted = sort_indices(len as usize, &mut |a, b| values.get(a).cmp(&values.get(b)));
                assert_eq!(sorted, expected, "{values:?}");
            }
        }
    }
}
