//! The result of a host's own check of a caller.

use crate::protocol::error::RpcError;

/// The result of a host's own check of a caller: a pass, or a failure with a message. [`CheckResult::into_result`]
/// converts it to the `Result<(), RpcError>` that [`Host::check`](super::Host::check) returns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckResult {
    message: Option<String>,
}

impl CheckResult {
    /// The result of a check that passes.
    pub const SUCCESS: Self = Self { message: None };

    /// Returns the result of a check that passes.
    pub const fn success() -> Self {
        Self::SUCCESS
    }

    /// Returns the result of a check that fails. The client receives `message`.
    pub fn error(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()) }
    }

    /// Returns whether the check failed.
    pub const fn is_error(&self) -> bool {
        self.message.is_some()
    }

    /// Returns the message of a check that failed.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Returns the result in the form that [`Host::check`](super::Host::check) returns.
    ///
    /// # Errors
    /// Returns [`RpcError::check`] with the message if the check failed.
    pub fn into_result(self) -> Result<(), RpcError> {
        self.message.map_or(Ok(()), |message| Err(RpcError::check(message)))
    }
}
