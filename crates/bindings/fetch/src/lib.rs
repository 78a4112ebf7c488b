//! HTTP requests through functions of the platform, and its timers: what the bindings need to implement
//! [`Fetch`](mcp_sieve_gateway::upstream::Fetch).

mod clock;
mod exchange;
pub mod headers;

pub use clock::{now, sleep};
pub use exchange::exchange;
