//! Looking at bytes: beyond either end of a text stands a NUL, which belongs to nothing.

/// The byte at a place.
#[inline(always)]
pub(crate) fn at(bytes: &[u8], place: usize) -> u8 {
    bytes.get(place).copied().unwrap_or(0)
}

/// The byte so many places before another.
#[inline(always)]
pub(crate) fn before(bytes: &[u8], place: usize, back: usize) -> u8 {
    place.checked_sub(back).map_or(0, |place| at(bytes, place))
}

/// Where the bytes from `place` on stop being of a kind, at most `most` further on.
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

/// Where the digits from `place` on end, at most `most` further on.
#[inline(never)]
pub(crate) fn digits_end(bytes: &[u8], place: usize, most: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let Some(eight) = bytes.get(place..).and_then(|rest| rest.first_chunk()) else {
        return end_of(bytes, place, most, |byte| byte.is_ascii_digit());
    };
    // Eight bytes at once: digits become 0 to 9, and the highest bit of what is more is set.
    let less = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b'0'));
    let others = (((less & (ONES * 0x7f)) + ONES * 0x76) | less) & (ONES * 0x80);
    let digits = others.trailing_zeros() as usize / 8;
    if digits < 8 || most <= 8 {
        return place + digits.min(most);
    }
    end_of(bytes, place + 8, most - 8, |byte| byte.is_ascii_digit())
}

/// Where the bytes before `place` begin to be of a kind, at most `most` back and not before `floor`.
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

/// Whether a word goes on here: ASCII letters and digits, and what is beyond ASCII but typographic signs.
#[inline]
pub(crate) fn is_letter(bytes: &[u8], place: usize) -> bool {
    match at(bytes, place) {
        byte if byte < 0x80 => byte.is_ascii_alphabetic(),
        // U+0080–00BF, U+2000–207F and U+3000–303F: spaces, quotation marks, dashes, signs.
        0xc2 => false,
        0xe2 => !matches!(at(bytes, place + 1), 0x80 | 0x81),
        0xe3 => at(bytes, place + 1) != 0x80,
        byte => byte >= 0xc3,
    }
}

/// Where the ASCII letters from `place` on end, at most `most` further on.
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
        // The highest bit of a byte is set from `a` on, and up to `z`.
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

/// Where the word that begins at `place` ends; at most `most` further on, or a little more so as not to end within a
/// character.
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

/// Whether a capital of the Latin alphabets of Europe stands at a place.
#[inline]
pub(crate) fn is_capital(bytes: &[u8], place: usize) -> bool {
    match at(bytes, place) {
        first @ 0xc3..=0xc5 => is_capital_beyond_ascii(first, at(bytes, place + 1)),
        byte => byte.is_ascii_uppercase(),
    }
}

/// The same of the two bytes of a letter: most capitals stand before their small letters, with even numbers.
#[inline(never)]
fn is_capital_beyond_ascii(first: u8, second: u8) -> bool {
    let odd = matches!((first, second), (0xc4, 0xb9..) | (0xc5, 0x80..=0x88 | 0xb9..));
    match first {
        // `×` stands among them.
        0xc3 => second <= 0x9e && second != 0x97,
        _ => second.is_multiple_of(2) != odd,
    }
}

/// A name as a tolerant reader takes it: letters in capitals and digits, and nothing else.
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
