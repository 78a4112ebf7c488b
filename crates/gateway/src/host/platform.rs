//! The trait `Host`, which combines all services of the platform.

use mcp_sieve::discovery::Candidate;
use std::{rc::Rc, sync::Arc};

use super::{Backends, Observer, RankerState, Secrets, Sessions};
use crate::{
    backend::guarded_catalog::Backend,
    caller::identity::Caller,
    host::{runtime::MiddlewareRuntime, store::TaskStore},
    protocol::{clock::Clock, error::RpcError},
};

/// Maximum time, in milliseconds, in which a model has to score tools. The caller waits meanwhile.
pub const MAX_RANK_MS: u64 = 2_000;

/// Maximum number of tools that a model scores for one search.
pub const MAX_RANKED: usize = 5_000;

/// The platform's services for the protocol: the smaller traits together, and services that only some platforms have.
/// Each stream holds a clone.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Host: Clock + Secrets + Backends + Sessions + Observer + Clone + 'static {
    /// Returns the task store. Without one there are no tasks, and each call is answered while its connection is open.
    fn tasks(&self) -> Option<Rc<dyn TaskStore>> {
        None
    }

    /// Returns the context middleware functions that calls can pass through, and the environment that runs them.
    fn middleware_runtime(&self) -> Option<MiddlewareRuntime> {
        None
    }

    /// Returns the state of the host's model that [ranks](Self::rank) tools; `None` without a model. All requests of a
    /// deployment share one state.
    fn ranker(&self) -> Option<&RankerState> {
        None
    }

    /// Scores tools for a query of `search_tools`, one score for each of `tools`, as a [`Ranker`](mcp_sieve::Ranker)
    /// does. The order of the scores is combined with the order of the word search.
    ///
    /// `tools` holds only tools that the caller can find, at most [`MAX_RANKED`]. The scores are due within
    /// [`MAX_RANK_MS`] milliseconds.
    ///
    /// # Errors
    /// Returns the reason why there are no scores, for the operator's log. The search then uses words alone.
    async fn rank(&self, query: &str, tools: &[Candidate<'_>]) -> Result<Vec<f32>, String> {
        _ = (query, tools);
        Err("there is none".to_owned())
    }

    /// Reports that the answer to a request is the same for every caller that sends it. This holds while `backend` is
    /// served, provided that no [`check`](Self::check) of the host decides. A host may store the answer and reuse it.
    fn may_keep(&self, backend: &Arc<Backend>) {
        _ = backend;
    }

    /// Runs the host's own check of a caller, after those of the configuration: at `initialize`, and at every request
    /// of the stateless revision.
    ///
    /// The check may take time and send requests of its own.
    ///
    /// # Errors
    /// Returns the error for a caller that is refused: [`RpcError::check`] with a message, or another refusal. Any
    /// other [internal](RpcError::internal) error means that the check could not be made: the caller gets HTTP 500 and
    /// no access.
    async fn check(&self, caller: &Caller<'_>) -> Result<(), RpcError> {
        _ = caller;
        Ok(())
    }

    /// Returns whether the host may refuse callers other than this one, by its check or when it identifies them. If a
    /// caller without claims is served, so is every other one without.
    fn may_refuse(&self, has_claims: bool) -> bool {
        _ = has_claims;
        false
    }

    /// Returns whether the host identifies callers by tokens of its own, beside those of the configured authorization
    /// server. A caller without a token that fails a check on claims is then asked for one.
    fn takes_tokens(&self) -> bool {
        false
    }
}
