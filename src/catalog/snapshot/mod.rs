//! A compiled catalog as bytes, and back without parsing.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SIEVE\0\r\n`: text transfer would change them |
//! | 8 | [`SNAPSHOT_VERSION`] |
//! | 8 | XXH64 of all that follows |
//! | 16 | [`Catalog::hash`] |
//! | 8 | length of the text |
//! | … | the text: each kind's primitives as they are sent, joined by commas |
//! | … | the configuration it was compiled under, if that is kept |
//! | … | the tables: vocabulary, groups, tags, reports, and for each kind places, names, bitsets, token counts |
//!
//! Numbers are little-endian, 64 bits wide but in the tables of names; lists begin with their length.

pub(super) mod codec;
mod decode;
mod encode;

use crate::{catalog::Catalog, error::Error};

/// The format that this engine writes, and the only one that it reads. Another one for any change to what is
/// written or to what it means.
pub const SNAPSHOT_VERSION: u64 = 10;

const MAGIC: &[u8; 8] = b"SIEVE\0\r\n";
/// Where what the checksum covers begins.
const CHECKED: usize = 24;
/// Where the text begins.
const HEADER: usize = 48;

impl Catalog {
    /// The whole catalog as bytes, for [`Catalog::restore`]. Tokens that were not counted are estimated now.
    ///
    /// A snapshot is made at build time, where the lists and the rules are; what it is restored by needs neither.
    pub fn snapshot(&self) -> Vec<u8> {
        self.snapshot_under("")
    }

    /// The same with the text of a configuration beside it: its rules are in the catalog, its policies and
    /// concerns are not.
    pub fn snapshot_under(&self, config: &str) -> Vec<u8> {
        encode::write(self, config)
    }

    /// The catalog that a snapshot was made of. The bytes are kept: there is no second copy of the text.
    ///
    /// The checksum tells accidents, not intent: restore only what you would run.
    ///
    /// # Errors
    /// [`ErrorKind::Snapshot`](crate::error::ErrorKind::Snapshot) for what is no snapshot, one of another
    /// [format](SNAPSHOT_VERSION), and one that is damaged.
    pub fn restore(snapshot: impl Into<Vec<u8>>) -> Result<Self, Error> {
        Self::restore_under(snapshot).map(|(catalog, _)| catalog)
    }

    /// The same, and the configuration's text: empty where there was none.
    ///
    /// # Errors
    /// As [`Catalog::restore`].
    pub fn restore_under(snapshot: impl Into<Vec<u8>>) -> Result<(Self, String), Error> {
        decode::read(snapshot.into())
    }
}
