mod relate;
mod stems;

#[cfg(test)]
pub(super) use relate::{DESCRIBING, ENDINGS, KNOWN, UNKNOWN};
#[cfg(test)]
pub(super) use stems::{MAX_COUNT, MAX_WORDS, ONE, PAIR, RESPELT};
pub use stems::{MAX_QUERY, MAX_TERMS};
pub(super) use stems::{OWN, Query, Term};
