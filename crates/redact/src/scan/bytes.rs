//! Access to the bytes of a text by position. Positions outside the text read as NUL, which no byte class contains.

/// Returns the byte at a position.
#[inline(always)]
pub(crate) fn at(bytes: &[u8], place: usize) -> u8 {
    bytes.get(place).copied().unwrap_or(0)
}

/// Returns the byte `back` positions before `place`.
#[inline(always)]
pub(crate) fn before(bytes: &[u8], place: usize, back: usize) -> u8 {
    place.checked_sub(back).map_or(0, |place| at(bytes, place))
}

/// Returns the ASCII sign that a typographic space or hyphen at a position stands for, and the position after it.
#[inline]
pub(crate) fn typographic_sign(bytes: &[u8], place: usize) -> Option<(u8, usize)> {
    match bytes.get(place..)? {
        [0xc2, 0xa0, ..] => Some((b' ', place + 2)),
        // Thin and narrow spaces; hyphens, the figure dash and the en dash.
        [0xe2, 0x80, 0x89 | 0xaf, ..] => Some((b' ', place + 3)),
        [0xe2, 0x80, 0x90..=0x93, ..] => Some((b'-', place + 3)),
        _ => None,
    }
}

/// Returns the end of the run of bytes from `place` on for which `of` returns true, at most `most` bytes long.
#[inline]
pub(crate) fn end_of(bytes: &[u8], place: usize, most: usize, of: impl Fn(u8) -> bool) -> usize {
    let mut end = place;
    for byte in bytes.get(place..).unwrap_or_default() {
        if end - place == most || !of(*byte) {
            break;
        }
        end += 1;
    }
    end
}

/// Returns the end of the run of digits from `place` on, at most `most` bytes long.
#[inline(never)]
pub(crate) fn digits_end(bytes: &[u8], place: usize, most: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let Some(eight) = bytes.get(place..).and_then(|rest| rest.first_chunk()) else {
        return end_of(bytes, place, most, |byte| byte.is_ascii_digit());
    };
    // Compares eight bytes at once: digits become 0 to 9, and the highest bit of every other byte is set.
    let less = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b'0'));
    let others = (((less & (ONES * 0x7f)) + ONES * 0x76) | less) & (ONES * 0x80);
    let digits = others.trailing_zeros() as usize / 8;
    if digits < 8 || most <= 8 {
        return place + digits.min(most);
    }
    end_of(bytes, place + 8, most - 8, |byte| byte.is_ascii_digit())
}

/// Returns the start of the run of bytes before `place` for which `of` returns true, at most `most` bytes long and not
/// before `floor`.
#[inline]
pub(crate) fn start_of(
    bytes: &[u8],
    floor: usize,
    place: usize,
    most: usize,
    of: impl Fn(u8) -> bool,
) -> usize {
    let mut start = place;
    for byte in bytes.get(floor..place).unwrap_or_default().iter().rev() {
        if place - start == most || !of(*byte) {
            break;
        }
        start -= 1;
    }
    start
}

/// Returns whether a letter begins at a position: an ASCII letter, or a character beyond ASCII that is not a
/// typographic sign.
#[inline]
pub(crate) fn is_letter(bytes: &[u8], place: usize) -> bool {
    match at(bytes, place) {
        byte if byte < 0x80 => byte.is_ascii_alphabetic(),
        // U+0080–00BF, U+2000–207F and U+3000–303F are spaces, quotation marks, dashes and signs.
        0xc2 => false,
        0xe2 => !matches!(at(bytes, place + 1), 0x80 | 0x81),
        0xe3 => at(bytes, place + 1) != 0x80,
        byte => byte >= 0xc3,
    }
}

