//! Numbers that South Korean authorities issue.

use crate::pii::numbers::checksums::digits::{byte, dated, digit, number, weighted};

pub(crate) fn korean_resident(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    dated(bytes)
        && matches!(byte(bytes, 6), b'1'..=b'4' | b'9' | b'0')
        && (11 - sum % 11) % 10 == digit(bytes, 12)
}

pub(crate) fn korean_foreigner(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    dated(bytes) && matches!(byte(bytes, 6), b'5'..=b'8') && (13 - sum % 11) % 10 == digit(bytes, 12)
}

pub(crate) fn korean_business(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[1, 3, 7, 1, 3, 7, 1, 3, 5]) + digit(bytes, 8) * 5 / 10;
    (10 - sum % 10) % 10 == digit(bytes, 9)
}

pub(crate) fn korean_passport(bytes: &[u8]) -> bool {
    b"MSDRGO".contains(&byte(bytes, 0))
}

pub(crate) fn korean_driver(bytes: &[u8]) -> bool {
    matches!(number(bytes, 0, 2), 11..=28)
}
