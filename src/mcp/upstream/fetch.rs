//! The network, as the platform provides it, and how much of it one answer may take.

use std::pin::pin;

use futures_util::{
    future::{Either, LocalBoxFuture, select},
    stream::LocalBoxStream,
};

/// Most bytes of one answer, or of one event of a stream.
pub const MAX_ANSWER: usize = 16 * 1024 * 1024;
/// Most bytes of primitives and cursors that a server may list in all.
pub const MAX_LISTS: usize = 64 * 1024 * 1024;
/// Most bytes of one cursor: the gateway sends each back, and a page needs no more to be found.
pub const MAX_CURSOR: usize = 16 * 1024;

/// Sends HTTP requests and lets time pass: all that asking a server takes from the platform. A clone
/// stays behind with every stream, to answer what the server asks on it.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Fetch: Clone + 'static {
    /// The response, its body in pieces as they arrive. Whoever drops the future, or later the body,
    /// abandons the request: the platform then closes the connection.
    ///
    /// # Errors
    /// [`FetchError`] when no response can be had.
    async fn fetch(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<Chunks>, FetchError>;

    /// Returns after so many milliseconds.
    async fn sleep(&self, ms: u64);

    /// The same network for requests that serve all callers: those that learn how the server wants to be asked, and those
    /// for its lists. A platform that shows the server who is calling leaves that out of them.
    fn shared(&self) -> Self {
        self.clone()
    }

    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// Any number from 0 to 1, each as likely: for waits that should not fall together. Anybody may guess it.
    fn chance(&self) -> f64;

    /// Does work that nobody waits for, such as telling a server that its answer is not wanted any more.
    fn spawn(&self, work: LocalBoxFuture<'static, ()>);
}

/// A body in pieces, as they arrive.
pub type Chunks = LocalBoxStream<'static, Result<Vec<u8>, FetchError>>;

/// No connection, or no more of one. The platform's words for it belong in the operator's log: they may
/// name addresses that are no caller's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchError;

/// What `work` yields, unless time runs out before.
pub(crate) async fn within<T>(fetch: &impl Fetch, ms: u64, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), pin!(fetch.sleep(ms))).await {
        Either::Left((value, _)) => Some(value),
        Either::Right(_) => None,
    }
}
