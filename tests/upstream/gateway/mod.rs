//! Several upstream servers behind one gateway.

mod failures;
mod notes;
mod refreshes;
mod resources;
mod routing;
mod servers;
mod waits;

pub use servers::{Servers, behind, config, count_requests, forward, gateway, names, serve, states};
