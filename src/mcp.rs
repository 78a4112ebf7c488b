//! The Model Context Protocol over HTTP, as a function from a request to a reply.

mod caller;
mod failure;
mod host;
mod session;
pub mod upstream;
mod version;

pub use caller::Caller;
pub use failure::Failure;
pub use host::{Answer, Backend, Call, Event, Host};
pub use session::Session;
pub use version::Version;
