//! Values that are given to what calls itself a password, a secret, a token or a key.

use crate::middleware::{
    framework::text_visitor::base64::decode,
    scan::bytes::{at, before, end_of, start_of},
};

/// Longest name that is read, and longest value, in bytes.
const NAME: usize = 48;
const VALUE: usize = 160;
/// Least lengths: of what a person thought of, and of what a machine made.
const MIN_PASSWORD: usize = 8;
const MIN_KEY: usize = 16;

/// Ends of names, without the signs between their words.
const PASSWORDS: [&[u8]; 5] = [b"password", b"passwd", b"pwd", b"passphrase", b"pass"];
const KEYS: [&[u8]; 17] = [
    b"secret",
    b"token",
    b"apikey",
    b"accesskey",
    b"secretkey",
    b"privatekey",
    b"authkey",
    b"signingkey",
    b"encryptionkey",
    b"accountkey",
    b"sharedaccesskey",
    b"masterkey",
    b"credential",
    b"credentials",
    b"authorization",
    b"bearer",
    b"secretaccesskey",
];

/// The value behind the `=` or `:` at a place, or behind the word `Bearer` that ends there.
pub(crate) fn find(bytes: &[u8], floor: usize, place: usize) -> Option<(&'static str, usize, usize)> {
    let mut end = start_of(bytes, floor, place, 2, |byte| byte == b' ');
    if matches!(before(bytes, end, 1), b'"' | b'\'' | b'`') {
        end -= 1;
    }
    // What no such name ends with is what stands before most colons.
    let last = before(bytes, end, 1).to_ascii_lowercase();
    if !matches!(last, b'd' | b'e' | b'l' | b'n' | b'r' | b's' | b't' | b'y' | b'_' | b'-' | b'.') {
        return None;
    }
    let start = start_of(bytes, floor, end, NAME, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
    });
    let name = bytes.get(start..end)?;
    let password = ends(name, &PASSWORDS) && !ends(name, &[b"bypass", b"compass"]);
    if !password && !ends(name, &KEYS) {
        return None;
    }
    let value = end_of(bytes, place + 1, 4, |byte| matches!(byte, b'=' | b'>' | b' '));
    let quote = Some(at(bytes, value)).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let value = value + usize::from(quote.is_some());
    let scheme = if ends(name, &[b"authorization"]) { scheme(bytes, value) } else { b"" };
    let start = value + scheme.len();
    let plain = |byte: u8| match quote {
        Some(quote) => byte > b' ' && byte < 0x7f && byte != quote && byte != b'\\',
        None => byte > b' ' && byte < 0x7f && !b"\"'`<>(){}[],;\\=&:".contains(&byte),
    };
    let mut end = end_of(bytes, start, VALUE, plain);
    end = end_of(bytes, end, 2, |byte| byte == b'=');
    if quote.is_none() {
        while matches!(before(bytes, end, 1), b'.' | b':' | b'!' | b'?') && end > start {
            end -= 1;
        }
    }
    // What is called is no value, nor is the type of what a value is given to.
    let typed = || at(bytes, place) == b':' && bytes.get(end..end + 2) == Some(b" =");
    let ended = match quote {
        Some(quote) => at(bytes, end) == quote,
        None => !matches!(at(bytes, end), b'(' | b'[' | b'{' | b'\\') && !typed(),
    };
    let text = bytes.get(start..end).filter(|_| ended)?;
    let strong = match scheme {
        _ if password => is_password(text, quote.is_some()),
        b"basic " => is_pair(text),
        _ => is_random(text),
    };
    strong.then_some((if password { "password" } else { "assigned-secret" }, start, end))
}

/// The scheme of an `Authorization` header, in small letters.
fn scheme(bytes: &[u8], value: usize) -> &'static [u8] {
    let begins = |scheme: &&&[u8]| {
        let written = bytes.get(value..value + scheme.len());
        written.is_some_and(|written| written.eq_ignore_ascii_case(scheme))
    };
    [&b"bearer "[..], b"basic ", b"token "].iter().find(begins).copied().unwrap_or_default()
}

/// Whether Base64 holds a name and a password.
fn is_pair(text: &[u8]) -> bool {
    let pair = std::str::from_utf8(text).ok().and_then(decode).unwrap_or_default();
    let colon = pair.iter().position(|byte| *byte == b':');
    colon.and_then(|colon| pair.get(colon + 1..)).is_some_and(is_plausible_password)
        && !pair.iter().any(u8::is_ascii_control)
}

/// Whether a name ends in one of some words, whatever its case and the signs between its words.
fn ends(name: &[u8], words: &[&[u8]]) -> bool {
    let mut last = [0; 16];
    let letters = name.iter().rev().filter(|byte| byte.is_ascii_alphanumeric());
    last.iter_mut().rev().zip(letters).for_each(|(slot, letter)| *slot = letter.to_ascii_lowercase());
    words.iter().any(|word| last.ends_with(word))
}

fn classes(text: &[u8]) -> (usize, usize, usize, usize) {
    let count = |of: fn(&u8) -> bool| text.iter().filter(|byte| of(byte)).count();
    (
        count(u8::is_ascii_lowercase),
        count(u8::is_ascii_uppercase),
        count(u8::is_ascii_digit),
        count(|byte| byte.is_ascii_punctuation()),
    )
}

/// How many different bytes.
pub(crate) fn variety(text: &[u8]) -> u32 {
    text.iter().fold(0u128, |seen, byte| seen | 1 << (byte & 127)).count_ones()
}

/// What a person thinks of: several kinds of characters, no path, no name in a program.
fn is_password(text: &[u8], quoted: bool) -> bool {
    let (small, capital, digits, signs) = classes(text);
    let kinds = [small, capital, digits, signs].into_iter().filter(|count| *count > 0).count();
    let name = text
        .iter()
        .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b'$'));
    text.len() >= MIN_PASSWORD
        && variety(text) >= 5
        && !name
        && (kinds > 2 || quoted && kinds > 1 || digits > 1 && kinds > 1)
        && !text.starts_with(b"$")
}

/// What a machine makes: no words, digits among letters, few characters twice.
pub(crate) fn is_random(text: &[u8]) -> bool {
    let (small, capital, digits, signs) = classes(text);
    let letters = small + capital;
    let hex = text.iter().all(|byte| byte.is_ascii_hexdigit());
    // A word of a name or of prose has no digits in its middle.
    let mixed = text
        .windows(2)
        .filter(|two| matches!(two, [left, right] if left.is_ascii_digit() != right.is_ascii_digit()))
        .count();
    text.len() >= MIN_KEY
        && digits >= 2
        && letters >= 2
        && mixed >= 3
        && signs * 6 <= text.len()
        && variety(text) as usize >= if hex { 8 } else { text.len().min(40) * 2 / 5 }
        && !text.starts_with(b"$")
        && !is_uuid(text)
}

fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36 && text.iter().filter(|byte| **byte == b'-').count() == 4
}

/// Whether a password has small and capital letters and digits, so that it is no name.
pub(crate) fn is_strong_password(text: &[u8]) -> bool {
    let (small, capital, digits, _) = classes(text);
    text.len() >= MIN_PASSWORD && small.min(capital).min(digits) > 0
}

/// Whether what stands in the place of a password can be one.
pub(crate) fn is_plausible_password(password: &[u8]) -> bool {
    let known =
        [&b"password"[..], b"pass", b"pwd", b"secret", b"user", b"pw", b"p", b"token", b"postgres", b"root"];
    password.len() > 2
        && !known.iter().any(|known| known.eq_ignore_ascii_case(password))
        && !password.starts_with(b"*")
}
