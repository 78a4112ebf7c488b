//! Searches 8 or 16 bytes at once for those that JSON strings escape, with SIMD in WebAssembly.

pub use lanes::*;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod lanes {
    use std::arch::wasm32::{i8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2, v128_or};

    pub const LENGTH: usize = 16;

    /// Returns the number of bytes at the start that are neither quote, backslash nor control character.
    #[inline(always)]
    pub fn plain(bytes: &[u8; LENGTH]) -> usize {
        let wide = u128::from_le_bytes(*bytes);
        let bytes = u64x2(wide as u64, (wide >> 64) as u64);
        let quote = u8x16_eq(bytes, u8x16_splat(b'"'));
        let backslash = u8x16_eq(bytes, u8x16_splat(b'\\'));
        let control = u8x16_lt(bytes, u8x16_splat(b' '));
        let found = i8x16_bitmask(v128_or(v128_or(quote, backslash), control));
        (u32::from(found) | 1 << LENGTH).trailing_zeros() as usize
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod lanes {
    pub const LENGTH: usize = 8;

    /// Returns the number of bytes at the start that are neither quote, backslash nor control character.
    #[inline(always)]
    pub fn plain(bytes: &[u8; LENGTH]) -> usize {
        // The top bit of a byte of `found` says that the byte is one of these. Borrows can only set bits above the
        // lowest true one.
        const ONES: u64 = u64::MAX / 255;
        let bytes = u64::from_le_bytes(*bytes);
        let quote = bytes ^ (ONES * b'"' as u64);
        let backslash = bytes ^ (ONES * b'\\' as u64);
        let found = (bytes.wrapping_sub(ONES * 0x20) & !bytes)
            | (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash);
        (found & (ONES << 7)).trailing_zeros() as usize / 8
    }
}
