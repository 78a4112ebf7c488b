//! The types for token counts.

use crate::catalog::index::bitset::Bitset;

/// The size of primitives in tokens of a model's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// The number of tokens of the o200k vocabulary in the JSON that clients receive.
    pub count: u64,
    /// Whether every primitive was counted when the snapshot was made. Otherwise the number is an estimate.
    pub exact: bool,
}

/// The tokens of the primitives of one kind.
#[derive(Debug, Clone)]
pub(crate) struct Costs {
    pub counts: Vec<u32>,
    /// The primitives whose tokens were counted, not estimated.
    pub exact: Bitset,
}
