//! Searches for any byte of a set. Many bytes are compared at once.

/// A set of bytes, as ranges of first and last bytes, both included.
#[derive(Debug, Clone, Copy)]
pub struct ByteClass<const N: usize>(pub [(u8, u8); N]);

/// The number of bytes that are compared one by one before whole lanes.
const NEAR: usize = 2;
/// The number of bytes that are compared at once.
const LANE: usize = 16;
/// The number of bytes in a window, which has one bit for each in a bitmask.
pub(crate) const WINDOW: usize = 64;

impl<const N: usize> ByteClass<N> {
    /// Returns whether a byte is in the set.
    #[inline(always)]
    pub fn contains(&self, byte: u8) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&byte))
    }

    /// Returns the position of the first byte of the set at `from` or later.
    #[inline(always)]
    pub fn find(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let rest = bytes.get(from..)?;
        // If such bytes are frequent, comparing single bytes is faster than comparing a lane.
        if let Some(at) = rest.iter().take(NEAR).position(|byte| self.contains(*byte)) {
            return Some(from + at);
        }
        let (lanes, tail) = rest.as_chunks::<LANE>();
        for (at, lane) in lanes.iter().enumerate() {
            let found = self.lane_bitmask(lane);
            if found != 0 {
                return Some(from + at * LANE + found.trailing_zeros() as usize);
            }
        }
        Some(bytes.len() - tail.len() + tail.iter().position(|byte| self.contains(*byte))?)
    }

    /// Returns a bitmask of the bytes of a window that are in the set. The lowest bit stands for the first byte.
    #[inline(always)]
    pub fn bitmask(&self, window: &[u8; WINDOW]) -> u64 {
        let (lanes, _) = window.as_chunks();
        lanes.iter().rev().fold(0, |found, lane| found << LANE | u64::from(self.lane_bitmask(lane)))
    }

    /// Returns a bitmask of the bytes of a lane that are in the set. The lowest bit stands for the first byte.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[inline(always)]
    fn lane_bitmask(&self, lane: &[u8; LANE]) -> u32 {
        use std::arch::wasm32::{
            u8x16_bitmask, u8x16_le, u8x16_splat, u8x16_sub, u64x2, u64x2_splat, v128_or,
        };
        let wide = u128::from_le_bytes(*lane);
        let lane = u64x2(wide as u64, (wide >> 64) as u64);
        let found = self.0.iter().fold(u64x2_splat(0), |found, (first, last)| {
            let above = u8x16_sub(lane, u8x16_splat(*first));
            v128_or(found, u8x16_le(above, u8x16_splat(last - first)))
        });
        u32::from(u8x16_bitmask(found))
    }

    /// Returns a bitmask of the bytes of a lane that are in the set. The lowest bit stands for the first byte.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    #[inline(always)]
    fn lane_bitmask(&self, lane: &[u8; LANE]) -> u32 {
        let wide = u128::from_le_bytes(*lane);
        let half = |bytes: u64| {
            let found = self.0.iter().fold(0, |found, (first, last)| found | within(bytes, *first, *last));
            // The product gathers the highest bit of each byte in the highest byte.
            ((found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
        };
        half(wide as u64) | half((wide >> 64) as u64) << 8
    }
}

/// Returns a word with the highest bit set of each of eight bytes that is in a range.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn within(bytes: u64, first: u8, last: u8) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let (start, length) = (ONES * u64::from(first), last - first);
    // Subtracts the first byte of the range from each byte, without borrows between bytes.
    let above = ((bytes | HIGH) - (start & !HIGH)) ^ ((bytes ^ !start) & HIGH);
    // The highest bit is set where the low seven bits of the difference exceed those of the length.
    let beyond = (above & !HIGH) + ONES * u64::from(0x7f - (length & 0x7f));
    !(if length < 0x80 { beyond | above } else { beyond & above }) & HIGH
}

#[cfg(test)]
mod tests {
    use super::{ByteClass, WINDOW};

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn every_byte_is_in_the_ranges_that_hold_it() {
        for (first, last) in
            [(0, 0), (0, 255), (1, 254), (b'a', b'z'), (0x7f, 0x80), (0x80, 0xff), (3, 0x83), (255, 255)]
        {
            let class = ByteClass([(first, last)]);
            for byte in 0..=255u8 {
                let mut window = [byte; WINDOW];
                window.iter_mut().skip(WINDOW / 2).step_by(3).for_each(|slot| *slot = byte.wrapping_add(1));
                let naive =
                    window.iter().rev().fold(0, |all, byte| all << 1 | u64::from(class.contains(*byte)));
                assert_eq!(class.bitmask(&window), naive, "{byte} in {first} to {last}");
            }
        }
    }

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn finds_what_one_after_the_other_finds() {
        const SIGNS: ByteClass<3> = ByteClass([(b'-', b':'), (b'@', b'['), (0xc3, 0xff)]);
        let mut seed = 1u64;
        let mut byte = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let drawn = (seed >> 40) as u8;
            if seed >> 60 == 0 { drawn } else { b'a' + drawn % 26 }
        };
        for length in (0..200).cycle().take(4000) {
            let bytes: Vec<u8> = (0..length).map(|_| byte()).collect();
            for from in 0..=length + 1 {
                let naive =
                    (from..length).find(|at| bytes.get(*at).is_some_and(|byte| SIGNS.contains(*byte)));
                assert_eq!(SIGNS.find(&bytes, from), naive, "{bytes:?} from {from}");
            }
            if let Some(window) = bytes.first_chunk() {
                let naive =
                    window.iter().rev().fold(0, |all, byte| all << 1 | u64::from(SIGNS.contains(*byte)));
                assert_eq!(SIGNS.bitmask(window), naive, "{bytes:?}");
            }
        }
    }
}
