//! The protocol's own types: messages, envelopes, methods, parameters, responses and errors.

pub(crate) mod client;
pub(crate) mod clock;
pub(crate) mod cursor;
pub(crate) mod disclosure;
pub(crate) mod endpoint;
pub(crate) mod envelope;
pub(crate) mod error;
pub(crate) mod event_id;
pub(crate) mod first_revision;
pub(crate) mod freshness;
pub(crate) mod generate;
pub(crate) mod headers;
pub(crate) mod http_date;
pub(crate) mod log_level;
pub(crate) mod message;
pub(crate) mod method;
pub(crate) mod params;
pub(crate) mod passed;
pub(crate) mod passthrough;
pub(crate) mod reason;
pub(crate) mod request_state;
pub(crate) mod response;
pub(crate) mod skills;
pub(crate) mod sse;
pub(crate) mod tasks;
