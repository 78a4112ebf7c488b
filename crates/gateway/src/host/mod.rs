//! The services that a platform provides: a clock, secrets, upstream servers, sessions, logs, and optional ones such as
//! a task store.
//!
//! A platform implements five small traits and [`Host`], which joins them:
//!
//! | trait | service |
//! |---|---|
//! | [`Clock`] | the time, timers and background work |
//! | [`Secrets`] | random bytes, and the key that seals what clients send back |
//! | [`Backends`] | the compiled catalog of the upstream servers, and their answers and changes |
//! | [`Sessions`] | the stored sessions, and the calls that wait for their client |
//! | [`Observer`] | the request log, the [audit log](crate::audit) and warnings |
//!
//! Methods of [`Host`] itself have defaults: there are then no tasks, no middleware, no ranker, and no check of the
//! host's own. A host that calls upstream servers over HTTP implements [`Backends`] with a
//! [`Gateway`](crate::upstream::Gateway). The [crate documentation](crate#example) has a complete host.

pub(crate) mod allowed_call;
pub(crate) mod audit;
pub(crate) mod audit_buffer;
pub(crate) mod backends;
pub(crate) mod call_buffer;
pub(crate) mod check_result;
pub(crate) mod circuit_breaker;
pub(crate) mod forward;
pub(crate) mod local_request;
pub(crate) mod observer;
pub(crate) mod operation;
pub(crate) mod platform;
pub(crate) mod printable;
pub(crate) mod ranker_state;
pub(crate) mod rate_limit;
pub(crate) mod request_log;
pub(crate) mod runtime;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod store;
pub(crate) mod suspended_calls;
pub(crate) mod write_schedule;

pub use crate::{
    caller::identity::{Caller, principal},
    protocol::{
        clock::Clock,
        freshness::{Freshness, ROUTE_MS},
        passthrough::{Passthrough, PassthroughTerms, Pieces},
    },
};
pub use backends::Backends;
pub use check_result::CheckResult;
pub use forward::{Answer, Call, Event, Reply, ServerRequest, StreamItem};
pub use mcp_sieve::revision::{Era, Revision};
pub use observer::Observer;
pub use platform::{Host, MAX_RANK_MS, MAX_RANKED};
pub use ranker_state::RankerState;
pub use runtime::MiddlewareRuntime;
pub use secrets::Secrets;
pub use sessions::Sessions;

pub(crate) use crate::session::subscription_filter::SubscriptionFilter;
pub(crate) use forward::{TaskPlan, TaskRequest};
