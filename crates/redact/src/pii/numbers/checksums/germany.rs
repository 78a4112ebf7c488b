//! Numbers that German authorities issue.

use crate::pii::numbers::checksums::digits::{byte, cross, digit, number, value, weighted};
use crate::scan::check_digits::{document, mod_11_10};

pub(crate) fn de_tax(bytes: &[u8]) -> bool {
    let most = (b'0'..=b'9').map(|digit| bytes.iter().take(10).filter(|byte| **byte == digit).count()).max();
    byte(bytes, 0) != b'0' && most.is_some_and(|most| most <= 3) && mod_11_10(bytes)
}

/// German VAT number, whose digits follow the letters of the country.
pub(crate) fn de_vat(bytes: &[u8]) -> bool {
    byte(bytes, 2) != b'0' && mod_11_10(bytes.get(2..).unwrap_or_default())
}

pub(crate) fn lanr(bytes: &[u8]) -> bool {
    (10 - weighted(bytes, &[4, 9, 4, 9, 4, 9]) % 10) % 10 == digit(bytes, 6)
}

/// Number of a German medical practice. Its first two digits are the region.
pub(crate) fn bsnr(bytes: &[u8]) -> bool {
    let region = number(bytes, 0, 2);
    (matches!(region, 1..=3 | 6..=8 | 17 | 20 | 21 | 24 | 25 | 27 | 28 | 31 | 35 | 37..=41 | 43..=52 | 55 | 58)
        || matches!(region, 59..=64 | 67..=74 | 78 | 79 | 81 | 83 | 85..=88 | 93..=99))
        && number(bytes, 2, 7) != 0
}

pub(crate) fn de_identity(bytes: &[u8]) -> bool {
    b"LMNPRTVWXYCFGHJK".contains(&byte(bytes, 0))
        && !bytes.iter().any(|byte| b"ABDEIOQSU".contains(byte))
        && document(bytes)
}

/// German identity card without its check digit: a letter of an authority, or `T` before eight digits.
pub(crate) fn de_identity_short(bytes: &[u8]) -> bool {
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    b"LMNPRTVWXYCFGHJK".contains(&byte(bytes, 0))
        && !bytes.iter().any(|byte| b"ABDEIOQSU".contains(byte))
        && digits >= 3
}

pub(crate) fn de_passport(bytes: &[u8]) -> bool {
    b"CFGHJK".contains(&byte(bytes, 0))
        && !bytes.iter().any(|byte| b"ABDEIOQSU".contains(byte))
        && bytes.iter().any(u8::is_ascii_digit)
        && (bytes.len() == 9 || document(bytes))
}

pub(crate) fn register(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 2), b'A' | b'B') && byte(bytes, 3) != b'0'
}

pub(crate) fn postal(bytes: &[u8]) -> bool {
    matches!(number(bytes, 0, 5), 1001..=99_998)
}

/// German pension insurance number. The letter counts as two digits; the cross sums of the weighted digits are added.
pub(crate) fn pension(bytes: &[u8]) -> bool {
    let letter = value(byte(bytes, 8)) - 9;
    let digits = [
        digit(bytes, 0),
        digit(bytes, 1),
        digit(bytes, 2),
        digit(bytes, 3),
        digit(bytes, 4),
        digit(bytes, 5),
        digit(bytes, 6),
        digit(bytes, 7),
        letter / 10,
        letter % 10,
        digit(bytes, 9),
        digit(bytes, 10),
    ];
    let weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
    let sum: u32 = digits.iter().zip(weights).map(|(digit, weight)| cross(digit * weight)).sum();
    sum % 10 == digit(bytes, 11)
        && matches!(number(bytes, 4, 2), 1..=12)
        && matches!(number(bytes, 2, 2) % 50, 1..=31)
}

pub(crate) fn health(bytes: &[u8]) -> bool {
    let letter = value(byte(bytes, 0)) - 9;
    let head = [letter / 10, letter % 10];
    let digits = head.into_iter().chain(bytes.iter().skip(1).take(8).map(|byte| value(*byte)));
    let sum: u32 = digits.zip([1, 2].iter().cycle()).map(|(digit, weight)| cross(digit * weight)).sum();
    sum % 10 == digit(bytes, 9)
}

/// Tax number in the form of the whole country: the number of a state's tax office, and a 0 in the middle.
pub(crate) fn elster(bytes: &[u8]) -> bool {
    const STATES: [&[u8]; 16] = [
        b"28", b"9", b"11", b"30", b"24", b"22", b"26", b"40", b"23", b"5", b"27", b"10", b"32", b"31",
        b"21", b"41",
    ];
    STATES.iter().any(|state| bytes.starts_with(state)) && byte(bytes, 4) == b'0'
}
