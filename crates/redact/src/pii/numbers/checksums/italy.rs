//! Numbers that Italian authorities issue.

use crate::pii::numbers::checksums::digits::{byte, value};
use crate::scan::check_digits::luhn;

pub(crate) fn fiscal_code(bytes: &[u8]) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let sum: u32 = bytes
        .iter()
        .take(15)
        .enumerate()
        .map(|(at, byte)| {
            let place = if byte.is_ascii_digit() { value(*byte) } else { value(*byte) - 10 };
            if at % 2 == 0 { ODD.get(place as usize).copied().unwrap_or(0) } else { place }
        })
        .sum();
    byte(bytes, 15) == b'A' + (sum % 26) as u8 && b"ABCDEHLMPRST".contains(&byte(bytes, 8))
}

pub(crate) fn italian_driver(bytes: &[u8]) -> bool {
    !bytes.starts_with(b"U1") || !bytes.iter().skip(2).take(7).any(|byte| b"AEIOQV".contains(byte))
}

/// Italian VAT number, whose digits follow the letters of the country.
pub(crate) fn italian_vat(bytes: &[u8]) -> bool {
    luhn(bytes.get(2..).unwrap_or_default())
}
