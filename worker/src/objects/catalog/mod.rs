//! The Durable Object that keeps the lists of the upstream servers, for all isolates of a deployment.
//!
//! The object named `catalog` compiles and stores the catalog. An isolate that starts reads it and knows all tools at
//! once, even while servers are down. Each server is listed by an object of its own, because the platform bounds the
//! requests and connections of one invocation.

mod client;
mod keeper;
mod store;

pub(crate) use client::{SharedCatalog, refresh, survey};
pub use keeper::CatalogObject;
pub(crate) use keeper::{BINDING, Surveyed, kept, list};
