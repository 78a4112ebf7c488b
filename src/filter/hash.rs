//! The hashes with which clients can check a list: `catalogHash` ([`Scope::hash`](crate::catalog::Scope::hash), of the
//! visible part), `filterHash` and `resultHash` in the report of a result.
//!
//! Each is a [`Digest`]: two XXH64 hashes, with the seeds 0 and 1, written as 32 hexadecimal digits. The input consists
//! of parts, each preceded by its length in bytes (64 bits, little-endian). Clients with the same bytes can compute the
//! same hash.

use super::Filter;
use crate::filter::Selection;
use crate::{digest::Digest, json::Raw};

impl Filter {
    /// Returns the hash of a conjunction of filters, such as those of the URL and of the request.
    ///
    /// The parts are the canonical texts of the filters that are not empty, in order. Without any, the part is `{}`. So
    /// a single filter always has the same hash, which is [`Filter::hash`].
    pub fn hash_all<'a>(filters: impl IntoIterator<Item = &'a Filter>) -> u128 {
        Filter::hash_canonical(&filters.into_iter().map(Filter::canonical).collect::<Vec<_>>())
    }
}

impl Filter {
    /// Returns the hash of filters, like [`Filter::hash_all`](crate::Filter::hash_all), from their canonical texts.
    pub fn hash_canonical(filters: &[Vec<u8>]) -> u128 {
        const NOTHING: &[u8] = b"{}";
        let mut asking = filters.iter().filter(|text| *text != NOTHING).peekable();
        if asking.peek().is_none() {
            return Digest::of(NOTHING);
        }
        let mut digest = Digest::new();
        asking.for_each(|text| digest.part(text));
        digest.end()
    }
}

impl Selection {
    /// Returns the hash of the primitives in a result, from the text of their array. Returns zero for text that is not
    /// a JSON array.
    ///
    /// The hash of each primitive has one part, its text as sent to clients. The hash of the list has one part too: the
    /// hashes of the primitives in order, as 16 bytes each, in the order of their hexadecimal digits.
    ///
    /// Each page of a list has its own hash. The plain resource has no pages, and uses this hash for its `ETag`.
    pub fn result_hash(array: &[u8]) -> u128 {
        let array = std::str::from_utf8(array).ok().and_then(|text| Raw::parse(text).ok());
        let primitives = array.and_then(Raw::elements);
        primitives.map_or(0, |list| {
            Selection::hash_of_hashes(list.iter().map(|raw| Digest::of(raw.get().as_bytes())))
        })
    }
}

impl Selection {
    /// Returns the hash of a list from the hashes of its primitives.
    pub fn hash_of_hashes(primitives: impl Iterator<Item = u128>) -> u128 {
        let mut bytes = Vec::with_capacity(primitives.size_hint().0 * size_of::<u128>());
        primitives.for_each(|hash| bytes.extend_from_slice(&hash.to_be_bytes()));
        // They are hashed as one part, because a part of sixteen bytes costs more than its bytes.
        Digest::of(&bytes)
    }
}
