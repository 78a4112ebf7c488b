//! The Model Context Protocol over HTTP, as a function from a request to a reply.
//!
//! [`handle`] takes one HTTP request and gives one response: JSON, a stream of events, or a refusal. It
//! does no I/O of its own; what needs the world goes through [`Host`]. Both living eras are served at one
//! endpoint: the stateless revision 2026-07-28 and the handshake revisions before it, told apart by the
//! request itself.

mod caller;
mod calls;
mod capabilities;
mod context;
mod envelope;
mod failure;
mod handle;
mod handshake;
mod headers;
mod host;
mod lists;
mod message;
mod methods;
mod origin;
mod param_headers;
mod reply;
mod session;
pub mod upstream;
mod version;

pub use caller::Caller;
pub use failure::Failure;
pub use handle::{MAX_BODY, handle};
pub use host::{Answer, Backend, Call, Event, Host};
pub use reply::Body;
pub use session::Session;
pub use version::Version;
