//! Token counts of primitives for a model's context, exact or estimated.

mod costs;
pub(super) mod counts;
pub(super) mod estimate;
