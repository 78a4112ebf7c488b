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
    let window = bytes.get(place..).unwrap_or_default();
    place + window.iter().take(most).take_while(|byte| of(**byte)).count()
}

/// Where the digits from `place` on end, at most `most` further on.
#[inline(never)]
pub(crate) fn digits_end(bytes: &[u8], place: usize, most: usize) -> usize {
    end_of(bytes, place, most, |byte| byte.is_ascii_digit())
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
    let window = bytes.get(floor..place).unwrap_or_default();
    place - window.iter().rev().take(most).take_while(|byte| of(**byte)).count()
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

/// Where the word that begins at `place` ends; at most `most` further on, or a little more so as not to end within a
/// character.
pub(crate) fn word_end(bytes: &[u8], place: usize, most: usize) -> usize {
    let mut end = end_of(bytes, place, most, |byte| byte.is_ascii_alphabetic());
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
