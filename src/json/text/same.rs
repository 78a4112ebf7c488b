//! Compares short texts for equality, eight bytes at a time.

/// Returns whether two texts are equal. Keys and names are short, and WebAssembly compares memory byte by byte.
#[inline(always)]
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    one.len() == other.len() && same_bytes(one.as_bytes(), other.as_bytes())
}

/// Returns whether two slices of the same length are equal.
fn same_bytes(one: &[u8], other: &[u8]) -> bool {
    match (one.last_chunk(), other.last_chunk()) {
        // The last eight bytes overlap the words before them and include the remaining bytes.
        (Some(last), Some(other_last)) => {
            let (words, other_words) = (one.as_chunks().0, other.as_chunks().0);
            word(last) == word(other_last)
                && words.iter().zip(other_words).all(|(one, other)| word(one) == word(other))
        }
        _ => short(one) == short(other),
    }
}

#[inline(always)]
fn word(bytes: &[u8; 8]) -> u64 {
    u64::from_le_bytes(*bytes)
}

/// Returns a number that is unique among slices of the same length, for fewer than eight bytes.
#[inline(always)]
fn short(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::same_text;

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn every_byte_counts() {
        for length in 0..40 {
            let one: String = ('0'..).take(length).collect();
            assert!(same_text(&one, &one.clone()), "{one}");
            assert!(!same_text(&one, &[one.as_str(), "-"].concat()), "{one} and a byte more");
            for at in 0..length {
                let mut other = one.clone();
                other.replace_range(at..=at, "-");
                assert!(!same_text(&one, &other), "{one} and {other}");
            }
        }
    }
}
