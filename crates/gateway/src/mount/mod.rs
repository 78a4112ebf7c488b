//! Context middleware over MCP: the endpoint at which an application calls [middleware](crate::middleware) functions,
//! and the interceptor draft (SEP-2624).

pub(crate) mod endpoint;
pub(crate) mod interceptors;
pub(crate) mod mount_request;

pub use endpoint::handle_middleware;
pub use mount_request::{INTERCEPTORS_PATH, MIDDLEWARE_PATH, Mount};
