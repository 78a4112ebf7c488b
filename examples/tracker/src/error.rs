//! The two ways in which something goes wrong here, and how they reach a caller.

use serde::Serialize;
use serde_json::Value;

/// A JSON-RPC error: the request names something that is not there, or is malformed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TrackerError {
    /// The JSON-RPC code.
    pub(crate) code: i64,
    /// What a person reads.
    pub(crate) message: String,
    /// What a program reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

impl TrackerError {
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL: i64 = -32603;

    /// An error without data.
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// `-32602`: a parameter is missing, malformed or names nothing.
    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }
}

/// Why a piece of work was not done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fail {
    /// The caller can do something about it; the text says what was expected.
    Refused(String),
    /// The caller can not: the storage failed, or a catalog file and its code disagree.
    Fault(String),
}

impl Fail {
    /// The caller asked for something that cannot be done.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }

    /// There is nothing with this number.
    pub(crate) fn absent(kind: &str, id: i64) -> Self {
        Self::Refused(format!("there is no {kind} {id}"))
    }

    /// The text for a tool result, where both kinds are the model's to read.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Refused(message) | Self::Fault(message) => message,
        }
    }
}

/// A failure of the storage.
impl From<worker::Error> for Fail {
    fn from(error: worker::Error) -> Self {
        Self::Fault(format!("the storage failed: {error}"))
    }
}

/// Outside a tool there is no result to put a failure in.
impl From<Fail> for TrackerError {
    fn from(fail: Fail) -> Self {
        match fail {
            Fail::Refused(message) => Self::params(message),
            Fail::Fault(message) => Self::new(Self::INTERNAL, message),
        }
    }
}
