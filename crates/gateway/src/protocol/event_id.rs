//! Positions in event streams, which clients send to resume a stream.

use std::{fmt, str::FromStr};

use http::StatusCode;

use crate::protocol::error::RpcError;

/// The numbers of events are smaller: JavaScript and SQLite represent them exactly.
const NUMBERS: u64 = 1 << 53;

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
