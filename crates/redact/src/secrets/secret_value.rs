//! Heuristics for the values of secrets: random values, and passwords that people choose.

/// Minimum length of a password, of one that consists of words, and of a key, in bytes.
pub(super) const MIN_PASSWORD: usize = 7;
const MIN_WORDS: usize = 10;
const MIN_KEY: usize = 16;

/// Words that are common in names, types and descriptions of passwords, and words for a password in other languages. A
/// value that contains one is not a passphrase.
const ORDINARY: [&[u8]; 48] = [
    b"pass",
    b"pwd",
    b"word",
    b"secret",
    b"token",
    b"cred",
    b"auth",
    b"login",
    b"user",
    b"admin",
    b"string",
    b"text",
    b"type",
    b"field",
    b"input",
    b"value",
    b"valid",
    b"require",
    b"option",
    b"default",
    b"enable",
    b"disable",
    b"hidden",
    b"crypt",
    b"hash",
    b"plain",
    b"protect",
    b"generat",
    b"random",
    b"prompt",
    b"config",
    b"environ",
    b"setting",
    b"variable",
    b"param",
    b"argument",
    b"undefined",
    b"unknown",
    b"private",
    b"forgot",
    b"reset",
    b"incorrect",
    b"wrong",
    b"missing",
    b"provide",
    b"contrase",
    b"kennwort",
    b"wachtwoord",
];

/// Returns the numbers of small letters, capitals, digits and ASCII signs.
fn classes(text: &[u8]) -> (usize, usize, usize, usize) {
    let (mut small, mut capital, mut digits, mut signs) = (0, 0, 0, 0);
    for byte in text {
        match byte {
            b'a'..=b'z' => small += 1,
            b'A'..=b'Z' => capital += 1,
            b'0'..=b'9' => digits += 1,
            b'!'..=b'~' => signs += 1,
            _ => {}
        }
    }
    (small, capital, digits, signs)
}

/// Returns the number of different bytes, without the highest bit.
pub(crate) fn variety(text: &[u8]) -> u32 {
    // The set has two words, because WebAssembly needs a call to shift 128 bits.
    let mut seen = [0u64; 2];
    for byte in text {
        let [low, high] = &mut seen;
        let half = if byte & 64 == 0 { low } else { high };
        *half |= 1 << (byte & 63);
    }
    seen.iter().map(|half| half.count_ones()).sum()
}

/// Returns whether a value looks like a password: several kinds of characters, and neither a path nor an identifier. A
/// `whole` value has quotes or ends its line, and needs fewer digits.
pub(super) fn is_password(text: &[u8], whole: bool) -> bool {
    if text.len() < MIN_PASSWORD || text.starts_with(b"$") {
        return false;
    }
    let (small, capital, digits, signs) = classes(text);
    let kinds = [small, capital, digits, signs].into_iter().filter(|count| *count > 0).count();
    let mixed = kinds > 2 || kinds > 1 && (whole || digits > 1);
    let name = || {
        let sign = |byte: u8| matches!(byte, b'_' | b'.' | b'-' | b'/' | b'$');
        digits == 0 && text.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || sign(*byte))
    };
    (mixed && !name() || changes_case(text, small, capital))
        && variety(text) >= 5
        && !text.windows(2).any(|two| two == b"${")
}

/// Returns whether a password has letters of both cases, or small letters and digits.
pub(super) fn is_mixed(text: &[u8]) -> bool {
    let (small, capital, digits, _) = classes(text);
    text.len() >= MIN_PASSWORD && small > 0 && capital + digits > 0
}

/// Returns whether the case of letters changes as often as in random text. `small` and `capital` are their numbers.
fn changes_case(text: &[u8], small: usize, capital: usize) -> bool {
    let change = |two: &&[u8]| match two {
        [left, right] => {
            left.is_ascii_lowercase() && right.is_ascii_uppercase()
                || left.is_ascii_uppercase() && right.is_ascii_lowercase()
        }
        _ => false,
    };
    small.min(capital) * 10 >= text.len() * 3 && text.windows(2).filter(change).count() * 5 >= text.len() * 2
}

/// Returns whether a value is a passphrase: it consists of words, none of which is in [`ORDINARY`].
pub(super) fn is_words(text: &[u8]) -> bool {
    let hyphens = text.iter().filter(|byte| **byte == b'-').count();
    text.len() >= MIN_WORDS
        && text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-')
        && (hyphens == 0 || hyphens > 2)
        && variety(text) >= 4
        && !(0..text.len()).any(|place| {
            let rest = text.get(place..).unwrap_or_default();
            ORDINARY.iter().any(|word| rest.starts_with(word))
        })
}

/// Returns whether a value looks random: no words, digits among letters, few repeated characters.
pub(crate) fn is_random(text: &[u8]) -> bool {
    if text.len() < MIN_KEY {
        return false;
    }
    let (small, capital, digits, signs) = classes(text);
    let letters = small + capital;
    let hex = || text.iter().all(|byte| byte.is_ascii_hexdigit());
    let least = || if hex() { 8 } else { text.len().min(40) * 2 / 5 };
    // Words of names and prose have no digits within them.
    let mixed = || {
        let change =
            |two: &&[u8]| matches!(two, [left, right] if left.is_ascii_digit() != right.is_ascii_digit());
        text.windows(2).filter(change).count()
    };
    (digits >= 2 && letters >= 2 && mixed() >= 3 || changes_case(text, small, capital))
        && signs * 6 <= text.len()
        && variety(text) as usize >= least()
        && !text.starts_with(b"$")
        && (small > 0 || !text.contains(&b'_'))
        && !is_uuid(text)
}

pub(crate) fn is_uuid(text: &[u8]) -> bool {
    let fits = |(place, byte): (usize, &u8)| match place {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.iter().enumerate().all(fits) && variety(text) >= 6
}

/// Returns whether a password has small letters, capitals and digits, so that it cannot be a name.
pub(crate) fn is_strong_password(text: &[u8]) -> bool {
    let (small, capital, digits, _) = classes(text);
    text.len() >= MIN_PASSWORD && small.min(capital).min(digits) > 0
}

/// Returns whether a text in the position of a password can be one, and is not an example.
pub(crate) fn is_plausible_password(password: &[u8]) -> bool {
    let known =
        [&b"password"[..], b"pass", b"pwd", b"secret", b"user", b"pw", b"p", b"token", b"postgres", b"root"];
    password.len() > 2
        && !known.iter().any(|known| known.eq_ignore_ascii_case(password))
        && !password.starts_with(b"*")
}
