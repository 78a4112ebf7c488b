//! Content hashes, which are equal on every machine and in every build.

use std::hash::{BuildHasher, Hasher};

use sha2::{Digest as _, Sha256};
use xxhash_rust::xxh64::{Xxh64, xxh64};

/// A hash of parts in order. Not for secrets: anyone who chooses the content can make two hashes collide.
pub struct Digest([Xxh64; 2]);

impl Digest {
    /// Returns the digest of no bytes.
    pub fn new() -> Self {
        Self([Xxh64::new(0), Xxh64::new(1)])
    }

    /// Adds a part, preceded by its length, so that different sequences of parts never hash the same bytes.
    pub fn part(&mut self, bytes: &[u8]) {
        for half in &mut self.0 {
            half.update(&(bytes.len() as u64).to_le_bytes());
            half.update(bytes);
        }
    }

    /// Returns the hash of all parts.
    pub fn end(&self) -> u128 {
        let [high, low] = self.0.each_ref().map(|half| u128::from(half.digest()));
        high << 64 | low
    }

    /// Returns the hash of one part.
    pub fn of(bytes: &[u8]) -> u128 {
        let mut digest = Self::new();
        digest.part(bytes);
        digest.end()
    }

    /// Returns a hash as 32 hexadecimal digits.
    pub fn hex(hash: u128) -> String {
        let digit = |nibble| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
        let mut text = Vec::with_capacity(32);
        for byte in hash.to_be_bytes() {
            text.extend_from_slice(&[digit(byte >> 4), digit(byte & 0xf)]);
        }
        String::from_utf8(text).unwrap_or_default()
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Digest(..)")
    }
}

impl Digest {
    /// Returns a checksum that detects accidental damage, but not deliberate changes.
    pub fn checksum(bytes: &[u8]) -> u64 {
        xxh64(bytes, 0)
    }
}

/// Returns the hash of a name in a table with this seed.
pub(crate) fn name_hash(seed: u64, name: &str) -> u64 {
    xxh64(name.as_bytes(), seed)
}

/// Returns a seed for hash tables of these names. It depends on every name, so a server cannot compute in advance which
/// names collide. Each name is passed as JSON, whose quotes mark its end.
pub(crate) fn seed<'a>(names: impl Iterator<Item = &'a str>) -> u64 {
    let mut hasher = Sha256::new();
    for name in names {
        hasher.update(name);
    }
    hasher.finalize().first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

/// Hashes names for tables, with XXH64 and a seed.
#[derive(Debug, Clone, Copy)]
pub struct NameHasher(u64);

/// Builds the hashers of tables of names, with a seed.
#[derive(Debug, Default, Clone, Copy)]
pub struct Hashing(pub u64);

impl BuildHasher for Hashing {
    type Hasher = NameHasher;

    fn build_hasher(&self) -> NameHasher {
        NameHasher(self.0)
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh64(bytes, self.0);
    }

    /// Hashes the byte that `str` appends, so that two texts differ from their concatenation.
    fn write_u8(&mut self, byte: u8) {
        self.0 = self.0.rotate_left(8) ^ u64::from(byte);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
