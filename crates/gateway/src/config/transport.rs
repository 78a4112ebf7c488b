//! The transports of a deployment: HTTP and stdio.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The transport on which clients reach a deployment. Expressions read it as `transport`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Streamable HTTP: `http`.
    #[default]
    Http,
    /// Standard input and output of a process that the client started: `stdio`.
    Stdio,
}

impl Transport {
    /// Returns the name: `http` or `stdio`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Stdio => "stdio",
        }
    }
}

/// Text that names no transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransportError;

impl FromStr for Transport {
    type Err = TransportError;

    fn from_str(name: &str) -> Result<Self, TransportError> {
        [Self::Http, Self::Stdio].into_iter().find(|transport| transport.name() == name).ok_or(TransportError)
    }
}
