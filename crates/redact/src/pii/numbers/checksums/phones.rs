//! National formats of telephone numbers.

use crate::pii::numbers::checksums::digits::{byte, number, uniform};

/// Number of North America. Neither the area nor the exchange begins with 0 or 1, or is a service such as 911.
pub(crate) fn nanp(bytes: &[u8]) -> bool {
    let national = bytes.get(bytes.len().saturating_sub(10)..).unwrap_or_default();
    let service = |place: usize| byte(national, place + 1) == b'1' && byte(national, place + 2) == b'1';
    matches!(byte(national, 0), b'2'..=b'9')
        && matches!(byte(national, 3), b'2'..=b'9')
        && !service(0)
        && !service(3)
}

/// National number with a trunk prefix 0 and an area code.
pub(crate) fn trunk(bytes: &[u8]) -> bool {
    byte(bytes, 0) == b'0'
        && matches!(byte(bytes, 1), b'1'..=b'9')
        && !uniform(bytes.get(2..).unwrap_or_default())
}

/// National number in pairs of digits that do not simply count up: `01 02 03 04 05`.
pub(crate) fn pairs(bytes: &[u8]) -> bool {
    let counts = |place: usize| number(bytes, place, 2) == number(bytes, place - 2, 2) + 1;
    trunk(bytes) && ![2, 4, 6, 8].into_iter().all(counts)
}

/// Two groups of five: an Indian mobile number (6 to 9), or one behind a trunk prefix.
pub(crate) fn five_and_five(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 0), b'0' | b'6'..=b'9')
}

pub(crate) fn philippine(bytes: &[u8]) -> bool {
    bytes.starts_with(b"09")
}
