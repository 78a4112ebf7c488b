//! A filter with settled concern values, together with its compiled form.

use super::{Filter, Narrowing};

/// A filter with settled concerns, and its compiled form.
#[derive(Debug, Clone)]
pub struct SettledFilter {
    /// The filter as it is applied.
    pub filter: Filter,
    /// The filter, compiled. It also reports the parts that had no effect.
    pub narrowing: Narrowing,
}
