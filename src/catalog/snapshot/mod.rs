//! Snapshots: a compiled catalog as bytes, which can be restored without parsing JSON.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `SIEVE\0\r\n`, which a transfer as text would change |
//! | 8 | [`Catalog::SNAPSHOT_VERSION`](crate::catalog::Catalog::SNAPSHOT_VERSION) |
//! | 8 | XXH64 of all following bytes |
//! | 16 | [`Catalog::hash`] |
//! | 8 | length of the text |
//! | … | the text: each kind's primitives as clients receive them, joined by commas |
//! | … | the configuration that the catalog was compiled with, or empty text |
//! | … | the tables: vocabulary, groups, tags, reports, and for each kind places, names, shortened definitions, bitsets, token counts if they are known |
//!
//! Numbers are little-endian and 64 bits wide, except in the hash tables of names. Lists begin with their length.

pub(super) mod codec;
mod convert;
mod decode;
mod encode;
mod layout;
