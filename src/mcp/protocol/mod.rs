//! The protocol's own types: revisions, messages, envelopes, parameters and errors.

pub(crate) mod disclosure;
pub(crate) mod envelope;
pub(crate) mod error;
pub(crate) mod freshness;
pub(crate) mod log_level;
pub(crate) mod message;
pub(crate) mod method;
pub(crate) mod params;
pub(crate) mod passed;
pub(crate) mod reason;
pub(crate) mod skills;
