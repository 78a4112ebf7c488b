//! Tokens with a known prefix or shape.

use std::sync::LazyLock;

use crate::middleware::{
    scan::bytes::{at, before, end_of, start_of},
    secrets::{
        assignment::{is_random, variety},
        rules::{Body, Found, RULES, Rule},
    },
};

/// Which first three bytes begin a token, by their hash.
static BEGINNINGS: LazyLock<[u64; 64]> = LazyLock::new(|| {
    let mut known = [0; 64];
    for prefix in RULES.iter().flat_map(|rule| rule.prefixes.split(' ')) {
        let bytes = prefix.as_bytes();
        let third = |third: u8, known: &mut [u64; 64]| {
            let hash = beginning(at(bytes, 0), at(bytes, 1), third);
            if let Some(word) = known.get_mut(usize::from(hash >> 6)) {
                *word |= 1 << (hash & 63);
            }
        };
        if bytes.len() > 2 {
            third(at(bytes, 2), &mut known)
        } else {
            (0..=127).for_each(|any| third(any, &mut known))
        }
    }
    known
});

/// A beginning, and the rule of the tokens that have it.
type Beginning = (&'static [u8], &'static Rule);

/// The beginnings of tokens, by their first letter.
static BY_LETTER: LazyLock<Vec<Vec<Beginning>>> = LazyLock::new(|| {
    let mut known = vec![Vec::new(); 128];
    for rule in RULES {
        for prefix in rule.prefixes.split(' ') {
            if let Some(known) = known.get_mut(usize::from(at(prefix.as_bytes(), 0))) {
                known.push((prefix.as_bytes(), rule));
            }
        }
    }
    known
});

fn beginning(first: u8, second: u8, third: u8) -> u16 {
    let key = u32::from_le_bytes([first, second, third, 0]);
    (key.wrapping_mul(0x9e37_79b1) >> 20) as u16
}

/// The token that begins here, if its beginning is known.
pub(crate) fn token(bytes: &[u8], start: usize) -> Found {
    let hash = beginning(at(bytes, start), at(bytes, start + 1), at(bytes, start + 2));
    if BEGINNINGS.get(usize::from(hash >> 6)).is_none_or(|word| word >> (hash & 63) & 1 == 0) {
        return discord(bytes, start);
    }
    let rest = bytes.get(start..)?;
    // What begins in the middle of a run that the body could have was read with that run.
    let run =
        |body: Body| matches!(body, Body::Url | Body::Any | Body::Hex) && body.has(before(bytes, start, 1));
    let known = BY_LETTER.get(usize::from(at(bytes, start)))?;
    known
        .iter()
        .filter(|(prefix, rule)| rest.starts_with(prefix) && !run(rule.body))
        .find_map(|(prefix, rule)| body(bytes, rule, start, start + prefix.len()))
}

fn body(bytes: &[u8], rule: &Rule, start: usize, body: usize) -> Found {
    let mut end = end_of(bytes, body, rule.most + 1, |byte| rule.body.has(byte));
    while end > body && matches!(before(bytes, end, 1), b'.' | b'-' | b'=' | b'/') && end - body > rule.least
    {
        end -= 1;
    }
    let text = bytes.get(body..end)?;
    if !(rule.least..=rule.most).contains(&text.len()) || at(bytes, end).is_ascii_alphanumeric() {
        return None;
    }
    let fits = match rule.name {
        "json-web-token" => is_web_token(text),
        "github-token" if rule.body == Body::Any => {
            let id = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            text.get(id..).is_some_and(|rest| rest.starts_with(b"_eyJ")) && is_web_token(text)
        }
        "airtable-token" => text.get(14) == Some(&b'.'),
        _ => true,
    };
    // Words in a row are no token, nor is one character again and again.
    let varied = variety(text) >= if matches!(rule.body, Body::Hex | Body::Base32) { 7 } else { 9 };
    let drawn = || text.iter().any(u8::is_ascii_digit) || rule.body == Body::Base32 || is_drawn(text);
    (fits && varied && drawn()).then_some((rule.name, start, end))
}

/// Header, claims and signature.
fn is_web_token(text: &[u8]) -> bool {
    text.iter().filter(|byte| **byte == b'.').count() == 2
}

/// Whether letters were drawn one by one: a fifth of them at least is of either case, and names have fewer capitals.
fn is_drawn(text: &[u8]) -> bool {
    let count = |of: fn(&u8) -> bool| text.iter().filter(|byte| of(byte)).count();
    count(u8::is_ascii_uppercase).min(count(u8::is_ascii_lowercase)) * 5 >= text.len()
}

/// `Bearer …` in a header.
pub(crate) fn bearer(bytes: &[u8], start: usize, end: usize) -> Found {
    if !bytes.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case(b"bearer"))
        || at(bytes, end) != b' '
    {
        return None;
    }
    let value = end + 1;
    let stop = end_of(bytes, value, 1024, |byte| Body::Any.has(byte));
    let text = bytes.get(value..stop)?;
    (text.len() >= 20 && is_random(text)).then_some(("bearer-token", value, stop))
}

/// Three parts of which the first is a number in Base64.
fn discord(bytes: &[u8], start: usize) -> Found {
    if !matches!(at(bytes, start), b'M' | b'N' | b'O') {
        return None;
    }
    let first = end_of(bytes, start, 30, |byte| byte.is_ascii_alphanumeric());
    if !(23..=28).contains(&(first - start)) || at(bytes, first) != b'.' {
        return None;
    }
    let second = end_of(bytes, first + 1, 8, |byte| Body::Url.has(byte));
    let third = end_of(bytes, second + 1, 48, |byte| Body::Url.has(byte));
    let fits = second == first + 7 && at(bytes, second) == b'.' && (27..=44).contains(&(third - second - 1));
    fits.then_some(("discord-token", start, third))
}

/// A number, and 35 characters that begin with `AA`.
pub(crate) fn telegram(bytes: &[u8], floor: usize, place: usize) -> Found {
    if at(bytes, place + 1) != b'A' || at(bytes, place + 2) != b'A' {
        return None;
    }
    let start = start_of(bytes, floor, place, 11, |byte| byte.is_ascii_digit());
    let end = end_of(bytes, place + 1, 36, |byte| Body::Url.has(byte));
    ((8..=10).contains(&(place - start)) && end == place + 36).then_some(("telegram-token", start, end))
}
