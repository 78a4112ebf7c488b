//! Functions of context middleware on other servers, called over MCP (issue #1607).
//!
//! [`RemoteServers`] makes functions of middleware servers usable beside local ones: as steps of chains, in pipelines
//! and one at a time. A function is named `SERVER/FUNCTION`. Requests go through a [`Fetch`], which a host implements
//! with its HTTP client. Servers of both protocol revisions are called.
//!
//! A call fails closed. If the server cannot be reached, answers too late or with an invalid result, or reports an
//! internal error, its fallbacks are called, each once. If they fail as well, the call fails with
//! [`ErrorKind::MiddlewareFailed`](crate::error::ErrorKind::MiddlewareFailed). An error that the function itself
//! returns is an answer, as is HTTP 401 or 403, and no fallback is called. A result whose metadata has `"allow": false`
//! refuses the context. Error messages name the function and the server, and never a URL, a header or a text of a context.

mod definition;
mod failure;
mod function;
mod outcome;
mod server;
mod servers;

pub use crate::{
    config::MiddlewareServer,
    mcp::upstream::{Chunks, Fetch, FetchError},
};
pub use definition::{DEFINITIONS_MS, MAX_DEFINITIONS};
pub use servers::RemoteServers;
