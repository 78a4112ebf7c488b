//! What a client says of itself: its name, version and capabilities.

use mcp_sieve::json::Raw;

use crate::protocol::error::RpcError;

/// Maximum length, in bytes of JSON, of the `clientInfo` and `capabilities` of a client together. A session stores
/// both.
pub const MAX_CLIENT: usize = 16 * 1024;

/// Checks the length of a client's `clientInfo` and `capabilities`.
///
/// # Errors
/// Invalid params `client_limit`, beyond [`MAX_CLIENT`].
pub(crate) fn check_client(info: Option<Raw<'_>>, capabilities: Option<Raw<'_>>) -> Result<(), RpcError> {
    let length: usize = [info, capabilities].into_iter().flatten().map(|raw| raw.get().len()).sum();
    if length <= MAX_CLIENT {
        return Ok(());
    }
    let message =
        format!("expected at most {MAX_CLIENT} bytes of client info and capabilities, found {length}");
    Err(RpcError::handle("client_limit", message))
}
