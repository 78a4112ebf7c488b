//! Several upstream servers as one: their lists are merged into one catalog, and each request goes to the server that
//! owns its subject.
//!
//! Servers are listed concurrently and in the background; their last lists are served meanwhile. A server that cannot
//! be listed does not block the others. Its last lists stay, so that its names cannot come to mean another server's
//! tools during an outage. The results of lists report the status of each server.

pub(crate) mod caller_gateways;
pub(crate) mod caller_lists;
pub(crate) mod changed;
pub(crate) mod client_messages;
pub(crate) mod head_line;
pub(crate) mod lister;
pub(crate) mod listing_state;
pub mod local;
pub(crate) mod own_lists;
pub(crate) mod recorded_names;
pub(crate) mod report;
pub(crate) mod serve;
pub(crate) mod shared;
pub(crate) mod sign_in;
pub(crate) mod upstream_slot;
pub(crate) mod upstreams;
pub(crate) mod watch;

pub(crate) use upstreams::Gateway;
