use std::sync::Arc;

use futures_util::stream::LocalBoxStream;

use crate::mcp::{
    gateway::backend::Backend,
    host::forward::{Answer, Call},
    protocol::{error::RpcError, freshness::Freshness},
    request::caller::Caller,
    streams::{change::Change, subscription_filter::SubscriptionFilter},
};

/// The servers behind: what they list, their answers, and their changes.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Backends {
    /// What there is to see, compiled; kept for as long as its sources allow, and `need` wants it fresh.
    ///
    /// # Errors
    /// When none of the sources can be listed.
    async fn backend(&self, need: Freshness) -> Result<Arc<Backend>, RpcError>;

    /// Asks the server that owns the primitive. The core has already decided that the caller may.
    ///
    /// # Errors
    /// When it cannot be reached; what it answers, refusals included, is an [`Answer`].
    async fn forward(&self, call: &Call<'_>) -> Result<Answer, RpcError>;

    /// What changes from now on in the sight of `caller`, as a [`Listeners`](crate::mcp::streams::listeners::Listeners) has it.
    ///
    /// # Errors
    /// When nothing can be listened to.
    async fn changes(
        &self,
        caller: &Caller<'static>,
        wanted: &SubscriptionFilter,
    ) -> Result<LocalBoxStream<'static, Change>, RpcError>;
}
