//! The network access that the platform provides, and the limits on the size of answers.

use std::{fmt, pin::pin, rc::Rc};

use futures_util::{
    future::{Either, LocalBoxFuture, select},
    stream::LocalBoxStream,
};
use http::HeaderValue;

use crate::{
    protocol::error::RpcError,
    upstream::{identity::Identity, outer_members::OuterMembers},
};

/// Maximum size, in bytes, of one answer, or of one event of a stream.
pub const MAX_ANSWER: usize = 16 * 1024 * 1024;
/// Maximum total size, in bytes, of the primitives and cursors in the lists of one server.
pub const MAX_LISTS: usize = 64 * 1024 * 1024;
/// Maximum size, in bytes, of one cursor. The gateway sends each cursor back to the server.
pub const MAX_CURSOR: usize = 64 * 1024;

/// The platform's HTTP client and timers, as used by the client of an upstream server. Every open stream holds a clone,
/// to answer requests that the server sends on it.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Fetch: Clone + 'static {
    /// Sends a request and returns the response, with its body in pieces as they arrive. Redirects are not followed.
    /// Dropping the future, or later the body, cancels the request and closes the connection.
    ///
    /// # Errors
    /// Returns [`FetchError`] if there is no response.
    async fn fetch(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<Chunks>, FetchError>;

    /// Sends a request whose response may pass through unread. A platform that can pass a body on by itself reads its
    /// pieces with `members`, and returns [`Sent::Passed`] once they may pass. By default the response is returned.
    ///
    /// # Errors
    /// As for [`Fetch::fetch`].
    async fn fetch_through(
        &self,
        request: http::Request<Vec<u8>>,
        members: Box<OuterMembers>,
    ) -> Result<Sent, FetchError> {
        Ok(Sent::Response(self.fetch(request).await?, Some(members)))
    }

    /// Waits for `ms` milliseconds.
    async fn sleep(&self, ms: u64);

    /// Returns the same network for requests that serve all callers, such as the handshake and lists. If the platform
    /// identifies the caller to the server, these requests must not do so.
    fn shared(&self) -> Self {
        self.clone()
    }

    /// Returns the same network for requests in the name of a caller. By default all requests are the gateway's own.
    #[must_use]
    fn acting_for(&self, _identity: &Rc<Identity>) -> Self {
        self.clone()
    }

    /// Returns the value of `Authorization` for a request to the server with this name, whose `auth` requests tokens:
    /// that of the caller in whose name requests go, or of the gateway. `refused` is a value that the server has just
    /// refused, so that another one is needed.
    ///
    /// # Errors
    /// `upstream_sign_in` if the caller has to sign in first, and other codes if no token can be had now.
    async fn authorization(
        &self,
        server: &str,
        refused: Option<&HeaderValue>,
    ) -> Result<HeaderValue, RpcError> {
        _ = refused;
        let message = format!("upstream `{server}` needs a sign-in, which this platform does not offer");
        Err(RpcError::internal("upstream_sign_in", message))
    }

    /// Returns whether the caller in whose name requests go has signed in to the server with this name.
    ///
    /// # Errors
    /// Fails if the store of connections does not answer.
    async fn is_connected(&self, _server: &str) -> Result<bool, RpcError> {
        Ok(false)
    }

    /// Returns the address at which the caller in whose name requests go signs in to the server with this name; `None`
    /// if the platform has no such page.
    fn sign_in_url(&self, _server: &str) -> Option<String> {
        None
    }

    /// Returns the time, in milliseconds since 1970.
    fn now(&self) -> u64;

    /// Returns a random number from 0 to 1, to spread waits in time. It need not be unpredictable.
    fn chance(&self) -> f64;

    /// Receives a result, as the server sent it, from which the gateway learns what the server is or lists: of
    /// `server/discover`, `initialize`, and each page of a list of primitives. By default it is ignored.
    fn received(&self, _method: &str, _result: &[u8]) {}

    /// Returns the place in which background work goes on after the request that began it, and may wake the work of other
    /// requests in the same place. `None` if background work serves only its own request.
    fn place(&self) -> Option<usize> {
        None
    }

    /// Reports that the server with this name announced changed lists outside the streams that
    /// [`Gateway::watch`](crate::upstream::Gateway::watch) reads, such as during a call. Its lists are marked as due. A
    /// platform with listeners lists the server again and notifies them. By default nothing happens before the next
    /// request for a list.
    fn lists_changed(&self, _server: &str) {}

    /// Runs work in the background, such as ending an unused session.
    fn spawn(&self, work: LocalBoxFuture<'static, ()>);
}

/// What became of a request whose response may pass through.
#[allow(missing_debug_implementations, reason = "a stream has nothing to show")]
pub enum Sent {
    /// The response. It may pass through if nothing of its body was read with the outer members.
    Response(http::Response<Chunks>, Option<Box<OuterMembers>>),
    /// The platform passes the response on.
    Passed,
}

/// The body of a response in pieces, as they arrive.
pub type Chunks = LocalBoxStream<'static, Result<Vec<u8>, FetchError>>;

/// A connection that could not be opened, or that broke. The platform's message belongs in the operator's log, because
/// it may contain addresses that callers must not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchError;

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection could not be opened, or broke")
    }
}

impl std::error::Error for FetchError {}

/// Returns the result of `work`, or `None` if it takes longer than `ms` milliseconds.
pub(crate) async fn within<T>(fetch: &impl Fetch, ms: u64, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), pin!(fetch.sleep(ms))).await {
        Either::Left((value, _)) => Some(value),
        Either::Right(_) => None,
    }
}
