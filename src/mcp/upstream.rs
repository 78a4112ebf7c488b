//! The client side: asking a server behind the gateway, of either era.

use futures_util::stream::LocalBoxStream;

use super::Failure;

/// Sends one HTTP request. The transport the gateway runs on implements it.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Fetch {
    /// The response, its body in pieces as they arrive.
    ///
    /// # Errors
    /// [`Failure`] with reason `upstream_timeout` when no response has begun within `timeout_ms`, and
    /// `upstream_unreachable` for every other failure to get one.
    async fn fetch(
        &self,
        request: http::Request<Vec<u8>>,
        timeout_ms: u64,
    ) -> Result<http::Response<Chunks>, Failure>;
}

/// A body in pieces, as they arrive.
pub type Chunks = LocalBoxStream<'static, Result<Vec<u8>, Failure>>;
