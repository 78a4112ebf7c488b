//! Context middleware over MCP: its endpoint, the interceptor draft, and the runtime of functions.

pub(crate) mod interceptors;
pub(crate) mod mount;
pub(crate) mod mount_request;
pub(crate) mod runtime;
