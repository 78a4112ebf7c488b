//! The hashes by which a list is checked: `catalogHash` ([`Scope::hash`](crate::catalog::Scope::hash), of what the caller sees),
//! `filterHash` and `resultHash` in the report of a result.
//!
//! Each is a [`Digest`]: two XXH64, of the seeds 0 and 1, written as 32 hexadecimal digits, over parts that go
//! in behind their length in bytes (64 bits, little-endian). Whoever has the bytes can do the sum again.

use super::Filter;
use crate::{
    digest::{Digest, digest},
    json::{Raw, elements},
};

/// The hash of filters of which every one must hold, such as the URL's and the request's.
///
/// The parts are the canonical texts of those that ask for something, in order; of none, `{}`. So a filter
/// has one hash wherever it stands, which is [`Filter::hash`].
pub fn filter_hash<'a>(filters: impl IntoIterator<Item = &'a Filter>) -> u128 {
    canonical_hash(&filters.into_iter().map(Filter::canonical).collect::<Vec<_>>())
}

/// Returns the hash of filters, as [`filter_hash`], from their canonical texts.
pub(crate) fn canonical_hash(filters: &[Vec<u8>]) -> u128 {
    const NOTHING: &[u8] = b"{}";
    let mut asking = filters.iter().filter(|text| *text != NOTHING).peekable();
    if asking.peek().is_none() {
        return digest(NOTHING);
    }
    let mut digest = Digest::new();
    asking.for_each(|text| digest.part(text));
    digest.end()
}

/// Returns the hash of what a result lists, from the text of its array; zero for text that is no JSON array.
///
/// Each primitive has the hash of one part, its text as it is sent. The hash of the list is that of one part too: those
/// hashes in order, as 16 bytes each, in the order in which their digits are written.
///
/// A list on several pages has one for each. The plain resource has no pages, and this for its `ETag`.
pub fn result_hash(array: &[u8]) -> u128 {
    let array = std::str::from_utf8(array).ok().and_then(|text| Raw::parse(text).ok());
    let primitives = array.and_then(elements);
    primitives.map_or(0, |list| hash_of_hashes(list.iter().map(|raw| digest(raw.get().as_bytes()))))
}

/// Returns the hash of a list whose primitives have these hashes.
pub(crate) fn hash_of_hashes(primitives: impl Iterator<Item = u128>) -> u128 {
    let mut bytes = Vec::with_capacity(primitives.size_hint().0 * size_of::<u128>());
    primitives.for_each(|hash| bytes.extend_from_slice(&hash.to_be_bytes()));
    // Hashed at once: a part of sixteen bytes costs more than its bytes.
    digest(&bytes)
}
