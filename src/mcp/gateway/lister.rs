use crate::mcp::{
    protocol::error::RpcError,
    upstream::{Fetch, Upstream, pages::Listing},
};

/// How the servers behind a gateway are listed: by default over the network of the request that does it.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Lister: Fetch {
    /// Lists a server. A platform that bounds what one request may fetch has it done elsewhere.
    ///
    /// # Errors
    /// As [`Upstream::lists`].
    async fn listing(&self, upstream: &Upstream) -> Result<Listing, RpcError> {
        upstream.lists(self).await
    }
}
