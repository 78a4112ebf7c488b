//! The Model Context Protocol over HTTP, as a function from a request to a response.
//!
//! [`handle`] takes one HTTP request and returns one response: JSON, an event stream or an error. It does no I/O of its
//! own; all I/O goes through [`Host`]. One endpoint serves both protocol eras: the stateless revision 2026-07-28 and
//! the earlier revisions with a handshake. The request itself shows which era applies.

pub(crate) mod call;
pub(crate) mod drafts;
pub(crate) mod gateway;
pub(crate) mod host;
pub(crate) mod http;
pub(crate) mod methods;
pub(crate) mod middleware;
pub(crate) mod protocol;
pub mod remote;
pub(crate) mod request;
pub(crate) mod streams;
pub(crate) mod tasks;
#[doc(hidden)]
pub mod upstream;

pub use gateway::local;
pub use protocol::error::RpcError;
pub use protocol::log_level::{Level, LevelError};
pub use protocol::reason::{REASONS, Reason};
pub use streams::change::Change;

// For the other crates of this repository. These items are hidden and not covered by semver.
#[doc(hidden)]
pub use crate::revision::{Era, Revision};
#[doc(hidden)]
pub use call::header_params::MAX_MARK_DEPTH;
#[doc(hidden)]
pub use call::suspended_calls::{CallHome, MAX_SUSPENDED, SUSPENDED_MS, SuspendedCalls};
#[doc(hidden)]
pub use drafts::{DRAFTS, Draft};
#[doc(hidden)]
pub use gateway::backend::Backend;
#[doc(hidden)]
pub use gateway::{
    Adopted, Gateway, Lister, MAX_ABOVE, MAX_FIRST_PAUSE_MS, Outage, SETTLE_MS, Served, ServerDeclarations,
    Status, Survey, UpstreamState,
};
#[doc(hidden)]
pub use host::allowed_call::AllowedCall;
#[doc(hidden)]
pub use host::audit_buffer::{AuditBuffer, MAX_AUDIT_LINES};
#[doc(hidden)]
pub use host::call_buffer::{CallBatch, CallBuffer, MAX_AUDIT_CALLS};
#[doc(hidden)]
pub use host::operation::{MAX_AUDIT_NAMES, MAX_AUDIT_TEXT, Operation};
#[doc(hidden)]
pub use host::printable::{printable, printable_json};
#[doc(hidden)]
pub use host::rate_limit::{LEASE_MS, RateLimiter, Weight, network, too_much};
#[doc(hidden)]
pub use host::write_schedule::{AUDIT_DELAY_MS, AUDIT_LAPSE_MS};
#[doc(hidden)]
pub use host::{
    Answer, Backends, Call, CheckResult, Clock, Event, Freshness, Host, MAX_RANK_MS, MAX_RANKED, Observer,
    ROUTE_MS, RankerState, Reply, Secrets, ServerRequest, Sessions, StreamItem, SubscriptionFilter,
    TaskRequest,
};
#[doc(hidden)]
pub use http::batch::{MAX_BATCH, MAX_BATCH_RESPONSES};
#[doc(hidden)]
pub use http::catalog_resource::plain;
#[doc(hidden)]
pub use http::cors::check_host;
#[doc(hidden)]
pub use http::endpoint::{Endpoint, MCP_PATH, PLAIN_PATH};
#[doc(hidden)]
pub use http::handler::{AcceptedHead, handle};
#[doc(hidden)]
pub use http::headers::SESSION_ID as SESSION_HEADER;
#[doc(hidden)]
pub use http::inbound::Inbound;
#[doc(hidden)]
pub use http::intake::{
    BODY_MS, BODY_PACE, BodyReader, Intake, Lease, MAX_ALL_AWAITED, MAX_AWAITED, MAX_BODIES, MAX_BODY,
    MAX_CALLER_BODIES, SMALL_BODIES, SMALL_BODY, content_length,
};
#[doc(hidden)]
pub use http::response::Body;
#[doc(hidden)]
pub use http::server_card::CARD_CATALOG_PATHS;
#[doc(hidden)]
pub use methods::initialize::home;
#[doc(hidden)]
pub use middleware::mount::{INTERCEPTORS_PATH, MIDDLEWARE_PATH, Mount, middleware};
#[doc(hidden)]
pub use middleware::runtime::{AuditSink, FunctionRun, MiddlewareRuntime};
#[doc(hidden)]
pub use protocol::method::method_names;
#[doc(hidden)]
pub use protocol::reason::AUDIT_REASONS;
#[doc(hidden)]
pub use request::auth;
#[doc(hidden)]
pub use request::caller::{Caller, principal};
#[doc(hidden)]
pub use request::concerns::HANDLE_MS;
#[doc(hidden)]
pub use streams::connection::MAX_UNREAD;
#[doc(hidden)]
pub use streams::listeners::{Listeners, MAX_LISTENERS, MAX_LISTENERS_PER_CALLER, MAX_UNKNOWN_LISTENERS};
#[doc(hidden)]
pub use streams::relay::{relay_change, upstream_subscription};
#[doc(hidden)]
pub use streams::session::{
    ConfiguredConcerns, MAX_CLIENT, MAX_CONFIGURED, MAX_SUBSCRIBED, MAX_SUBSCRIPTIONS, Session,
};
#[doc(hidden)]
pub use streams::session_streams::{
    EventId, EventIdError, EventLog, LoggedEvent, MAX_EVENT, MAX_EVENTS, MAX_READ, SessionStreams,
};
#[doc(hidden)]
pub use tasks::poll_turns::PollTurns;
#[doc(hidden)]
pub use tasks::run::{TaskQueue, TaskRunner, TaskStep};
#[doc(hidden)]
pub use tasks::store::{Applied, MAX_LOOKED, MAX_PAGE, MAX_TTL_MS, TaskStore, TaskWork};
