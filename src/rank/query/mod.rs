//! Search queries: their stems, related stems and weights.

mod relate;
mod stems;

#[cfg(test)]
pub(super) use relate::{DESCRIBING, ENDINGS, KNOWN, UNKNOWN};
#[cfg(test)]
pub(super) use stems::{MAX_COUNT, MAX_TERMS, MAX_WORDS, ONE, PAIR, RESPELT};
pub(super) use stems::{OWN, Query, Term};
