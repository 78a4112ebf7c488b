//! The HTTP layer of requests and responses: bodies, conditional requests, CORS, and tokens that expire.

pub(crate) mod conditional;
pub(crate) mod cors;
pub(crate) mod expiry;
pub(crate) mod intake;
