//! As many bytes as are compared at once.

pub use lanes::*;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod lanes {
    use std::arch::wasm32::{
        i8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2, v128, v128_any_true, v128_or,
    };

    pub const LENGTH: usize = 16;

    /// How many at the start are neither quote, backslash nor control character.
    #[inline(always)]
    pub fn plain(bytes: &[u8; LENGTH]) -> usize {
        let found = i8x16_bitmask(special(bytes));
        (u32::from(found) | 1 << LENGTH).trailing_zeros() as usize
    }

    /// Whether four lanes hold neither quote, backslash nor control character.
    #[inline(always)]
    pub fn are_plain([one, two, three, four]: &[[u8; LENGTH]; 4]) -> bool {
        let (first, last) = (v128_or(special(one), special(two)), v128_or(special(three), special(four)));
        !v128_any_true(v128_or(first, last))
    }

    /// All ones where a byte is a quote, a backslash or a control character.
    #[inline(always)]
    fn special(bytes: &[u8; LENGTH]) -> v128 {
        let wide = u128::from_le_bytes(*bytes);
        let bytes = u64x2(wide as u64, (wide >> 64) as u64);
        let quote = u8x16_eq(bytes, u8x16_splat(b'"'));
        let backslash = u8x16_eq(bytes, u8x16_splat(b'\\'));
        let control = u8x16_lt(bytes, u8x16_splat(b' '));
        v128_or(v128_or(quote, backslash), control)
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod lanes {
    pub const LENGTH: usize = 8;

    /// How many at the start are neither quote, backslash nor control character.
    #[inline(always)]
    pub fn plain(bytes: &[u8; LENGTH]) -> usize {
        special(bytes).trailing_zeros() as usize / 8
    }

    /// Whether four lanes hold neither quote, backslash nor control character.
    #[inline(always)]
    pub fn are_plain([one, two, three, four]: &[[u8; LENGTH]; 4]) -> bool {
        special(one) | special(two) | special(three) | special(four) == 0
    }

    /// The top bit of a byte is set where it is a quote, a backslash or a control character. Borrows can only set bits
    /// above the lowest true one.
    #[inline(always)]
    fn special(bytes: &[u8; LENGTH]) -> u64 {
        const ONES: u64 = u64::MAX / 255;
        let bytes = u64::from_le_bytes(*bytes);
        let quote = bytes ^ (ONES * b'"' as u64);
        let backslash = bytes ^ (ONES * b'\\' as u64);
        let found = (bytes.wrapping_sub(ONES * 0x20) & !bytes)
            | (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash);
        found & (ONES << 7)
    }
}
