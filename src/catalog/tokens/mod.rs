//! Token counts: how much of a model's context the primitives take, counted or estimated.

pub(super) mod costs;
pub(super) mod estimate;
