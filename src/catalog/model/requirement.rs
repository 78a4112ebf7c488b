//! Capabilities that a client must declare to use a primitive. They are written into `_meta` as in the draft "required
//! capabilities" of 2026-09.

use crate::json::{Members, Raw};

/// The key in `_meta` of a primitive.
pub(crate) const REQUIRED_CAPABILITIES: &str = "io.modelcontextprotocol/requiredCapabilities";

/// Maximum size, in bytes of JSON, of the capabilities that a primitive requires. Larger ones are not evaluated.
pub const MAX_REQUIREMENT: usize = 4_096;
/// Maximum number of distinct requirements in one catalog. Others are not evaluated.
pub const MAX_REQUIREMENTS: usize = 64;
/// Maximum nesting depth of a requirement.
const MAX_DEPTH: usize = 8;

/// Returns the capabilities that a primitive requires, if any.
///
/// # Errors
/// A description of why the value cannot be evaluated.
pub(crate) fn required(value: Raw<'_>) -> Result<Option<Raw<'_>>, &'static str> {
    let Some(members) = Members::read(value) else {
        return Err("is not an object");
    };
    if value.get().len() > MAX_REQUIREMENT {
        return Err("is larger than 4 KiB");
    }
    if !is_shallow(value, MAX_DEPTH) {
        return Err("is more than 8 levels deep");
    }
    Ok((!members.0.is_empty()).then_some(value))
}

fn is_shallow(value: Raw<'_>, left: usize) -> bool {
    let inner = |value: &Raw<'_>| left > 0 && is_shallow(*value, left - 1);
    match (Members::read(value), value.elements()) {
        (Some(members), _) => members.0.iter().all(|(_, value)| inner(value)),
        (None, Some(elements)) => elements.iter().all(inner),
        (None, None) => true,
    }
}
