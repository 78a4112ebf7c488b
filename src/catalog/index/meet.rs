//! Operations on the words of two sets, eight words at a time. In WebAssembly they use 128-bit lanes, which the
//! compiler does not choose by itself when it optimizes for size.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use std::arch::wasm32::{
    u64x2, u64x2_extract_lane, v128, v128_and, v128_andnot, v128_any_true, v128_not, v128_or, v128_xor,
};

/// Number of words that are combined without a jump.
const STEP: usize = 8;

/// An operation that combines a word of one set with a word of another.
pub(super) trait Meet {
    fn word(word: u64, other: u64) -> u64;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn lane(lane: v128, other: v128) -> v128;
}

macro_rules! meet {
    ($($(#[$doc:meta])* $name:ident = $word:expr, $lane:expr;)+) => {$(
        $(#[$doc])*
        pub(super) enum $name {}

        impl Meet for $name {
            #[inline(always)]
            fn word(word: u64, other: u64) -> u64 {
                ($word)(word, other)
            }

            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            #[inline(always)]
            fn lane(lane: v128, other: v128) -> v128 {
                ($lane)(lane, other)
            }
        }
    )+};
}

meet! {
    /// The members of both sets.
    And = |word: u64, other: u64| word & other, v128_and;
    /// The members of the first set that the other lacks.
    AndNot = |word: u64, other: u64| word & !other, v128_andnot;
    /// The members of at least one set.
    Or = |word: u64, other: u64| word | other, v128_or;
    /// The members of the first set, and what the other lacks.
    OrNot = |word: u64, other: u64| word | !other, |lane, other| v128_or(lane, v128_not(other));
    /// The members of the other set.
    Take = |_, other: u64| other, |_, other| other;
    /// The complement of the other set.
    TakeNot = |_, other: u64| !other, |_, other| v128_not(other);
}

/// Combines words with others, up to the length of the shorter slice.
#[inline(never)] // a call is nothing beside the loop, and the loop is long
pub(super) fn meet<M: Meet>(words: &mut [u64], others: &[u64]) {
    let length = words.len().min(others.len());
    let (words, others) = (words.get_mut(..length), others.get(..length));
    let (steps, rest) = words.unwrap_or_default().as_chunks_mut::<STEP>();
    let (other_steps, other_rest) = others.unwrap_or_default().as_chunks::<STEP>();
    steps.iter_mut().zip(other_steps).for_each(|(words, others)| step::<M>(words, others));
    rest.iter_mut().zip(other_rest).for_each(|(word, other)| *word = M::word(*word, *other));
}

/// Returns whether all words are equal. WebAssembly compares memory byte by byte, which is slower.
#[inline(never)]
pub(super) fn same(words: &[u64], others: &[u64]) -> bool {
    let (steps, rest) = words.as_chunks::<STEP>();
    let (other_steps, other_rest) = others.as_chunks::<STEP>();
    words.len() == others.len()
        && steps.iter().zip(other_steps).all(|(words, others)| !differ(words, others))
        && rest.iter().zip(other_rest).all(|(word, other)| word ^ other == 0)
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn step<M: Meet>(words: &mut [u64; STEP], others: &[u64; STEP]) {
    let [a, b, c, d, e, f, g, h] = *words;
    let [i, j, k, l, m, n, o, p] = *others;
    let first = M::lane(u64x2(a, b), u64x2(i, j));
    let second = M::lane(u64x2(c, d), u64x2(k, l));
    let third = M::lane(u64x2(e, f), u64x2(m, n));
    let fourth = M::lane(u64x2(g, h), u64x2(o, p));
    let low = |lane| u64x2_extract_lane::<0>(lane);
    let high = |lane| u64x2_extract_lane::<1>(lane);
    *words = [
        low(first),
        high(first),
        low(second),
        high(second),
        low(third),
        high(third),
        low(fourth),
        high(fourth),
    ];
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn differ(words: &[u64; STEP], others: &[u64; STEP]) -> bool {
    let [a, b, c, d, e, f, g, h] = *words;
    let [i, j, k, l, m, n, o, p] = *others;
    let first = v128_xor(u64x2(a, b), u64x2(i, j));
    let second = v128_xor(u64x2(c, d), u64x2(k, l));
    let third = v128_xor(u64x2(e, f), u64x2(m, n));
    let fourth = v128_xor(u64x2(g, h), u64x2(o, p));
    v128_any_true(v128_or(v128_or(first, second), v128_or(third, fourth)))
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn step<M: Meet>(words: &mut [u64; STEP], others: &[u64; STEP]) {
    let [a, b, c, d, e, f, g, h] = words;
    let [i, j, k, l, m, n, o, p] = *others;
    (*a, *b, *c, *d) = (M::word(*a, i), M::word(*b, j), M::word(*c, k), M::word(*d, l));
    (*e, *f, *g, *h) = (M::word(*e, m), M::word(*f, n), M::word(*g, o), M::word(*h, p));
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn differ(words: &[u64; STEP], others: &[u64; STEP]) -> bool {
    words.iter().zip(others).fold(0, |differs, (word, other)| differs | (word ^ other)) != 0
}

#[cfg(test)]
mod tests {
    use super::{And, AndNot, Meet, Or, OrNot, Take, TakeNot, meet, same};

    /// Returns pseudorandom words.
    fn words(length: usize, seed: u64) -> Vec<u64> {
        let mut drawn = seed;
        let mut draw = || {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            drawn ^ drawn >> 29
        };
        (0..length).map(|_| draw()).collect()
    }

    #[track_caller]
    fn meets<M: Meet>(length: usize, other_length: usize, expected: impl Fn(u64, u64) -> u64) {
        let (before, others) = (words(length, 1), words(other_length, 2));
        let mut met = before.clone();
        meet::<M>(&mut met, &others);
        for (at, (met, before)) in met.iter().zip(&before).enumerate() {
            let expected = others.get(at).map_or(*before, |other| expected(*before, *other));
            assert_eq!(*met, expected, "word {at} of {length}, with {other_length}");
        }
    }

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn steps_give_what_words_give() {
        for length in 0..40_usize {
            for other_length in [0, 7, length.saturating_sub(1), length, length + 1, 64] {
                meets::<And>(length, other_length, |word, other| word & other);
                meets::<AndNot>(length, other_length, |word, other| word & !other);
                meets::<Or>(length, other_length, |word, other| word | other);
                meets::<OrNot>(length, other_length, |word, other| word | !other);
                meets::<Take>(length, other_length, |_, other| other);
                meets::<TakeNot>(length, other_length, |_, other| !other);
            }
        }
    }

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn one_bit_makes_a_difference() {
        for length in 0..40_usize {
            let one = words(length, 3);
            assert!(same(&one, &one.clone()));
            assert!(!same(&one, &words(length + 1, 3)));
            for at in 0..length {
                let mut other = one.clone();
                other.get_mut(at).into_iter().for_each(|word| *word ^= 1 << (at * 7 % 64));
                assert!(!same(&one, &other), "word {at} of {length}");
            }
        }
    }
}
