//! What the platform lends the protocol: storage, upstream servers, a clock, randomness, a key and logs.

pub(crate) mod audit;
pub(crate) mod audit_buffer;
pub(crate) mod backends;
pub(crate) mod check_result;
pub(crate) mod clock;
pub(crate) mod forward;
pub(crate) mod observer;
pub(crate) mod operation;
pub(crate) mod printable;
pub(crate) mod rate_limit;
pub(crate) mod request_log;
pub(crate) mod secrets;
pub(crate) mod sessions;

use std::{rc::Rc, sync::Arc};

pub use backends::Backends;
pub use check_result::CheckResult;
pub use clock::Clock;
pub use forward::{Answer, Call, Event, Reply, ServerRequest, StreamItem, TaskPlan, TaskRequest};
pub use observer::Observer;
pub use secrets::Secrets;
pub use sessions::Sessions;

pub use crate::mcp::{
    protocol::freshness::{Freshness, ROUTE_MS},
    streams::subscription_filter::SubscriptionFilter,
};

use crate::{
    discovery::Candidate,
    mcp::{
        gateway::backend::Backend, middleware::runtime::MiddlewareRuntime, protocol::error::RpcError,
        request::caller::Caller, tasks::store::TaskStore,
    },
};

/// Maximum time, in milliseconds, that a model may take to score tools. The caller waits meanwhile.
pub const MAX_RANK_MS: u64 = 2_000;

/// Maximum number of tools that a model is given for one search.
pub const MAX_RANKED: usize = 5_000;

/// What the platform provides to the protocol: the sum of the smaller traits, and what only some platforms have. A
/// clone stays with every stream.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Host: Clock + Secrets + Backends + Sessions + Observer + Clone + 'static {
    /// Where tasks are kept; without such a place there are none, and calls are answered while they are open.
    fn tasks(&self) -> Option<Rc<dyn TaskStore>> {
        None
    }

    /// The functions of context middleware that calls can go through, and the world they work in.
    fn workshop(&self) -> Option<MiddlewareRuntime> {
        None
    }

    /// Whether the host has a model that [ranks](Self::rank) tools.
    fn ranks(&self) -> bool {
        false
    }

    /// Scores tools for a query of `search_tools`, one score for each of `tools`, as a [`Ranker`](crate::Ranker) does. The order
    /// of the scores counts beside that of the words.
    ///
    /// It is given what the caller can find and nothing else: at most [`MAX_RANKED`] tools, for [`MAX_RANK_MS`] milliseconds.
    ///
    /// # Errors
    /// Why there are no scores, for the operator's note. The search is then made by words alone.
    async fn rank(&self, query: &str, tools: &[Candidate<'_>]) -> Result<Vec<f32>, String> {
        _ = (query, tools);
        Err("there is none".to_owned())
    }

    /// Called where the answer to a request is the same for every caller that sends it, as long as `backend` is served and no
    /// [`check`](Self::check) of the host's own decides. A host may keep the answer and give it again.
    fn may_keep(&self, backend: &Arc<Backend>) {
        _ = backend;
    }

    /// A check of the host's own, behind those of the configuration: at `initialize`, and at every request of the
    /// stateless revision.
    ///
    /// It may take its time, and ask whom it likes.
    ///
    /// # Errors
    /// What the caller is told, if it is not to be served: [`RpcError::check`] with a message, or another refusal.
    /// Any other [internal](RpcError::internal) failure is a check that could not be made: the caller is told by
    /// HTTP 500, and is not let in.
    async fn check(&self, caller: &Caller<'_>) -> Result<(), RpcError> {
        _ = caller;
        Ok(())
    }

    /// Whether the host identifies callers by tokens of its own, beside those of the configuration's authorization
    /// server. A caller without one that a check on claims refuses is then asked for one.
    fn takes_tokens(&self) -> bool {
        false
    }
}
