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

/// The platform's HTTP client and its timers, which is all that a client of a server needs of it. Every open stream keeps
/// a clone, to answer requests that the server makes on it.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Fetch: Clone + 'static {
    /// Sends a request and returns the response, its body in pieces as they arrive. It follows no redirects. Dropping the
    /// future, or later the body, cancels the request, and the platform closes the connection.
    ///
    /// # Errors
    /// [`FetchError`] when no response can be had.
    async fn fetch(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<Chunks>, FetchError>;

    /// Returns after so many milliseconds.
    async fn sleep(&self, ms: u64);

    /// Returns the same network for requests that serve all callers, such as the handshake and lists. A platform that
    /// shows the server who is calling leaves that out of them.
    fn shared(&self) -> Self {
        self.clone()
    }

    /// Returns the time, in milliseconds since 1970.
    fn now(&self) -> u64;

    /// Returns a random number from 0 to 1, for waits that should not fall together. It need not be unpredictable.
    fn chance(&self) -> f64;

    /// Runs work in the background, such as ending a session that is not used any more.
    fn spawn(&self, work: LocalBoxFuture<'static, ()>);
}

/// The body of a response in pieces, as they arrive.
pub type Chunks = LocalBoxStream<'static, Result<Vec<u8>, FetchError>>;

/// A connection that could not be made, or that broke off. The platform's message belongs in the operator's log, because it
/// may name addresses that callers must not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchError;

/// What `work` yields, unless time runs out before.
pub(crate) async fn within<T>(fetch: &impl Fetch, ms: u64, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), pin!(fetch.sleep(ms))).await {
        Either::Left((value, _)) => Some(value),
        Either::Right(_) => None,
    }
}
