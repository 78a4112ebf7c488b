//! HTTP requests and responses: bodies, headers, CORS, batches and event streams.

pub(crate) mod batch;
pub(crate) mod catalog_resource;
pub(crate) mod conditional;
pub(crate) mod cors;
pub(crate) mod endpoint;
pub(crate) mod expiry;
pub(crate) mod handler;
pub(crate) mod headers;
pub(crate) mod inbound;
pub(crate) mod intake;
pub(crate) mod response;
pub(crate) mod server_card;
pub(crate) mod sse;
