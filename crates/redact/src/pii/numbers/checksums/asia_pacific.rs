//! Numbers that authorities of Australia, China, India, Nigeria, Singapore and Thailand issue.

use crate::pii::numbers::checksums::digits::{byte, date, digit, letter_of, number, uniform, weighted};
use crate::scan::check_digits::verhoeff;

pub(crate) fn abn(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    byte(bytes, 0) != b'0' && (sum - 10).is_multiple_of(89)
}

pub(crate) fn acn(bytes: &[u8]) -> bool {
    (10 - weighted(bytes, &[8, 7, 6, 5, 4, 3, 2, 1]) % 10) % 10 == digit(bytes, 8)
}

pub(crate) fn tfn(bytes: &[u8]) -> bool {
    weighted(bytes, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11) && !uniform(bytes)
}

pub(crate) fn medicare(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 0), b'2'..=b'6')
        && weighted(bytes, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == digit(bytes, 8)
        && digit(bytes, 9) > 0
}

pub(crate) fn aadhaar(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 0), b'2'..=b'9') && !bytes.iter().eq(bytes.iter().rev()) && verhoeff(bytes)
}

pub(crate) fn nin(bytes: &[u8]) -> bool {
    verhoeff(bytes) && !uniform(bytes)
}

pub(crate) fn pan(bytes: &[u8]) -> bool {
    b"ABCFGHJLPT".contains(&byte(bytes, 3)) && number(bytes, 5, 4) > 0
}

pub(crate) fn gstin(bytes: &[u8]) -> bool {
    matches!(number(bytes, 0, 2), 1..=37)
}

pub(crate) fn nonzero_second(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 1), b'1'..=b'9') && byte(bytes, 7) != b'0'
}

const STATES: &[u8] = b"ANAPARASBRCHDDDLDNGAGJHPHRJHJKKAKLLALDMHMLMNMPMZNLODORPBPYRJSKTNTRTSUKUPUAWB";

pub(crate) fn indian_plate(bytes: &[u8]) -> bool {
    STATES.chunks(2).any(|state| bytes.starts_with(state))
}

pub(crate) fn fin(bytes: &[u8]) -> bool {
    let offset = match byte(bytes, 0) {
        b'S' | b'F' => 0,
        b'T' | b'G' => 4,
        b'M' => 3,
        _ => return false,
    };
    let sum = weighted(bytes.get(1..).unwrap_or_default(), &[2, 7, 6, 5, 4, 3, 2]) + offset;
    let alphabet: &[u8; 11] = match byte(bytes, 0) {
        b'S' | b'T' => b"JZIHGFEDCBA",
        b'M' => b"XWUTRQPNJLK",
        _ => b"XWUTRQPNMLK",
    };
    byte(bytes, 8) == letter_of(alphabet, sum % 11)
}

/// Singapore's Unique Entity Number, in its three formats: businesses, companies, and other entities.
pub(crate) fn uen(bytes: &[u8]) -> bool {
    let last = byte(bytes, bytes.len().wrapping_sub(1));
    match bytes.len() {
        9 => last == letter_of(b"XMKECAWLJDB", weighted(bytes, &[10, 4, 9, 3, 8, 2, 7, 1]) % 11),
        _ if byte(bytes, 0).is_ascii_digit() => {
            last == letter_of(b"ZKCMDNERGWH", weighted(bytes, &[10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11)
        }
        _ => {
            const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWX0123456789";
            let place = |byte: &u8| ALPHABET.iter().position(|known| known == byte).unwrap_or(0) as u32;
            let sum: u32 = bytes
                .iter()
                .zip([4, 3, 5, 3, 10, 2, 2, 5, 7])
                .map(|(byte, weight)| place(byte) * weight)
                .sum();
            b"RST".contains(&byte(bytes, 0)) && last == letter_of(ALPHABET, (sum + 6) % 11)
        }
    }
}

pub(crate) fn thai(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    // The second and third digits are a province.
    matches!(number(bytes, 1, 2), 10..=27 | 30..=58 | 60..=67 | 70..=77 | 80..=86 | 90..=96)
        && byte(bytes, 0) != b'0'
        && (11 - sum % 11) % 10 == digit(bytes, 12)
}

pub(crate) fn chinese(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    date(number(bytes, 8, 2), number(bytes, 10, 2), number(bytes, 12, 2))
        && byte(bytes, 17) == letter_of(b"10X98765432", sum % 11)
}
