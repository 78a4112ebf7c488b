//! The messages that answer one request, read one at a time from JSON or from an event stream.

mod asker;
pub(crate) mod clock;
mod reader;
mod resume;
pub(crate) mod server_requests;
mod turns;

pub(crate) use reader::Replies;
