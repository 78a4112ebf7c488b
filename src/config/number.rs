use crate::{error::Error, json::Entry};

/// Largest number of a setting that counts something.
pub const MAX_NUMBER: i64 = u32::MAX as i64;

/// Reads a number that cannot be zero.
pub(super) fn positive<N: TryFrom<i64>>(entry: &Entry<'_>) -> Result<N, Error> {
    entry.whole(1, MAX_NUMBER)
}
