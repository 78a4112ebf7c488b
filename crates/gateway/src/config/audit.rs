//! The setting `audit`: which requests the audit log records.

use mcp_sieve::{Error, json::Entry};

/// The requests that the operator's log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Audit {
    /// Denied requests: `denials`.
    #[default]
    Denials,
    /// Denied requests, and in a log of their own the requests that are forwarded to servers: `all`.
    All,
}

impl Audit {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        match entry.text()?.as_str() {
            "denials" => Ok(Self::Denials),
            "all" => Ok(Self::All),
            _ => Err(entry.refuse("expected `denials` or `all`")),
        }
    }
}
