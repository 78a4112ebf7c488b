//! The gateway's client for upstream servers, tested against in-memory servers.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(missing_docs)]

mod ask;
mod asker;
mod breaker;
mod caller_lists;
mod calls;
mod capable;
mod client_tasks;
mod concerns;
mod declared;
mod declared_hidden;
mod eras;
mod gateway;
mod headers;
mod introductions;
mod lists;
mod merge;
mod meta;
mod names;
mod net;
mod notifications;
mod outside;
mod own_lists;
mod questions;
#[path = "../properties/random.rs"]
#[allow(dead_code, reason = "the properties ask more of it")]
mod random;
mod redirects;
mod refusals;
mod relayed;
mod relayed_faults;
mod remote;
mod remote_state;
mod reply_memory;
mod revisions;
mod server;
mod sessions;
mod shared;
mod shared_handshake;
mod sse;
mod standalone;
mod toolbox;
mod watch;
