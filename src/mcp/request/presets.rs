//! Presets on the wire: `/mcp/support` is the endpoint bounded by the preset `support`, and a preset that says
//! whom it is for bounds these callers wherever they come.

use http::StatusCode;

use crate::{
    config::Config,
    mcp::{protocol::error::RpcError, request::caller::Caller},
    policy::Preset,
};

/// Binds a caller who came by the path of `named`.
///
/// # Errors
/// Where there is no such preset for this caller, which the presets that are for it still bind.
pub(crate) fn bind(config: &Config, named: Option<&str>, caller: &mut Caller<'_>) -> Result<(), RpcError> {
    let binding = |named| Preset::binding(&config.presets, named, caller);
    let bound = binding(named);
    let found = bound.is_some();
    let presets = bound.or_else(|| binding(None)).unwrap_or_default();
    caller.presets = presets;
    if found { Ok(()) } else { Err(unknown()) }
}

/// A path at which nothing is, or nothing for this caller: no answer tells the two apart.
fn unknown() -> RpcError {
    RpcError::request(StatusCode::NOT_FOUND, "path", "nothing is served at this path")
}
