//! The lists of a server in the session of one client.

use futures_util::FutureExt;

use crate::{
    host::Call,
    protocol::error::RpcError,
    upstream::{
        Fetch, Upstream, admission::Sender, caller_session::Outside, collected_lists::Collected,
        fetch::within, list_pages::ListRequest, lock, meta::NO_CAPABILITIES, pages::Listing, revisions,
    },
};

impl Upstream {
    /// Lists the server in the caller's own session. Returns `None` if the caller has none.
    ///
    /// # Errors
    /// As for [`Upstream::lists`].
    pub(crate) async fn session_lists<F: Fetch>(
        &self,
        fetch: &F,
        call: &Call<'_>,
        outside: Outside<'_>,
    ) -> Result<Option<Listing>, RpcError> {
        let owner = self.owner(call);
        if owner.is_shared() || !owner.is_lasting() {
            return Ok(None);
        }
        let ms = self.endpoint.list_timeout_ms;
        let work = async {
            let lease = self.session(fetch, call, &owner, outside).await?;
            if !lease.has_session() {
                return Ok(None);
            }
            let until = fetch.now().saturating_add(ms);
            let (kinds, pages_left) = (None, None);
            let request =
                ListRequest { capabilities: NO_CAPABILITIES, kinds, pages_left, until, retries: true };
            match self.gather(fetch, &lease, request, 0).boxed_local().await {
                Ok(mut collected) => match collected.failure.take() {
                    Some(failure) => Err(failure),
                    None => Ok(Some(self.listing_of(collected))),
                },
                Err(failure) => {
                    lock(&self.sessions).forget(lease.connection());
                    Err(failure.into_failure())
                }
            }
        };
        let work =
            async { within(fetch, ms, work).await.unwrap_or_else(|| Err(self.endpoint.lists_late(ms))) };
        self.guard(fetch, Sender::Caller, work).await
    }

    fn listing_of(&self, collected: Collected) -> Listing {
        Listing {
            lists: revisions::lists(&collected, None),
            ttl_ms: collected.ttl_ms.unwrap_or(self.endpoint.ttl_ms),
            features: collected.features,
            introduction: collected.introduction,
            declared: collected.declared,
            problems: collected.problems,
        }
    }
}
