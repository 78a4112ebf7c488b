//! The messages that answer one request, read one at a time from JSON or from an event stream.

pub(crate) mod asker;
pub(crate) mod clock;
pub mod outer_members;
pub(crate) mod reader;
pub(crate) mod resume;
pub(crate) mod server_requests;
pub(crate) mod turns;

pub(crate) use reader::Replies;
