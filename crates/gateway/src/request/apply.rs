//! The filters of a list request, applied to the caller's view. The result is cached for requests with the same
//! filters.

use std::sync::Arc;

use mcp_sieve::{
    Filter, Kind,
    filter::{AppliedFilter, Selection},
};

use crate::{
    host::Host,
    protocol::error::RpcError,
    request::{context::Context, toolset_headers},
};

impl<H: Host> Context<'_, H> {
    /// Returns the primitives of `kind` that the filters of the request and of its URL select.
    ///
    /// # Errors
    /// The errors of [`Context::narrow`].
    pub fn apply(&self, kind: Kind) -> Result<Arc<AppliedFilter>, RpcError> {
        let key = self.applied_key(kind);
        if let Some(known) = key.and_then(|key| self.view.applied().get(key)) {
            return Ok(known);
        }
        let ((filter, narrowing), mut selection) = (self.narrow()?, Selection::default());
        self.view.select(&narrowing, kind, &mut selection);
        let canonical = [&filter, &self.url].map(Filter::canonical);
        let report = Default::default();
        let applied = Arc::new(AppliedFilter { filter, narrowing, selection, canonical, report });
        if let Some(key) = key {
            self.view.applied().keep(key, &applied);
        }
        Ok(applied)
    }

    /// Returns the cache key: everything that the filters depend on besides the view. Returns `None` if they also
    /// depend on concerns of the session or of `_meta`, on a handle, or on headers that filter.
    fn applied_key(&self, kind: Kind) -> Option<(Kind, Option<&str>, &str)> {
        let more = self.session.is_some()
            || toolset_headers::are_present(&self.caller.headers)
            || self.has_hidden_concerns();
        let filter = self.message.param("filter").map(|filter| filter.get());
        (!more).then(|| (kind, filter, self.exchange.request.uri().query().unwrap_or_default()))
    }
}
