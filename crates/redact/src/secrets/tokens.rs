//! Tokens with a known prefix or shape.

use std::sync::LazyLock;

use crate::{
    scan::bytes::{at, end_of, start_of},
    secrets::{
        kinds::KINDS,
        rules::{CharSet, PrefixedKind, SecretMatch, match_token},
        secret_value::is_random,
    },
};

/// A filter of the first three bytes of tokens: a bitset of their hashes.
static PREFIX_FILTER: LazyLock<[u64; 64]> = LazyLock::new(|| {
    let mut known = [0; 64];
    for prefix in KINDS.iter().flat_map(|kind| kind.prefixes.split(' ')) {
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

/// The prefixes of tokens, by the hash of their first two letters.
static KINDS_BY_PREFIX: LazyLock<Vec<Vec<PrefixedKind>>> = LazyLock::new(|| {
    let mut known: Vec<_> = (0..128).map(|_| Vec::new()).collect();
    for kind in KINDS.iter().flat_map(PrefixedKind::of) {
        if let Some(known) = known.get_mut(bucket(kind.prefix, 0)) {
            known.push(kind);
        }
    }
    known
});

/// Returns the index in [`KINDS_BY_PREFIX`] for the two bytes at a position.
fn bucket(bytes: &[u8], start: usize) -> usize {
    usize::from(prefix_hash(at(bytes, start), at(bytes, start + 1), 0) & 127)
}

fn prefix_hash(first: u8, second: u8, third: u8) -> u16 {
    let key = u32::from_le_bytes([first, second, third, 0]);
    (key.wrapping_mul(0x9e37_79b1) >> 20) as u16
}

/// Returns the token at a position, if it has a known prefix or is that of Discord.
pub(crate) fn token(bytes: &[u8], start: usize) -> SecretMatch {
    let hash = prefix_hash(at(bytes, start), at(bytes, start + 1), at(bytes, start + 2));
    if PREFIX_FILTER.get(usize::from(hash >> 6)).is_none_or(|word| word >> (hash & 63) & 1 == 0) {
        return discord(bytes, start);
    }
    let known = KINDS_BY_PREFIX.get(bucket(bytes, start))?;
    // Several formats may share a prefix; the longest match is taken.
    let fits = known.iter().filter(|kind| kind.begins(bytes, start));
    let fits = fits.filter_map(|kind| Some((kind.name, start, match_token(bytes, kind, start)?)));
    fits.max_by_key(|(_, _, end)| *end)
}

/// Returns the token after the word `Bearer`, which is from `start` to `end`.
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

/// Returns the Discord token at a position: three parts, the first of which is a number in Base64.
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

/// Returns the Telegram token around the colon at a position: a number, and 35 characters that begin with `AA`.
pub(crate) fn telegram(bytes: &[u8], floor: usize, place: usize) -> SecretMatch {
    if at(bytes, place + 1) != b'A' || at(bytes, place + 2) != b'A' {
        return None;
    }
    let start = start_of(bytes, floor, place, 11, |byte| byte.is_ascii_digit());
    let end = end_of(bytes, place + 1, 36, |byte| CharSet::Url.contains(byte));
    ((8..=10).contains(&(place - start)) && end == place + 36).then_some(("telegram-token", start, end))
}
