//! The client for upstream servers of either protocol era.
//!
//! An [`Upstream`] detects its server's era with a probe and stores the result. It repeats the detection when the
//! server has changed or lost its session. Answers of the server are returned unchanged. If there is no answer, the
//! call returns an [`RpcError`](crate::mcp::RpcError) of code -32603, whose reason is one of the `upstream_…` codes of
//! [`REASONS`](crate::mcp::REASONS).

mod admission;
pub(crate) mod announced;
mod call;
mod caller_session;
mod cancellation;
pub(crate) mod capable;
mod change_stream;
mod client;
pub(crate) mod collected;
pub(crate) mod connection;
pub(crate) mod declarations;
pub(crate) mod declared;
mod doubt;
pub(crate) mod endpoint;
pub(crate) mod errors;
pub(crate) mod fetch;
pub(crate) mod handshake;
pub(crate) mod header_params;
pub(crate) mod headers;
pub(crate) mod introduction;
pub(crate) mod lease;
mod log_level;
pub(crate) mod message;
pub(crate) mod meta;
pub(crate) mod notifications;
pub(crate) mod own_request;
pub(crate) mod pages;
pub(crate) mod post;
pub(crate) mod replies;
pub(crate) mod reply_memory;
pub(crate) mod request;
pub(crate) mod retry_after;
pub(crate) mod revisions;
mod session_subscriptions;
pub(crate) mod sessions;
mod spacing;
pub mod sse;
pub(crate) mod standalone;

pub(crate) use crate::mcp::upstream::endpoint::{AskableClient, Endpoint, SendFailure, lock};

#[cfg(feature = "command")]
pub(crate) use crate::mcp::upstream::revisions::join_revisions;

pub use crate::mcp::host::circuit_breaker::{FIRST_PAUSE_MS, MAX_FAILURES, MAX_PAUSE_MS, pause};
pub use crate::mcp::upstream::client::Upstream;
pub use crate::mcp::upstream::declared::{Declarations, Facet, MAX_DECLARED, MAX_DECLARED_BYTES};
pub use crate::mcp::upstream::fetch::{Chunks, Fetch, FetchError, MAX_ANSWER, MAX_CURSOR, MAX_LISTS};
pub use crate::mcp::upstream::introduction::{
    Introduction, MAX_FOREIGN_CAPABILITIES, MAX_INSTRUCTIONS, MAX_LIST_MEMBERS, MAX_SERVER_INFO,
};
pub use crate::mcp::upstream::pages::Listing;
pub use crate::mcp::upstream::replies::clock::MAX_ANSWER_MS;
pub use crate::mcp::upstream::reply_memory::{MAX_REPLIES, SMALL_REPLIES, SMALL_REPLY};
pub use crate::mcp::upstream::retry_after::MAX_RETRY_AFTER_S;
pub use crate::mcp::upstream::sessions::{MAX_ANONYMOUS_SESSIONS, MAX_PRINCIPAL_SESSIONS, MAX_SESSIONS};
