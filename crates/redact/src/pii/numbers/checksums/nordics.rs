//! Numbers that Nordic authorities issue.

use crate::pii::numbers::checksums::digits::{byte, date, letter_of, number, uniform, weighted};
use crate::scan::check_digits::luhn;

pub(crate) fn hetu(bytes: &[u8]) -> bool {
    let serial = bytes.len() - 4;
    let rest = (number(bytes, 0, 6) * 1000 + number(bytes, serial, 3)) % 31;
    date(number(bytes, 4, 2), number(bytes, 2, 2), number(bytes, 0, 2))
        && (bytes.len() == 10 || b"ABCDEFUVWXY".contains(&byte(bytes, 6)))
        && byte(bytes, serial + 3) == letter_of(b"0123456789ABCDEFHJKLMNPRSTUVWXY", rest as u32)
}

/// Number of a Swedish organisation. The digits in the position of the month are at least 20.
pub(crate) fn swedish_organisation(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 2), b'2'..=b'9') && luhn(bytes)
}

pub(crate) fn swedish_person(bytes: &[u8]) -> bool {
    let short = bytes.get(bytes.len().saturating_sub(10)..).unwrap_or_default();
    // A coordination number has 60 added to its day.
    let day = number(short, 4, 2) % 60;
    date(number(short, 0, 2), number(short, 2, 2), day)
        && luhn(short)
        && (bytes.len() == 10 || matches!(number(bytes, 0, 2), 18..=20))
}

pub(crate) fn norwegian(bytes: &[u8]) -> bool {
    weighted(bytes, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1]).is_multiple_of(11)
        && weighted(bytes, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
        && !uniform(bytes)
}

pub(crate) fn danish(bytes: &[u8]) -> bool {
    date(number(bytes, 4, 2), number(bytes, 2, 2), number(bytes, 0, 2))
}
