use std::{fmt, str::FromStr};

use http::StatusCode;

use crate::mcp::protocol::error::RpcError;

/// Maximum number of events that a session stores for clients that lose their connection.
pub const MAX_EVENTS: u64 = 1_000;
/// Maximum length, in bytes, of a stored event. A longer one is sent to a client that is connected, and cannot be sent
/// again.
pub const MAX_EVENT: usize = 1024 * 1024;
/// The numbers of events are smaller: JavaScript and SQLite represent them exactly.
const NUMBERS: u64 = 1 << 53;
/// The number of the stream of changes, which every session has: its GET stream.
pub(crate) const CHANGES: u64 = 0;

/// Maximum number of events per read. A client that reconnects may have missed hundreds.
pub const MAX_READ: usize = 16;

/// A log of the events that a session has sent, so that clients can resume streams. It is stored outside the process
/// and keeps the newest [`MAX_EVENTS`].
pub trait EventLog {
    /// Stores an event of at most [`MAX_EVENT`] bytes and returns its number, which is larger than all earlier ones and
    /// than 0. Without a stream it opens one, whose number is that of the event.
    ///
    /// # Errors
    /// When the storage fails.
    fn append(&self, stream: Option<u64>, body: &[u8], last: bool) -> Result<u64, RpcError>;

    /// Returns the events of a stream after one of its events, in order and at most [`MAX_READ`]. It returns none only
    /// if there are no more.
    ///
    /// # Errors
    /// When the storage fails.
    fn read(&self, stream: u64, after: u64) -> Result<Vec<LoggedEvent>, RpcError>;
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedEvent {
    /// The number of the event.
    pub event: u64,
    /// The JSON-RPC message, or for the event that opens a stream, the id of its request.
    pub body: Vec<u8>,
    /// Whether the event ends the stream.
    pub last: bool,
}

/// A position in a stream, which clients send as `Last-Event-ID`: the last event that they received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventId {
    /// The number of the stream.
    pub stream: u64,
    /// The number of the event.
    pub event: u64,
}

impl EventId {
    /// Reads the header `Last-Event-ID`.
    pub(crate) fn of_header(id: &str) -> Result<Self, RpcError> {
        id.parse().map_err(|_| Self::refused(format!("`{id}` is no event of this session")))
    }

    pub(crate) fn refused(message: String) -> RpcError {
        RpcError::request(StatusCode::BAD_REQUEST, "last_event_id", message)
    }
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
        let number = |digits: &str| {
            let number = digits.parse().ok().filter(|number| *number < NUMBERS);
            number.ok_or(EventIdError)
        };
        Ok(Self { stream: number(stream)?, event: number(event)? })
    }
}
