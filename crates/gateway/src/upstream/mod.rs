//! Upstream servers: the client for one server of either protocol era, and the gateway that joins several.
//!
//! An [`Upstream`] detects its server's era with a probe and stores the result. It repeats the detection when the
//! server has changed or lost its session. Answers of the server are returned unchanged. If there is no answer, the
//! call returns an [`RpcError`](crate::error::RpcError) of code -32603, whose reason is one of the `upstream_…` codes
//! of [`REASONS`](crate::error::REASONS). Requests go through a [`Fetch`], which a host implements with its HTTP
//! client.
//!
//! A [`Gateway`] serves several servers as one: it merges their lists into one catalog, the [`Backend`], and sends each
//! request to the server that owns its subject. Servers are listed concurrently and in the background; their last lists
//! are served meanwhile. A server that cannot be listed does not block the others, and its last lists stay, so that its
//! names cannot come to mean another server's tools during an outage. The same holds for a single list of a server. The
//! results of lists report the [status](Status) of each server.

pub(crate) mod admission;
pub(crate) mod announced_facets;
mod authorized;
pub(crate) mod call;
pub(crate) mod caller_session;
pub(crate) mod cancellation;
pub(crate) mod capability_lists;
pub(crate) mod capability_memory;
pub(crate) mod change_stream;
pub(crate) mod client;
pub(crate) mod client_tasks;
pub(crate) mod collected_lists;
mod concern_lists;
pub(crate) mod conditional_primitives;
pub(crate) mod connection;
pub(crate) mod declaration_requests;
pub(crate) mod doubt;
pub(crate) mod endpoint;
mod enumerable_concern;
pub(crate) mod errors;
pub(crate) mod fetch;
pub(crate) mod handshake;
pub(crate) mod header_params;
pub(crate) mod headers;
pub(crate) mod identity;
pub(crate) mod learned_concerns;
pub(crate) mod lease;
pub(crate) mod list_pages;
pub(crate) mod log_level;
pub(crate) mod message;
pub(crate) mod meta;
pub(crate) mod notifications;
pub(crate) mod oddities;
pub(crate) mod offered_capabilities;
pub(crate) mod own_request;
pub(crate) mod pages;
pub(crate) mod post;
pub(crate) mod redirect;
pub(crate) mod replies;
pub(crate) mod reply_memory;
pub(crate) mod request;
pub(crate) mod retry_after;
pub(crate) mod revisions;
pub(crate) mod roots;
pub(crate) mod session_inbox;
pub(crate) mod session_lists;
pub(crate) mod session_reader;
pub(crate) mod session_subscriptions;
pub(crate) mod sessions;
pub(crate) mod shared_handshake;
pub(crate) mod spacing;
pub mod sse;
pub(crate) mod standalone;
pub(crate) mod standalone_stream;
mod toolbox_groups;

pub use crate::{
    backend::{
        declarations::{Declarations, Facet, MAX_DECLARED, MAX_DECLARED_BYTES},
        declared::{MAX_ABOVE, Problem, ServerDeclarations},
        features::Features,
        guarded_catalog::Backend,
        header_param::MAX_MARK_DEPTH,
        introduction::{
            Introduction, MAX_FOREIGN_CAPABILITIES, MAX_INSTRUCTIONS, MAX_LIST_MEMBERS, MAX_SERVER_INFO,
        },
        introductions::notes as introduction_notes,
        status::{ListProblem, Outage, Status, Survey, UpstreamState},
    },
    gateway::{
        lister::Lister,
        listing_state::MAX_FIRST_PAUSE_MS,
        serve::{SETTLE_MS, Served},
        shared::Adopted,
        upstreams::Gateway,
    },
    host::circuit_breaker::{FIRST_PAUSE_MS, MAX_FAILURES, MAX_PAUSE_MS, pause},
};
pub use client::Upstream;
pub use enumerable_concern::MAX_RANGE_VALUES;
pub use fetch::{Chunks, Fetch, FetchError, MAX_ANSWER, MAX_CURSOR, MAX_LISTS, Sent};
pub use identity::Identity;
pub use learned_concerns::MAX_LEARNING_REQUESTS;
pub use offered_capabilities::MAX_OFFERED_PAGES;
pub use pages::Listing;
pub use redirect::MAX_REDIRECTS;
pub use replies::{clock::MAX_ANSWER_MS, outer_members};
pub use reply_memory::{MAX_REPLIES, SMALL_REPLIES, SMALL_REPLY};
pub use retry_after::MAX_RETRY_AFTER_S;
pub use sessions::{MAX_ANONYMOUS_SESSIONS, MAX_PRINCIPAL_SESSIONS, MAX_SESSIONS};

pub(crate) use endpoint::{AskableClient, Endpoint, SendFailure, lock};
