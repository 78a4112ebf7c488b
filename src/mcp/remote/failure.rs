use crate::{
    error::Error,
    mcp::protocol::error::{INVALID_PARAMS, RpcError},
};

/// The codes of JSON-RPC itself, from the lowest to the highest. With one of them the function has not run.
const PROTOCOL_CODES: std::ops::RangeInclusive<i64> = -32_700..=-32_600;

/// Why a server has returned no outcome.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The function or the server has refused the call: another server is not asked.
    Refused(Error),
    /// The server is not able to run the function: another server may be.
    Failed(Error),
}

impl Failure {
    /// A request that got no answer. An error that the server answered with is among these where it may have meant the
    /// session or the revision, and the request was repeated in vain.
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

    /// An error that the server answered with. Its message may quote the context, so only the code is repeated.
    pub fn answered(server: &str, method: &str, error: &RpcError) -> Self {
        let code = error.code;
        let message = format!("middleware server `{server}` answered `{method}` with the error {code}");
        let ran = code == INVALID_PARAMS || !PROTOCOL_CODES.contains(&code);
        let error = Error::failed(message);
        if ran && method == "middleware/invoke" { Self::Refused(error) } else { Self::Failed(error) }
    }

    /// A result that is not valid.
    pub fn invalid(server: &str, method: &str, problem: &str) -> Self {
        let message =
            format!("middleware server `{server}` answered `{method}` with an invalid result: {problem}");
        Self::Failed(Error::failed(message))
    }

    /// A function that the server does not list.
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
