//! Check-digit algorithms that several issuers use.

/// Returns the value of a digit or capital letter: 0 to 9, then `A` as 10; 0 for any other byte.
pub(crate) fn value(byte: u8) -> u32 {
    match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        b'A'..=b'Z' => u32::from(byte - b'A') + 10,
        _ => 0,
    }
}

/// Returns whether all bytes are equal.
pub(crate) fn uniform(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| Some(byte) == bytes.first())
}

/// Returns whether digits have a valid Luhn checksum and are not all equal.
pub(crate) fn luhn(bytes: &[u8]) -> bool {
    luhn_sum(bytes).is_multiple_of(10) && !uniform(bytes)
}

pub(crate) fn luhn_sum(bytes: &[u8]) -> u32 {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    bytes
        .iter()
        .rev()
        .enumerate()
        .map(|(at, byte)| if at % 2 == 1 { doubled(value(*byte)) } else { value(*byte) })
        .sum()
}

/// Returns whether digits have a valid Verhoeff checksum. The multiplication table of the dihedral group of order ten
/// is computed, not stored.
pub(crate) fn verhoeff(bytes: &[u8]) -> bool {
    const TURN: [u32; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let product = |left: u32, right: u32| match (left < 5, right < 5) {
        (true, true) => (left + right) % 5,
        (true, false) => (left + right - 5) % 5 + 5,
        (false, true) => (left - 5 + 5 - right) % 5 + 5,
        (false, false) => (left + 5 - right) % 5,
    };
    let sum = bytes.iter().rev().enumerate().fold(0, |sum, (place, byte)| {
        let turned =
            (0..place % 8).fold(value(*byte), |digit, _| TURN.get(digit as usize).copied().unwrap_or(0));
        product(sum, turned)
    });
    sum == 0
}

/// Returns whether digits have a valid check digit of ISO 7064, MOD 11,10.
pub(crate) fn mod_11_10(bytes: &[u8]) -> bool {
    let Some((last, body)) = bytes.split_last() else { return false };
    let product = body.iter().fold(10, |product, byte| {
        let sum = (value(*byte) + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == value(*last)
}

/// Returns a number modulo 97, in which a letter stands for two digits, from `A` as 10 (ISO 7064, MOD 97-10).
pub(crate) fn mod_97(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(0, |rest, byte| match value(byte) {
        digit @ 0..10 => (rest * 10 + digit) % 97,
        letter => (rest * 100 + letter) % 97,
    })
}

/// Returns whether the last byte is the check digit of the others with the weights 7, 3 and 1, as on machine-readable
/// documents.
pub(crate) fn document(bytes: &[u8]) -> bool {
    let Some((last, body)) = bytes.split_last() else { return false };
    let sum: u32 =
        body.iter().zip([7, 3, 1].iter().cycle()).map(|(byte, weight)| value(*byte) * weight).sum();
    sum % 10 == value(*last)
}
