//! Context middleware on the wire: its own endpoint, the interceptor draft, and what functions run in.

pub(crate) mod interceptors;
pub(crate) mod mount;
pub(crate) mod mount_request;
pub(crate) mod runtime;
