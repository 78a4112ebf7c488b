//! Several upstream servers as one: their lists are merged into one catalog, and each request goes to the server that
//! owns its subject.
//!
//! Servers are listed concurrently and in the background; their last lists are served meanwhile. A server that cannot
//! be listed does not block the others. Its last lists stay, so that its names cannot come to mean another server's
//! tools during an outage. The results of lists report the status of each server.

pub(crate) mod backend;
mod changed;
pub(crate) mod declared;
mod head_line;
pub(crate) mod introductions;
pub(crate) mod lister;
pub(crate) mod listing_state;
pub mod local;
mod recorded_names;
pub(crate) mod report;
pub(crate) mod serve;
mod servers;
pub(crate) mod shared;
pub(crate) mod status;
pub(crate) mod upstream_slot;
mod watch;

pub use crate::mcp::gateway::declared::{MAX_ABOVE, ServerDeclarations};
pub use crate::mcp::gateway::lister::Lister;
pub use crate::mcp::gateway::listing_state::MAX_FIRST_PAUSE_MS;
pub use crate::mcp::gateway::serve::{SETTLE_MS, Served};
pub use crate::mcp::gateway::servers::Gateway;
pub use crate::mcp::gateway::shared::Adopted;
pub use crate::mcp::gateway::status::{Outage, Status, Survey, UpstreamState};
