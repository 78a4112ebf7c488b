//! The log of the events that a session has sent, from which clients resume streams.

use crate::protocol::error::RpcError;

/// Maximum number of events that a session stores for clients that lose their connection.
pub const MAX_EVENTS: u64 = 1_000;
/// Maximum length, in bytes, of a stored event. A longer one is sent to a client that is connected, and cannot be sent
/// again.
pub const MAX_EVENT: usize = 1024 * 1024;
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
