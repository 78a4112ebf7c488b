//! Numbers that authorities of the Americas issue.

use crate::pii::numbers::checksums::digits::{byte, date, digit, number, uniform, weighted};
use crate::scan::check_digits::luhn_sum;

pub(crate) fn ssn(bytes: &[u8]) -> bool {
    let (area, group, serial) = (number(bytes, 0, 3), number(bytes, 3, 2), number(bytes, 5, 4));
    // The last two numbers were printed in advertisements.
    !matches!(area, 0 | 666 | 900..)
        && group != 0
        && serial != 0
        && !uniform(bytes)
        && !matches!(number(bytes, 0, 9), 78_051_120 | 219_099_999)
}

/// Like [`ssn`], but rejects sequential placeholders such as 123-45-6789.
pub(crate) fn ssn_bare(bytes: &[u8]) -> bool {
    ssn(bytes) && !matches!(number(bytes, 0, 9), 123_456_789 | 987_654_320..=987_654_329)
}

pub(crate) fn itin(bytes: &[u8]) -> bool {
    matches!(number(bytes, 3, 2), 50..=65 | 70..=88 | 90..=92 | 94..=99)
}

/// US National Provider Identifier: Luhn with the prefix 80840, which adds 24 to the sum.
pub(crate) fn npi(bytes: &[u8]) -> bool {
    let counted = uniform(bytes.get(..9).unwrap_or_default());
    !counted && matches!(byte(bytes, 0), b'1' | b'2') && (luhn_sum(bytes) + 24).is_multiple_of(10)
}

/// US Medicare Beneficiary Identifier, which has no letters that look like digits.
pub(crate) fn mbi(bytes: &[u8]) -> bool {
    byte(bytes, 0) != b'0' && !bytes.iter().any(|byte| b"SLOIBZ".contains(byte))
}

/// Registration number of the US Drug Enforcement Administration.
pub(crate) fn dea(bytes: &[u8]) -> bool {
    let sum = [2, 4, 6].iter().map(|at| digit(bytes, *at)).sum::<u32>()
        + 2 * [3, 5, 7].iter().map(|at| digit(bytes, *at)).sum::<u32>();
    b"ABCDEFGHJKLMPRSTUX".contains(&byte(bytes, 0))
        && (byte(bytes, 1) == b'9' || byte(bytes, 1).is_ascii_alphabetic())
        && sum % 10 == digit(bytes, 8)
}

pub(crate) fn cpf(bytes: &[u8]) -> bool {
    let check = |weights: &[u32]| match weighted(bytes, weights) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    !uniform(bytes)
        && check(&[10, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 9)
        && check(&[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 10)
}

pub(crate) fn cnpj(bytes: &[u8]) -> bool {
    let check = |weights: &[u32]| match weighted(bytes, weights) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    !uniform(bytes)
        && check(&[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 12)
        && check(&[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 13)
}

/// With letters, each of which counts as its ASCII code less 48.
pub(crate) fn cnpj_letters(bytes: &[u8]) -> bool {
    let check = |weights: &[u32]| {
        let one = |(byte, weight): (&u8, &u32)| u32::from(byte.wrapping_sub(b'0')) * weight;
        match bytes.iter().zip(weights).map(one).sum::<u32>() % 11 {
            0 | 1 => 0,
            rest => 11 - rest,
        }
    };
    bytes.iter().any(u8::is_ascii_uppercase)
        && check(&[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 12)
        && check(&[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 13)
}

pub(crate) fn curp(bytes: &[u8]) -> bool {
    date(number(bytes, 4, 2), number(bytes, 6, 2), number(bytes, 8, 2)) && b"HMX".contains(&byte(bytes, 10))
}
