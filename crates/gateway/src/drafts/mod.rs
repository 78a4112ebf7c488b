//! Drafts of the protocol. Each is off unless the operator turns it on (`drafts` in the configuration). A draft may
//! change; [`DRAFTS`] states the implemented version.

pub(crate) mod definitions;
pub(crate) mod hints;
pub(crate) mod registry;

pub use definitions::DefinitionDigests;
pub use registry::{DRAFTS, Draft};

pub(crate) use registry::announced;
