//! Numbers that British authorities issue.

use crate::pii::numbers::checksums::digits::{byte, number, uniform, weighted};

pub(crate) fn nhs(bytes: &[u8]) -> bool {
    weighted(bytes, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11) && !uniform(bytes)
}

pub(crate) fn nino(bytes: &[u8]) -> bool {
    let prefix = bytes.get(..2).unwrap_or_default();
    !b"DFIQUV".contains(&byte(bytes, 0))
        && !b"DFIOQUV".contains(&byte(bytes, 1))
        && ![*b"BG", *b"GB", *b"KN", *b"NK", *b"NT", *b"TN", *b"ZZ"].iter().any(|not| not == prefix)
        && matches!(byte(bytes, 8), b'A'..=b'D')
        // `AA123456A` is how guides write the form.
        && bytes.get(2..8) != Some(b"123456")
}

/// Number plate since 2001: `AB51ABC`.
pub(crate) fn uk_plate(bytes: &[u8]) -> bool {
    let excluded = |places: std::ops::Range<usize>, letters: &[u8]| {
        places.into_iter().any(|place| letters.contains(&byte(bytes, place)))
    };
    !excluded(0..2, b"IQZ") && !excluded(4..7, b"IQ") && matches!(number(bytes, 2, 2), 2..=29 | 51..=79)
}

/// Number plate from 1983 to 2001: `A123BCD`.
pub(crate) fn uk_plate_prefix(bytes: &[u8]) -> bool {
    !b"IOQUZ".contains(&byte(bytes, 0))
        && byte(bytes, 1) != b'0'
        && !bytes.iter().skip(1).any(|byte| b"IQ".contains(byte))
}

/// Number plate from 1963 to 1983: `ABC123D`.
pub(crate) fn uk_plate_suffix(bytes: &[u8]) -> bool {
    !b"IOQUZ".contains(&byte(bytes, bytes.len().wrapping_sub(1)))
        && byte(bytes, 3) != b'0'
        && !bytes.iter().take(3).any(|byte| b"IQ".contains(byte))
}

/// Driver number, which contains initials and a date of birth.
pub(crate) fn uk_driver(bytes: &[u8]) -> bool {
    let month = number(bytes, 6, 2) % 50;
    // Short surnames, and drivers with one initial, are filled up with 9.
    let mut surname = bytes.iter().take(5).skip_while(|byte| byte.is_ascii_alphabetic());
    (1..=12).contains(&month)
        && (1..=31).contains(&number(bytes, 8, 2))
        && byte(bytes, 0).is_ascii_alphabetic()
        && surname.all(|byte| *byte == b'9')
        && byte(bytes, 11).is_ascii_alphabetic()
        && (byte(bytes, 12).is_ascii_alphabetic() || byte(bytes, 12) == b'9')
}
