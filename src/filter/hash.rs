//! The hashes by which a list is checked: `catalogHash` ([`Scope::hash`](crate::catalog::Scope::hash), of what the caller sees),
//! `filterHash` and `resultHash` in the report of a result.
//!
//! Each is a [`Digest`]: two XXH64, of the seeds 0 and 1, written as 32 hexadecimal digits, over parts that go
//! in behind their length in bytes (64 bits, little-endian). Whoever has the bytes can do the sum again.

use super::Filter;
use crate::digest::{Digest, digest};

/// The hash of filters of which every one must hold, such as the URL's and the request's.
///
/// The parts are the canonical texts of those that ask for something, in order; of none, `{}`. So a filter
/// has one hash wherever it stands, which is [`Filter::hash`].
pub fn filter_hash<'a>(filters: impl IntoIterator<Item = &'a Filter>) -> u128 {
    let mut asking = filters.into_iter().filter(|filter| !filter.is_empty()).peekable();
    if asking.peek().is_none() {
        return Filter::default().hash();
    }
    let mut digest = Digest::new();
    asking.for_each(|filter| digest.part(&filter.canonical()));
    digest.end()
}

/// The hash of what a result lists: of one part, the text of its array as it is sent, from `[` to `]`.
///
/// A list on several pages has one for each. The plain resource has no pages, and this for its `ETag`.
pub fn result_hash(array: &[u8]) -> u128 {
    digest(array)
}
