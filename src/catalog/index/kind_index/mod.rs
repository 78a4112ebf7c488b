//! The index of the primitives of one kind.

mod build;
mod draft;
mod queries;
mod server_runs;
mod sessions;
mod snapshot;

pub(crate) use draft::Entry;
pub use queries::KindIndex;
