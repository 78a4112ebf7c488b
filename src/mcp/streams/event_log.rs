use std::{fmt, str::FromStr};

use crate::mcp::protocol::error::RpcError;

/// Most events that a session keeps for clients that lost their connection.
pub const MAX_EVENTS: u64 = 1_000;
/// Most bytes of one event that is kept; a longer one cannot be had a second time.
pub const MAX_EVENT: usize = 1024 * 1024;

/// Most events that are read at once: a client that comes back, or reads late, may be behind by hundreds.
pub const MAX_READ: usize = 16;

/// What a session has sent on its streams, for clients that come back for the rest: storage that outlives
/// the process. Keeps the newest [`MAX_EVENTS`].
pub trait EventLog {
    /// Keeps an event and gives its number, larger than any before. Without a stream it opens one, whose
    /// number is the event's own.
    ///
    /// # Errors
    /// When the storage fails.
    fn append(&self, stream: Option<u64>, body: &[u8], last: bool) -> Result<u64, RpcError>;

    /// The next events of a stream behind one of its events, in order: no more than [`MAX_READ`], and none
    /// only where there are none.
    ///
    /// # Errors
    /// When the storage fails.
    fn read(&self, stream: u64, after: u64) -> Result<Vec<LoggedEvent>, RpcError>;
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Its number.
    pub event: u64,
    /// The JSON-RPC message; of the event that opens a stream, the id of the request that did.
    pub body: Vec<u8>,
    /// Whether the stream ends with it.
    pub last: bool,
}

/// What a client brings back as `Last-Event-ID`: the stream, and the last event it has seen of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventId {
    /// The stream.
    pub stream: u64,
    /// The event.
    pub event: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.stream, self.event)
    }
}

/// The error for text that is not an event id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventIdError;

impl fmt::Display for EventIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected two whole numbers with a hyphen between them")
    }
}

impl std::error::Error for EventIdError {}

impl FromStr for EventId {
    type Err = EventIdError;

    fn from_str(id: &str) -> Result<Self, EventIdError> {
        let (stream, event) = id.split_once('-').ok_or(EventIdError)?;
        let number = |digits: &str| digits.parse().map_err(|_| EventIdError);
        Ok(Self { stream: number(stream)?, event: number(event)? })
    }
}
