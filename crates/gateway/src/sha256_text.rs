//! The text form of SHA-256 hashes.

/// Returns a SHA-256 hash as `sha256:` and 64 hexadecimal digits.
pub(crate) fn sha256_text(hash: &[u8; 32]) -> String {
    hash.iter().fold("sha256:".to_owned(), |mut text, byte| {
        text.extend(
            [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or_default()),
        );
        text
    })
}
