//! Drafts of the protocol. Each is off unless the operator turns it on (`drafts` in the configuration). A draft may
//! change; [`DRAFTS`] states the implemented version.

pub(crate) mod canonical;
pub mod definitions;
pub(crate) mod hints;
mod registry;

pub(crate) use registry::announced;
pub use registry::{DRAFTS, Draft};
