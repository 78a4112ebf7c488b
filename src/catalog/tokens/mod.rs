//! Token counts: how much of a model's context the primitives take, counted or estimated.

mod costs;
pub(super) mod counts;
pub(super) mod estimate;
