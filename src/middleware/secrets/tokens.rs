//! Tokens with a known prefix or shape.

use std::sync::LazyLock;

use crate::middleware::{
    scan::bytes::{at, before, end_of, start_of},
    secrets::{
        assignment::{is_random, variety},
        rules::{CharSet, RULES, Rule, SecretMatch},
    },
};

/// Which first three bytes begin a token, by their hash.
static PREFIX_FILTER: LazyLock<[u64; 64]> = LazyLock::new(|| {
    let mut known = [0; 64];
    for prefix in RULES.iter().flat_map(|rule| rule.prefixes.split(' ')) {
        let bytes = prefix.as_bytes();
        let third = |third: u8, known: &mut [u64; 64]| {
            let hash = prefix_hash(at(bytes, 0), at(bytes, 1), third);
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
type PrefixRule = (&'static [u8], &'static Rule);

/// The beginnings of tokens, by their first letter.
static RULES_BY_LETTER: LazyLock<Vec<Vec<PrefixRule>>> = LazyLock::new(|| {
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

fn prefix_hash(first: u8, second: u8, third: u8) -> u16 {
    let key = u32::from_le_bytes([first, second, third, 0]);
    (key.wrapping_mul(0x9e37_79b1) >> 20) as u16
}

/// The token that begins here, if its beginning is known.
pub(crate) fn token(bytes: &[u8], start: usize) -> SecretMatch {
    let hash = prefix_hash(at(bytes, start), at(bytes, start + 1), at(bytes, start + 2));
    if PREFIX_FILTER.get(usize::from(hash >> 6)).is_none_or(|word| word >> (hash & 63) & 1 == 0) {
        return discord(bytes, start);
    }
    let rest = bytes.get(start..)?;
    // What begins in the middle of a run that the body could have was read with that run.
    let run = |chars: CharSet| {
        matches!(chars, CharSet::Url | CharSet::Any | CharSet::Hex) && chars.contains(before(bytes, start, 1))
    };
    let known = RULES_BY_LETTER.get(usize::from(at(bytes, start)))?;
    known
        .iter()
        .filter(|(prefix, rule)| rest.starts_with(prefix) && !run(rule.chars))
        .find_map(|(prefix, rule)| match_body(bytes, rule, start, start + prefix.len()))
}

fn match_body(bytes: &[u8], rule: &Rule, start: usize, body: usize) -> SecretMatch {
    let mut end = end_of(bytes, body, rule.max_length + 1, |byte| rule.chars.contains(byte));
    while end > body
        && matches!(before(bytes, end, 1), b'.' | b'-' | b'=' | b'/')
        && end - body > rule.min_length
    {
        end -= 1;
    }
    let text = bytes.get(body..end)?;
    if !(rule.min_length..=rule.max_length).contains(&text.len()) || at(bytes, end).is_ascii_alphanumeric() {
        return None;
    }
    let fits = match rule.name {
        "json-web-token" => is_web_token(text),
        "github-token" if rule.chars == CharSet::Any => {
            let id = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            text.get(id..).is_some_and(|rest| rest.starts_with(b"_eyJ")) && is_web_token(text)
        }
        "airtable-token" => text.get(14) == Some(&b'.'),
        _ => true,
    };
    // Words in a row are no token, nor is one character again and again.
    let varied = variety(text) >= if matches!(rule.chars, CharSet::Hex | CharSet::Base32) { 7 } else { 9 };
    let drawn = || text.iter().any(u8::is_ascii_digit) || rule.chars == CharSet::Base32 || looks_random(text);
    (fits && varied && drawn()).then_some((rule.name, start, end))
}

/// Header, claims and signature.
fn is_web_token(text: &[u8]) -> bool {
    text.iter().filter(|byte| **byte == b'.').count() == 2
}

/// Whether letters were drawn one by one: a fifth of them at least is of either case, and names have fewer capitals.
fn looks_random(text: &[u8]) -> bool {
    let count = |of: fn(&u8) -> bool| text.iter().filter(|byte| of(byte)).count();
    count(u8::is_ascii_uppercase).min(count(u8::is_ascii_lowercase)) * 5 >= text.len()
}

/// `Bearer …` in a header.
pub(crate) fn bearer(bytes: &[u8], start: usize, end: usize) -> SecretMatch {
    if !bytes.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case(b"bearer"))
        || at(bytes, end) != b' '
    {
        return None;
    }
    let value = end + 1;
    let stop = end_of(bytes, value, 1024, |byte| CharSet::Any.contains(byte));
    let text = bytes.get(value..stop)?;
    (text.len() >= 20 && is_random(text)).then_some(("bearer-token", value, stop))
}

/// Three parts of which the first is a number in Base64.
fn discord(bytes: &[u8], start: usize) -> SecretMatch {
    if !matches!(at(bytes, start), b'M' | b'N' | b'O') {
        return None;
    }
    let first = end_of(bytes, start, 30, |byte| byte.is_ascii_alphanumeric());
    if !(23..=28).contains(&(first - start)) || at(bytes, first) != b'.' {
        return None;
    }
    let second = end_of(bytes, first + 1, 8, |byte| CharSet::Url.contains(byte));
    let third = end_of(bytes, second + 1, 48, |byte| CharSet::Url.contains(byte));
    let fits = second == first + 7 && at(bytes, second) == b'.' && (27..=44).contains(&(third - second - 1));
    fits.then_some(("discord-token", start, third))
}

/// A number, and 35 characters that begin with `AA`.
pub(crate) fn telegram(bytes: &[u8], floor: usize, place: usize) -> SecretMatch {
    if at(bytes, place + 1) != b'A' || at(bytes, place + 2) != b'A' {
        return None;
    }
    let start = start_of(bytes, floor, place, 11, |byte| byte.is_ascii_digit());
    let end = end_of(bytes, place + 1, 36, |byte| CharSet::Url.contains(byte));
    ((8..=10).contains(&(place - start)) && end == place + 36).then_some(("telegram-token", start, end))
}
