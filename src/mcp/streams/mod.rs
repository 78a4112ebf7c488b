//! Sessions and event streams: session state, resumption of streams, and notifications of changes.

pub(crate) mod change;
pub(crate) mod connection;
pub(crate) mod event_log;
pub(crate) mod fingerprint;
pub(crate) mod listen;
pub(crate) mod listeners;
pub(crate) mod relay;
pub(crate) mod resume;
pub(crate) mod session;
pub(crate) mod session_streams;
pub(crate) mod subscription_filter;
