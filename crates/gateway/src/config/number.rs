//! Reads settings that are positive whole numbers.

use mcp_sieve::{Error, json::Entry};

/// Maximum value of a setting that is a count.
pub const MAX_NUMBER: i64 = u32::MAX as i64;

/// Reads a positive number.
pub(super) fn positive<N: TryFrom<i64>>(entry: &Entry<'_>) -> Result<N, Error> {
    entry.whole(1, MAX_NUMBER)
}
