//! Findings of a review that the operator has accepted: `"acknowledged": {"CODE": "reason", "CODE:PLACE": "reason"}`.

use mcp_sieve::{Error, json::Entry};

/// Maximum number of acknowledgements.
const MAX_ACKNOWLEDGED: usize = 256;

/// Reads the acknowledgements. Returns what they name: the code of a finding, or the code, a colon and the place.
///
/// # Errors
/// [`ErrorKind::Config`](mcp_sieve::ErrorKind::Config) for one without a reason, and for too many.
pub(super) fn acknowledged(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    let acknowledged = entry.members(|reason| match reason.text()?.trim() {
        "" => Err(reason.refuse("expected the reason why the finding is no problem")),
        _ => Ok(()),
    })?;
    match acknowledged.len() {
        0..=MAX_ACKNOWLEDGED => Ok(acknowledged.into_iter().map(|(finding, ())| finding).collect()),
        _ => Err(entry.refuse(format!("expected at most {MAX_ACKNOWLEDGED} acknowledgements"))),
    }
}
