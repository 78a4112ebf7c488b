use super::{Field, Subject};

/// The caller where there is none, or where nothing is known of it: no term that reads a caller holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoCaller;

impl Subject for NoCaller {
    fn values(&self, _: &Field, _: &mut dyn FnMut(&str)) {}
}
