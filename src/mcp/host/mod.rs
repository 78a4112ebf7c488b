//! The interface to the platform: storage, upstream servers, a clock, randomness, a key and logs.

pub(crate) mod allowed_call;
pub(crate) mod audit;
pub(crate) mod audit_buffer;
pub(crate) mod backends;
pub(crate) mod call_buffer;
pub(crate) mod check_result;
pub(crate) mod circuit_breaker;
pub(crate) mod clock;
pub(crate) mod forward;
pub(crate) mod observer;
pub(crate) mod operation;
mod platform;
pub(crate) mod printable;
pub(crate) mod ranker_state;
pub(crate) mod rate_limit;
pub(crate) mod request_log;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod write_schedule;

pub use backends::Backends;
pub use check_result::CheckResult;
pub use clock::Clock;
pub use forward::{Answer, Call, Event, Reply, ServerRequest, StreamItem, TaskPlan, TaskRequest};
pub use observer::Observer;
pub use platform::{Host, MAX_RANK_MS, MAX_RANKED};
pub use ranker_state::RankerState;
pub use secrets::Secrets;
pub use sessions::Sessions;

pub use crate::mcp::{
    protocol::freshness::{Freshness, ROUTE_MS},
    streams::subscription_filter::SubscriptionFilter,
};
