//! The result of parsing a filter: the filter, and the ignored parts of its source.

use super::Filter;
use crate::error::Ignored;

/// A parsed filter, and the parts of its source that had no effect.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedFilter<F = Filter> {
    /// The filter.
    pub filter: F,
    /// The parts that had no effect, such as unknown fields, for a report to the caller.
    pub ignored: Vec<Ignored>,
}
