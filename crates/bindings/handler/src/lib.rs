//! The gateway in front of a `fetch` handler in JavaScript that itself speaks MCP. The handler is the upstream server,
//! called in process instead of over the network. Services of the platform are called through [`World`], which the
//! package's `handler.js` implements.

mod body;
mod caller;
mod exchange;
mod exported;
mod handling;
mod headers;
mod host;
mod live;
mod predicates;
mod response;
mod session;
mod thrown;
mod world;

pub use exported::Handler;
pub use headers::passed;
pub use response::StreamSource;
pub use world::World;
