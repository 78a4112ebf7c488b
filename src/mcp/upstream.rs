//! The client side: asking a server behind the gateway, of either era.

use futures_util::stream::LocalBoxStream;

/// Sends HTTP requests and lets time pass: all that asking a server takes from the platform. A clone
/// stays behind with every stream, to answer what the server asks on it.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Fetch: Clone + 'static {
    /// The response, its body in pieces as they arrive. Whoever drops the future, or later the body,
    /// abandons the request: the platform then closes the connection.
    ///
    /// # Errors
    /// [`Lost`] when no response can be had.
    async fn fetch(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<Chunks>, Lost>;

    /// Returns after so many milliseconds.
    async fn sleep(&self, ms: u64);
}

/// A body in pieces, as they arrive.
pub type Chunks = LocalBoxStream<'static, Result<Vec<u8>, Lost>>;

/// No connection, or no more of one. The platform's words for it belong in the operator's log: they may
/// name addresses that are no caller's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;
