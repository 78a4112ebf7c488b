//! The positions of the fixed parts of a snapshot.

use crate::catalog::Catalog;

impl Catalog {
    /// The format version that this engine writes, and the only one that it reads. Any change to the format or its
    /// meaning requires a new version.
    pub const SNAPSHOT_VERSION: u64 = 14;
}

pub(super) const MAGIC: &[u8; 8] = b"SIEVE\0\r\n";
/// The start of the bytes that the checksum covers.
pub(super) const CHECKED: usize = 24;
/// The start of the text.
pub(super) const HEADER: usize = 48;
