//! The failures of calls to middleware servers, as errors for callers.

use mcp_sieve::Error;

use crate::protocol::error::{INVALID_PARAMS, RpcError};

/// The range of error codes that JSON-RPC itself defines. With all but invalid params, the function has not run.
const PROTOCOL_CODES: std::ops::RangeInclusive<i64> = -32_700..=-32_600;

/// The reason why a server has returned no outcome.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The function or the server rejected the call, so no fallback is called.
    Refused(Error),
    /// The server could not run the function, so a fallback may be called.
    Failed(Error),
}

impl Failure {
    /// Returns the failure of a request without a usable response. This includes errors that might concern the session
    /// or the revision, after the request was repeated without success.
    pub fn unanswered(server: &str, method: &str, failure: &RpcError) -> Self {
        match failure.reason() {
            Some("upstream_unauthorized") => Self::Refused(Error::failed(failure.message.clone())),
            // The message quotes the server.
            Some("upstream_refused") => {
                let message = format!("middleware server `{server}` refused the handshake");
                Self::Failed(Error::failed(message))
            }
            Some(reason) if reason.starts_with("upstream_") => {
                Self::Failed(Error::failed(failure.message.clone()))
            }
            _ => Self::answered(server, method, failure),
        }
    }

    /// Returns the failure for a server's error. Its message may quote the context, so only the code is repeated.
    pub fn answered(server: &str, method: &str, error: &RpcError) -> Self {
        let code = error.code;
        let message = format!("middleware server `{server}` answered `{method}` with the error {code}");
        let ran = code == INVALID_PARAMS || !PROTOCOL_CODES.contains(&code);
        let error = Error::failed(message);
        if ran && method == "middleware/invoke" { Self::Refused(error) } else { Self::Failed(error) }
    }

    /// Returns the failure for an invalid result.
    pub fn invalid(server: &str, method: &str, problem: &str) -> Self {
        let message =
            format!("middleware server `{server}` answered `{method}` with an invalid result: {problem}");
        Self::Failed(Error::failed(message))
    }

    /// Returns the failure for a function that the server does not list.
    pub fn missing(server: &str, function: &str) -> Self {
        let message = format!("middleware server `{server}` lists no function `{function}`");
        Self::Failed(Error::failed(message))
    }

    /// Returns the error for the caller.
    pub fn into_error(self) -> Error {
        let (Self::Refused(error) | Self::Failed(error)) = self;
        error
    }
}
