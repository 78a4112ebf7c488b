//! Presets of a request. The path `/mcp/support` applies the preset `support`. A preset with `when` applies to the
//! matching callers on every path.

use http::StatusCode;
use mcp_sieve::policy::Preset;

use crate::{caller::identity::Caller, config::Config, protocol::error::RpcError};

/// Applies the presets to a caller that requested the path of `named`.
///
/// # Errors
/// 404 if `named` does not exist for this caller. The other presets that match the caller are still applied.
pub(crate) fn bind(config: &Config, named: Option<&str>, caller: &mut Caller<'_>) -> Result<(), RpcError> {
    let applicable = |named| Preset::find_applicable(&config.engine.presets, named, caller);
    let bound = applicable(named);
    let found = bound.is_some();
    let presets = bound.or_else(|| applicable(None)).unwrap_or_default();
    caller.presets = presets;
    if found { Ok(()) } else { Err(unknown()) }
}

/// Returns the error for an unknown path. A preset for other callers gets the same error, so that it is not revealed.
fn unknown() -> RpcError {
    RpcError::request(StatusCode::NOT_FOUND, "path", "nothing is served at this path")
}
