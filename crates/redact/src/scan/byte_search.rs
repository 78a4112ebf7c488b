//! Searches for one byte. Many bytes are compared at once.

/// The number of bytes that are compared at once.
const LANE: usize = 16;

/// Returns the first position of `byte` from `from` up to `to`, `to` excluded, for which `accept` returns true.
#[inline(always)]
pub(crate) fn find_any<const N: usize>(
    bytes: &[u8],
    wanted: [u8; N],
    from: usize,
    to: usize,
    mut accept: impl FnMut(usize) -> bool,
) -> Option<usize> {
    let (lanes, tail) = bytes.get(from..to)?.as_chunks::<LANE>();
    for (at, lane) in lanes.iter().enumerate() {
        let mut found = wanted.iter().fold(0, |found, byte| found | places_in_lane(lane, *byte));
        while found != 0 {
            let place = from + at * LANE + (found.trailing_zeros() / BITS) as usize;
            if accept(place) {
                return Some(place);
            }
            found &= found - 1;
        }
    }
    let found = tail.iter().enumerate().filter(|(_, other)| wanted.contains(other));
    found.map(|(at, _)| to - tail.len() + at).find(|place| accept(*place))
}

/// The number of bits for each byte in the result of [`places_in_lane`].
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
const BITS: u32 = 1;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
const BITS: u32 = 8;

/// Returns a bitmask of the positions of a byte in a lane.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn places_in_lane(lane: &[u8; LANE], byte: u8) -> u32 {
    use std::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat, u64x2};
    let wide = u128::from_le_bytes(*lane);
    let lane = u64x2(wide as u64, (wide >> 64) as u64);
    u32::from(u8x16_bitmask(u8x16_eq(lane, u8x16_splat(byte))))
}

/// Returns a word with the highest bit set of each byte of a lane that equals `byte`.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn places_in_lane(lane: &[u8; LANE], byte: u8) -> u128 {
    const ONES: u64 = u64::MAX / 255;
    const LOW: u64 = ONES * 0x7f;
    let wide = u128::from_le_bytes(*lane);
    let places = |half: u64| {
        let others = half ^ (ONES * u64::from(byte));
        ((others & LOW) + LOW) | others | LOW
    };
    !(u128::from(places(wide as u64)) | u128::from(places((wide >> 64) as u64)) << 64)
}

#[cfg(test)]
mod tests {
    use super::find_any;

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn finds_what_one_after_the_other_finds() {
        for length in 0..40 {
            for other in 0..=255u8 {
                let letter =
                    |at: usize| if at.is_multiple_of(5) { b'm' } else { other.wrapping_add(at as u8) };
                let bytes: Vec<u8> = (0..length).map(letter).collect();
                for (from, to) in [(0, length), (1, length), (3, length.saturating_sub(2))] {
                    let accept = |place: usize| place % 3 == 1;
                    for wanted in [[b'm', b'm'], [b'm', other]] {
                        let stands = |at: &usize| bytes.get(*at).is_some_and(|byte| wanted.contains(byte));
                        let naive = (from..to).find(|at| stands(at) && accept(*at));
                        assert_eq!(
                            find_any(&bytes, wanted, from, to, accept),
                            naive,
                            "{bytes:?} from {from}"
                        );
                    }
                }
            }
        }
    }
}