/// Returns the end of the run of ASCII letters from `place` on, at most `most` bytes long.
#[inline]
fn letters_end(bytes: &[u8], place: usize, most: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let (mut end, mut left) = (place, most);
    while left >= 8
        && let Some(eight) = bytes.get(end..).and_then(|rest| rest.first_chunk())
    {
        let eight = u64::from_le_bytes(*eight);
        let small = (eight | (ONES * 0x20)) & !HIGH;
        // The highest bit of a byte is set in `from` if it is at least `a`, and in `beyond` if it is greater than `z`.
        let (from, beyond) =
            (small + ONES * (0x80 - u64::from(b'a')), small + ONES * (0x7f - u64::from(b'z')));
        let others = !(from & !beyond & !eight) & HIGH;
        if others != 0 {
            return end + others.trailing_zeros() as usize / 8;
        }
        (end, left) = (end + 8, left - 8);
    }
    end_of(bytes, end, left, |byte| byte.is_ascii_alphabetic())
}

/// Returns the end of the word that begins at `place`, at most `most` bytes long, or slightly longer if it would
/// otherwise end within a character.
pub(crate) fn word_end(bytes: &[u8], place: usize, most: usize) -> usize {
    let mut end = letters_end(bytes, place, most);
    if at(bytes, end) < 0x80 {
        return end;
    }
    while end < place + most && is_letter(bytes, end) {
        end += 1;
        while at(bytes, end) & 0xc0 == 0x80 {
            end += 1;
        }
    }
    end
}

/// Returns whether a capital letter begins at a position: an ASCII letter, or one from U+00C0 to U+017F.
#[inline]
pub(crate) fn is_capital(bytes: &[u8], place: usize) -> bool {
    match at(bytes, place) {
        first @ 0xc3..=0xc5 => is_capital_beyond_ascii(first, at(bytes, place + 1)),
        byte => byte.is_ascii_uppercase(),
    }
}

/// Returns whether a letter of two bytes is a capital. From U+0100 on, most capitals have even code points, directly
/// before their small letters.
#[inline(never)]
fn is_capital_beyond_ascii(first: u8, second: u8) -> bool {
    let odd = matches!((first, second), (0xc4, 0xb9..) | (0xc5, 0x80..=0x88 | 0xb9..));
    match first {
        // `×` (U+00D7) is not a letter.
        0xc3 => second <= 0x9e && second != 0x97,
        _ => second.is_multiple_of(2) != odd,
    }
}

/// Returns the ASCII letters, as capitals, and the digits of a name: the form in which tolerant lookups compare names.
pub(crate) fn folded(name: &[u8]) -> impl Iterator<Item = u8> + '_ {
    name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_uppercase)
}

#[cfg(test)]
mod tests {
    use super::{digits_end, end_of, letters_end};

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn letters_end_where_one_after_the_other_ends() {
        for other in 0..=255u8 {
            for length in 0..24 {
                for stop in 0..length {
                    let letters = b"azAZmMyB".iter().cycle();
                    let mut bytes: Vec<u8> = letters.take(length).copied().collect();
                    bytes.iter_mut().skip(stop).take(1).for_each(|byte| *byte = other);
                    for (place, most) in
                        [(0, 4), (0, 8), (0, 9), (0, 17), (1, usize::MAX), (length, 32), (length + 1, 32)]
                    {
                        let naive = end_of(&bytes, place, most, |byte| byte.is_ascii_alphabetic());
                        assert_eq!(letters_end(&bytes, place, most), naive, "{bytes:?} {place} {most}");
                    }
                }
            }
        }
    }

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn digits_end_where_one_after_the_other_ends() {
        for other in 0..=255u8 {
            for length in 0..24 {
                for stop in 0..length {
                    let mut bytes: Vec<u8> = (0..length).map(|place| b'0' + (place % 10) as u8).collect();
                    bytes.iter_mut().skip(stop).take(1).for_each(|byte| *byte = other);
                    for (place, most) in
                        [(0, 4), (0, 8), (0, 9), (1, usize::MAX), (length, 3), (length + 1, 3)]
                    {
                        let naive = end_of(&bytes, place, most, |byte| byte.is_ascii_digit());
                        assert_eq!(digits_end(&bytes, place, most), naive, "{bytes:?} {place} {most}");
                    }
                }
            }
        }
    }
}
