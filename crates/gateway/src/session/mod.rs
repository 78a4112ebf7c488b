//! Sessions of clients: their stored state, their event streams with resumption, and the calls that wait for a client.
//!
//! Clients of revision 2025-11-25 open a session with `initialize`. The host stores each [`Session`]; the process that
//! handles its requests holds its [`SessionStreams`], which log their events in an [`EventLog`]. Clients of the
//! stateless revision have no session. Their calls that ask the client something wait in [`SuspendedCalls`].

pub(crate) mod change;
pub(crate) mod connection;
pub(crate) mod event_log;
pub(crate) mod fingerprint;
pub(crate) mod outside;
pub(crate) mod resume;
pub(crate) mod session_streams;
pub(crate) mod state;
pub(crate) mod subscription_filter;

pub use crate::{
    call::call_home::CallHome,
    host::suspended_calls::{MAX_SUSPENDED, SUSPENDED_MS, SuspendedCalls},
    methods::initialize::stored_id,
    protocol::{
        client::MAX_CLIENT,
        event_id::{EventId, EventIdError},
    },
    request::concerns::HANDLE_MS,
};
pub use connection::MAX_UNREAD;
pub use event_log::{EventLog, LoggedEvent, MAX_EVENT, MAX_EVENTS, MAX_READ};
pub use session_streams::SessionStreams;
pub use state::{ConfiguredConcerns, MAX_CONFIGURED, MAX_SUBSCRIBED, MAX_SUBSCRIPTIONS, Session};
