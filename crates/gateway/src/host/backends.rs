//! The trait for access to upstream servers: catalog, forwarded calls and changes.

use std::sync::Arc;

use futures_util::stream::LocalBoxStream;
use http::HeaderValue;

use crate::{
    backend::guarded_catalog::Backend,
    caller::identity::Caller,
    host::forward::{Answer, Call},
    protocol::{error::RpcError, freshness::Freshness},
    session::{change::Change, subscription_filter::SubscriptionFilter},
};

/// The upstream servers: their lists, their answers and their changes.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Backends {
    /// Returns the compiled catalog. It is cached for as long as its sources and `need` allow.
    ///
    /// # Errors
    /// Fails if none of the sources can be listed.
    async fn backend(&self, need: Freshness) -> Result<Arc<Backend>, RpcError>;

    /// Sends a request to the server that owns the primitive. The core has already decided that the caller may send it.
    ///
    /// # Errors
    /// Fails if the server cannot be reached. Errors that the server returns are an [`Answer`].
    async fn forward(&self, call: &Call<'_>) -> Result<Answer, RpcError>;

    /// Ends the sessions at upstream servers that only one client uses, because it has ended its own. `session` is that
    /// client's `Mcp-Session-Id`. A call that is still running in such a session ends first.
    fn end_sessions(&self, session: &HeaderValue) {
        _ = session;
    }

    /// Returns a stream of the future changes that are visible to `caller`, as
    /// [`Listeners`](crate::streams::listeners::Listeners) provides it.
    ///
    /// # Errors
    /// Fails if the host cannot listen for changes.
    async fn changes(
        &self,
        caller: &Caller<'static>,
        wanted: &SubscriptionFilter,
    ) -> Result<LocalBoxStream<'static, Change>, RpcError>;
}
