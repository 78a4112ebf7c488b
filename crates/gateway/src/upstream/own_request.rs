//! Requests that the gateway itself sends, such as calls of middleware functions.

use mcp_sieve::json::Object;

use crate::{
    config::{self, MiddlewareServer},
    protocol::error::RpcError,
    upstream::{
        Fetch, SendFailure, Upstream, admission::Sender, connection::Connection, doubt::doubt, fetch::within,
        meta,
    },
};

impl Upstream {
    /// Creates the client of a middleware server. `variable` returns the values of variables in its headers.
    ///
    /// # Errors
    /// As for [`Upstream::new`].
    pub(crate) fn of_middleware(
        settings: &MiddlewareServer,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, RpcError> {
        let MiddlewareServer { name, url, headers, timeout_ms, .. } = settings.clone();
        let settings = config::Upstream {
            name,
            url,
            headers,
            timeout_ms,
            list_timeout_ms: timeout_ms,
            call_timeout_ms: timeout_ms,
            ..config::Upstream::default()
        };
        Self::at(&settings, variable, "middleware server", false)?.complete()
    }

    /// Sends a request with the parameters that `write` writes. The inner error is one that the server returned.
    ///
    /// # Errors
    /// Fails if the server does not answer, with one of the reasons that the [module](super) names.
    pub(crate) async fn request_own<F: Fetch>(
        &self,
        fetch: &F,
        method: &str,
        write: &dyn Fn(&mut Object<'_>),
    ) -> Result<Result<Vec<u8>, RpcError>, RpcError> {
        let lease = self.connection(fetch).await?;
        let send = async |connection: &_| self.send_own(fetch, connection, method, write).await;
        self.steady(fetch, lease, send).await.map(|(_, result)| result)
    }

    async fn send_own<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        method: &str,
        write: &dyn Fn(&mut Object<'_>),
    ) -> Result<Result<Vec<u8>, RpcError>, SendFailure> {
        let params = meta::own_with(connection.negotiated.stateless(), write);
        let headers = connection.negotiated.headers(method, None);
        let request = self.request(connection, method, headers, Some(params), self.endpoint.timeout_ms);
        match self.ask(fetch, connection, request).await? {
            Ok(replies) => Ok(replies.response().await?.inspect_err(|error| doubt(connection, error))),
            Err(error) => Ok(Err(error)),
        }
    }

    /// Runs `work`, which may send several requests, within the time limit of one. Fails at once while requests to the
    /// server are paused.
    ///
    /// # Errors
    /// Returns the errors of `work`, `upstream_timeout` or `upstream_paused`.
    pub(crate) async fn in_time<F: Fetch, T>(
        &self,
        fetch: &F,
        method: &str,
        work: impl Future<Output = Result<T, RpcError>>,
    ) -> Result<T, RpcError> {
        let ms = self.endpoint.timeout_ms;
        let late = || Err(self.endpoint.unfinished(method, ms));
        let work = async { within(fetch, ms, work).await.unwrap_or_else(late) };
        self.guard(fetch, Sender::Gateway, work).await
    }
}
