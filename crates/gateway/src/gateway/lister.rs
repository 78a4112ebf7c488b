//! The trait through which a platform fetches the lists of upstream servers.

use crate::{
    protocol::error::RpcError,
    upstream::{Fetch, Upstream, pages::Listing},
};

/// A source of upstream lists. By default the current request fetches them over its own network access.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Lister: Fetch {
    /// Lists a server. A platform with a limit on the fetches of one request overrides this to list servers elsewhere.
    ///
    /// # Errors
    /// As for [`Upstream::lists`].
    async fn listing(&self, upstream: &Upstream) -> Result<Listing, RpcError> {
        upstream.lists(self).await
    }

    /// Returns the lists that a server has for all callers, for the catalog of one caller or session in a process that has
    /// only the catalog. A platform that keeps the lists elsewhere overrides this.
    ///
    /// # Errors
    /// As for [`Upstream::lists`].
    async fn kept_listing(&self, upstream: &Upstream) -> Result<Listing, RpcError> {
        self.listing(upstream).await
    }
}
