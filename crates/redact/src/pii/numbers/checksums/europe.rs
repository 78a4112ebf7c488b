//! Numbers that authorities of other European countries issue.

use crate::pii::numbers::checksums::digits::{byte, date, digit, letter_of, number, uniform, weighted};

pub(crate) fn nif(bytes: &[u8]) -> bool {
    byte(bytes, 8) == letter_of(b"TRWAGMYFPDXBNJZSQVHLCKE", (number(bytes, 0, 8) % 23) as u32)
}

pub(crate) fn nie(bytes: &[u8]) -> bool {
    let first = match byte(bytes, 0) {
        b'X' => 0,
        b'Y' => 1,
        b'Z' => 2,
        _ => return false,
    };
    let rest = (first * 10_000_000 + number(bytes, 1, 7)) % 23;
    byte(bytes, 8) == letter_of(b"TRWAGMYFPDXBNJZSQVHLCKE", rest as u32)
}

pub(crate) fn nir(bytes: &[u8]) -> bool {
    // The two departments of Corsica have a letter, which counts as 19 and 18: `2A`, `2B`.
    let mut digits: [u8; 15] = bytes.try_into().unwrap_or_default();
    let [_, _, _, _, _, tens, ones, ..] = &mut digits;
    match (*tens, *ones) {
        (b'2', b'A') => [*tens, *ones] = *b"19",
        (b'2', b'B') => [*tens, *ones] = *b"18",
        _ => {}
    }
    digits.iter().all(u8::is_ascii_digit)
        && matches!(digits.first(), Some(b'1' | b'2'))
        && matches!(number(&digits, 3, 2), 1..=12 | 20 | 30..=42 | 50..)
        && 97 - number(&digits, 0, 13) % 97 == number(&digits, 13, 2)
}

pub(crate) fn pesel(bytes: &[u8]) -> bool {
    let month = number(bytes, 2, 2) % 20;
    date(number(bytes, 0, 2), month, number(bytes, 4, 2))
        && weighted(bytes, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
}

pub(crate) fn turkish(bytes: &[u8]) -> bool {
    let odd: u32 = [0, 2, 4, 6, 8].iter().map(|at| digit(bytes, *at)).sum();
    let even: u32 = [1, 3, 5, 7].iter().map(|at| digit(bytes, *at)).sum();
    byte(bytes, 0) != b'0'
        && (odd * 7 + 90 - even) % 10 == digit(bytes, 9)
        && (odd + even + digit(bytes, 9)) % 10 == digit(bytes, 10)
}

pub(crate) fn bsn(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[9, 8, 7, 6, 5, 4, 3, 2]);
    sum % 11 == digit(bytes, 8) && !uniform(bytes)
}

/// Belgian national number. For people born since 2000, a 2 is prepended before the check.
pub(crate) fn belgian(bytes: &[u8]) -> bool {
    let (body, check) = (number(bytes, 0, 9), number(bytes, 9, 2));
    let month = number(bytes, 2, 2) % 20;
    month <= 12
        && number(bytes, 4, 2) <= 31
        && (97 - body % 97 == check || 97 - (2_000_000_000 + body) % 97 == check)
}

pub(crate) fn ahv(bytes: &[u8]) -> bool {
    bytes.starts_with(b"756") && weighted(bytes, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]).is_multiple_of(10)
}
