//! The callers who share the lists of an upstream server.

use mcp_sieve::{Error, json::Entry};

/// The callers who share the lists of an upstream server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListScope {
    /// All callers.
    #[default]
    Shared,
    /// The requests of one caller. They are fetched with the credentials of this caller.
    Caller,
    /// The requests in one session of a client.
    Session,
}

impl ListScope {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        match entry.text()?.as_str() {
            "shared" => Ok(Self::Shared),
            "caller" => Ok(Self::Caller),
            "session" => Ok(Self::Session),
            _ => Err(entry.refuse("expected `shared`, `caller` or `session`")),
        }
    }
}
