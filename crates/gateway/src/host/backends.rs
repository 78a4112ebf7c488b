//! The trait for access to upstream servers: catalog, forwarded calls and changes.

use std::{rc::Rc, sync::Arc};

use futures_util::stream::LocalBoxStream;
use http::HeaderValue;

use crate::{
    backend::guarded_catalog::Backend,
    caller::identity::Caller,
    host::forward::{Answer, Call},
    protocol::{error::RpcError, freshness::Freshness},
    session::{change::Change, session_streams::SessionStreams, subscription_filter::SubscriptionFilter},
};

/// The upstream servers: their lists, their answers and their changes.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Backends {
    /// Returns the compiled catalog. It is cached for as long as its sources and `need` allow.
    ///
    /// # Errors
    /// Fails if none of the sources can be listed.
    async fn backend(&self, need: Freshness) -> Result<Arc<Backend>, RpcError>;

    /// Returns the catalog for a caller: that of [`Backends::backend`], with the lists that servers have for this caller and,
    /// in a session, for this session.
    ///
    /// # Errors
    /// As for [`Backends::backend`].
    async fn caller_backend(
        &self,
        need: Freshness,
        caller: &Caller<'_>,
        streams: Option<&Rc<SessionStreams>>,
    ) -> Result<Arc<Backend>, RpcError> {
        _ = (caller, streams);
        self.backend(need).await
    }

    /// Returns what has changed in the lists that servers have for a session of a client, since the last call.
    async fn session_changes(&self, caller: &Caller<'static>, streams: &Rc<SessionStreams>) -> Vec<Change> {
        _ = (caller, streams);
        Vec::new()
    }

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

    /// Notifies the upstream servers that the roots of a client have changed, in its sessions there. `session` is the
    /// client's `Mcp-Session-Id`. `can_be_asked` states whether the client has an open stream.
    fn roots_changed(&self, session: &HeaderValue, can_be_asked: bool) {
        _ = (session, can_be_asked);
    }

    /// Subscribes to a resource in the client's own session at the server that has the resource, or ends the
    /// subscription. Returns whether that session reports the updates. Otherwise [`Backends::changes`] does.
    ///
    /// # Errors
    /// Fails if the server refuses.
    async fn subscribe(
        &self,
        caller: &Caller<'_>,
        streams: &Rc<SessionStreams>,
        uri: &str,
        is_wanted: bool,
    ) -> Result<bool, RpcError> {
        _ = (caller, streams, uri, is_wanted);
        Ok(false)
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
