/// Whether two texts are the same. Keys and names are short, and WebAssembly compares memory byte by byte.
#[inline(always)]
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    one.len() == other.len() && same_bytes(one.as_bytes(), other.as_bytes())
}

/// The same for as many bytes of both.
fn same_bytes(one: &[u8], other: &[u8]) -> bool {
    match (one.last_chunk(), other.last_chunk()) {
        // The last word of eight bytes has what is left of the words before it.
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

/// All bytes of fewer than eight; of as many, no two texts have the same.
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
