//! A small Bloom-style filter that detects possibly repeated keys of an object.

/// The keys of one object so far, as two bits for each. It never misses a repeated key, and rarely suspects another.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KeyFilter(u64, u64);

impl KeyFilter {
    /// Adds the key from `start` to `end` in a text. Returns whether it may be there already.
    #[inline(always)]
    pub(super) fn add(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        let hash = hash(text, start, end);
        let (one, two) = (1 << (hash >> 58), 1 << (hash >> 52 & 63));
        let known = self.0 & one != 0 && self.1 & two != 0;
        self.0 |= one;
        self.1 |= two;
        known
    }
}

/// Returns a hash of the first and the last eight bytes of a key, which spreads short keys well. Anyone can make two
/// keys collide.
#[inline(always)]
fn hash(text: &[u8], start: usize, end: usize) -> u64 {
    let length = end.wrapping_sub(start);
    let first = word(text, start);
    let ends = match length {
        0..8 => first & !(u64::MAX << (8 * length)),
        _ => first ^ word(text, end.wrapping_sub(8)).rotate_left(32),
    };
    // An odd number near 2^64 divided by the golden ratio.
    (ends ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Returns eight bytes of a text as a number. Bytes after its end are zero.
#[inline(always)]
fn word(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}
