//! The parameters of an operator's requests.

use mcp_sieve_gateway::error::RpcError;
use worker::Request;

/// Returns the first parameter with a name.
pub(super) fn parameter(request: &Request, name: &str) -> Option<String> {
    let url = request.url().ok()?;
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// Returns a parameter that is a whole number, if the request has it.
///
/// # Errors
/// What `refuse` returns, for any other value. With such a value ignored, a program that pages would read the first
/// page again and again.
pub(super) fn whole_number(
    request: &Request,
    name: &str,
    refuse: impl FnOnce() -> RpcError,
) -> Result<Option<u64>, RpcError> {
    parameter(request, name).map(|value| value.parse().map_err(|_| refuse())).transpose()
}
