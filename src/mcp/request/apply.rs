//! The filter of a list request, applied to what the caller may see: once for all requests that send the same.

use std::sync::Arc;

use crate::{
    catalog::Kind,
    filter::{AppliedFilter, AppliedKey, Filter, Selection},
    mcp::{
        host::Host,
        protocol::error::RpcError,
        request::{context::Context, toolset_headers},
    },
};

impl<H: Host> Context<'_, H> {
    /// Returns what the filters of the request and of its URL select of a kind.
    ///
    /// # Errors
    /// As [`Context::narrow`].
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

    /// Everything that the filters of a request depend on beside its view; `None` where more matters: concerns of the
    /// session or of `_meta`, a handle of the caller's own, or headers that filter.
    fn applied_key(&self, kind: Kind) -> Option<AppliedKey<'_>> {
        let more = self.session.is_some()
            || toolset_headers::given(&self.caller.headers)
            || self.has_hidden_concerns();
        (!more).then(|| AppliedKey {
            kind,
            filter: self.message.param("filter").map(|filter| filter.get()),
            query: self.asked.request.uri().query().unwrap_or_default(),
        })
    }
}
