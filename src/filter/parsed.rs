//! The result of parsing a filter: the filter, and the ignored parts of its source.

use super::Filter;
use crate::error::{Ignored, UnknownName};

/// A parsed filter, with the parts of its source that had no effect, and names in it that match nothing.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedFilter<F = Filter> {
    /// The filter.
    pub filter: F,
    /// The parts that had no effect, such as unknown fields, for a report to the caller.
    pub ignored: Vec<Ignored>,
    /// The names that match nothing wherever the filter is applied, such as an unknown status of tasks.
    pub unknown: Vec<UnknownName>,
}
