//! The two kinds of errors, and how a caller receives them.

use serde::Serialize;
use serde_json::Value;

/// A JSON-RPC error: the request names something that does not exist, or is malformed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TrackerError {
    /// The JSON-RPC error code.
    pub(crate) code: i64,
    /// The message for people.
    pub(crate) message: String,
    /// The details for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

impl TrackerError {
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL: i64 = -32603;

    /// Creates an error without data.
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Creates error `-32602`: a parameter is missing, malformed or names nothing that exists.
    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }
}

/// The reason why an operation failed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fail {
    /// An error that the caller can correct; the message says what was expected.
    Refused(String),
    /// An error that the caller cannot correct: the storage failed, or a catalog file and its code disagree.
    Fault(String),
}

impl Fail {
    /// Creates an error for a request that cannot be fulfilled.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }

    /// Creates the error for a number that does not exist.
    pub(crate) fn absent(kind: &str, id: i64) -> Self {
        Self::Refused(format!("there is no {kind} {id}"))
    }

    /// Returns the message for a tool result, where the model reads errors of both kinds.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Refused(message) | Self::Fault(message) => message,
        }
    }
}

/// Wraps a failure of the storage.
impl From<worker::Error> for Fail {
    fn from(error: worker::Error) -> Self {
        Self::Fault(format!("the storage failed: {error}"))
    }
}

/// Converts a failure outside a tool, where there is no tool result to report it in.
impl From<Fail> for TrackerError {
    fn from(fail: Fail) -> Self {
        match fail {
            Fail::Refused(message) => Self::params(message),
            Fail::Fault(message) => Self::new(Self::INTERNAL, message),
        }
    }
}
