//! A subject without attributes, for evaluation without a known caller.

use super::{Field, Subject};

/// A missing or unknown caller: no term that reads a caller holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoCaller;

impl Subject for NoCaller {
    fn values(&self, _: &Field, _: &mut dyn FnMut(&str)) {}
}
