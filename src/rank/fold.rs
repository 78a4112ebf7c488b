//! Folds characters for search: lowercase, without accents.

/// The class of a character, for splitting words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A lowercase letter, or a letter of a script without case.
    Small,
    /// An uppercase letter.
    Capital,
    /// A decimal digit.
    Digit,
    /// A letter of a script that is written without spaces.
    Unspaced,
    /// A character that belongs to the previous letter, such as a combining accent or an apostrophe.
    Mark,
    /// A character that ends a word.
    Other,
}

/// The base letters of U+00C0 to U+017F, in pairs of rows, with a space for characters that are not letters. European
/// letters lose their accents, so that a search for `cafe` finds `café`.
const LATIN: &[u8; 192] = b"aaaaaaaceeeeiiiidnooooo ouuuuyts\
    aaaaaaaceeeeiiiidnooooo ouuuuyty\
    aaaaaaccccccccddddeeeeeeeeeegggg\
    gggghhhhiiiiiiiiiiiijjkkklllllll\
    lllnnnnnnnnnoooooooorrrrrrssssss\
    ssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// Returns a character in lowercase without its accent, and its class. Handles the widely used scripts with case. A
/// character of any other script is returned unchanged, as a letter.
pub(super) fn fold(c: char) -> (char, Class) {
    match c {
        'a'..='z' => (c, Class::Small),
        'A'..='Z' => (c.to_ascii_lowercase(), Class::Capital),
        '0'..='9' => (c, Class::Digit),
        '\'' | '’' => (c, Class::Mark),
        '\0'..='\u{bf}' => (c, Class::Other),
        _ => beyond_ascii(c),
    }
}

fn beyond_ascii(c: char) -> (char, Class) {
    let code = u32::from(c);
    // Returns the letter that is `up` code points higher.
    let capital = |up: u32| (char::from_u32(code + up).unwrap_or(c), Class::Capital);
    match code {
        0xc0..=0x17f => {
            let base = LATIN.get(code as usize - 0xc0).copied().unwrap_or(b' ');
            // Uppercase letters are the first block of Latin-1, then every other letter. The distinction does not
            // change a base letter, so only the first block is classified as uppercase.
            let class = match (base, code) {
                (b' ', _) => Class::Other,
                (_, ..=0xde) => Class::Capital,
                _ => Class::Small,
            };
            (char::from(base), class)
        }
        0x300..=0x36f => (c, Class::Mark),
        0x386 => ('α', Class::Capital),
        0x388..=0x38a | 0x3ac..=0x3af => {
            let base = match code {
                0x388 | 0x3ad => 'ε',
                0x389 | 0x3ae => 'η',
                0x3ac => 'α',
                _ => 'ι',
            };
            (base, if code < 0x390 { Class::Capital } else { Class::Small })
        }
        0x38c => ('ο', Class::Capital),
        0x38e => ('υ', Class::Capital),
        0x38f => ('ω', Class::Capital),
        0x391..=0x3a9 => capital(0x20),
        0x3c2 => ('σ', Class::Small),
        0x3cc => ('ο', Class::Small),
        0x3cd => ('υ', Class::Small),
        0x3ce => ('ω', Class::Small),
        0x401 | 0x451 => ('е', if code == 0x401 { Class::Capital } else { Class::Small }),
        0x400..=0x40f => capital(0x50),
        0x410..=0x42f => capital(0x20),
        0x460..=0x481 | 0x48a..=0x4bf | 0x4d0..=0x52f | 0x1e00..=0x1eff if code % 2 == 0 => capital(1),
        0x531..=0x556 => capital(0x30),
        // Full-width forms of ASCII.
        0xff01..=0xff5e => fold(char::from_u32(code - 0xfee0).unwrap_or(' ')),
        0xe00..=0xeff | 0x1000..=0x109f | 0x1780..=0x17ff => (c, Class::Unspaced),
        0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af => (c, Class::Unspaced),
        0xf900..=0xfaff | 0x20000..=0x3ffff => (c, Class::Unspaced),
        // Punctuation, symbols, private use, pictographs.
        0x2000..=0x2bff | 0x2e00..=0x2e7f | 0x3000..=0x303f | 0xe000..=0xf8ff => (c, Class::Other),
        0xfe00..=0xfe6f | 0xff00..=0xffff | 0x1f000..=0x1faff | 0xe0000.. => (c, Class::Other),
        _ => (c, Class::Small),
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, fold};

    #[test]
    fn letters_lose_case_and_accent() {
        let folded = |text: &str| text.chars().map(|c| fold(c).0).collect::<String>();
        assert_eq!(folded("ÀÉÎÕÜßàéîõüÿ"), "aeiousaeiouy");
        assert_eq!(folded("ĄčĎęĞĥİĶŁńŐŔŚŤŮŴŶŽž"), "acdeghiklnorstuwyzz");
        assert_eq!(folded("ΆΈΉΊΌΎΏΑΩάέήίόύώας"), "αεηιουωαωαεηιουωασ");
        assert_eq!(folded("ЁЖЯёжяЂӐԱ"), "ежяежяђӑա");
        assert_eq!(folded("ＡＢｃ９"), "abc9");
        assert_eq!(folded("日本語ไทย"), "日本語ไทย");
    }

    #[test]
    fn every_latin_letter_has_its_base() {
        for code in 0xc0..=0x17f_u32 {
            let (base, class) = fold(char::from_u32(code).unwrap_or_default());
            let letter = base.is_ascii_lowercase();
            assert_eq!(letter, class != Class::Other, "U+{code:04X} is {base:?}");
            assert_eq!(letter, !matches!(code, 0xd7 | 0xf7), "U+{code:04X} is {base:?}");
        }
    }

    #[test]
    fn what_ends_a_word() {
        for c in [' ', '\n', '_', '-', '/', '\u{a0}', '×', '–', '→', '、', '😀', '\u{fe0f}', '\u{200d}']
        {
            assert_eq!(fold(c).1, Class::Other, "{c:?}");
        }
        for c in ['a', 'é', 'я', 'ש', 'ع', 'ก', '語', '한'] {
            assert_ne!(fold(c).1, Class::Other, "{c:?}");
        }
    }
}
