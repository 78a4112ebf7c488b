//! Sends the calls of callers to an upstream server.

use std::sync::Arc;

use futures_util::{FutureExt, future::join};
use http::{HeaderMap, HeaderValue};

use crate::{
    call::client_requests,
    host::{Answer, Call},
    protocol::{
        error::{METHOD_NOT_FOUND, RpcError},
        method::Method,
    },
    upstream::{
        AskableClient, Fetch, SendFailure, Upstream, admission::Sender, doubt::doubt, lease::Lease, lock,
        meta, post::OutgoingRequest, sessions::SessionOwner, standalone::Standalone,
    },
};

impl Upstream {
    /// Sends a caller's request to the server.
    ///
    /// # Errors
    /// Fails if the server does not answer, with one of the reasons that the [module](super) names. An error that the
    /// server returns is an answer.
    pub async fn call<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        self.guard(fetch, Sender::Caller, self.carry(fetch, call)).await
    }

    /// Ends the sessions that only the client with this `Mcp-Session-Id` uses.
    pub fn end_sessions<F: Fetch>(&self, fetch: &F, session: &HeaderValue) {
        let ended = lock(&self.sessions).remove_client(session);
        ended.into_iter().for_each(|connection| self.lease(fetch, connection).retire());
    }

    async fn carry<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        let (quiet, quiet_call);
        let call = if self.endpoint.questions {
            call
        } else {
            quiet = call.caller.declaring(client_requests::unasked(&call.caller.capabilities));
            quiet_call =
                Call { params: call.params.clone(), caller: &quiet, accepts_requests: false, ..*call };
            &quiet_call
        };
        let owner = SessionOwner::new(
            call,
            self.passed(call),
            self.is_in_process(),
            &self.endpoint.capabilities.parts,
        );
        let lease = self.session(fetch, call, &owner).await?;
        match self.forward(fetch, &lease, call, &owner).await {
            Err(SendFailure::Stale(_)) => {}
            done => return done.map_err(SendFailure::into_failure),
        }
        lock(&self.sessions).forget(lease.connection());
        // Another request may meanwhile have opened a new connection.
        if self.known().is_none_or(|known| Arc::ptr_eq(&known, lease.connection())) {
            self.connect(fetch).await?;
        }
        let lease = match self.session(fetch, call, &owner).await {
            // The server may speak another revision now.
            Err(_) if !owner.is_nobody(&lease) => {
                self.connect(fetch).await?;
                self.session(fetch, call, &owner).await?
            }
            lease => lease?,
        };
        self.forward(fetch, &lease, call, &owner).await.map_err(SendFailure::into_failure)
    }

    async fn forward<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Lease<F>,
        call: &Call<'_>,
        owner: &SessionOwner,
    ) -> Result<Answer, SendFailure> {
        let unannounced = call.method == Method::Complete.name() && !connection.completes();
        if !unannounced {
            return self.post_call(fetch, connection, call, owner).await;
        }
        // Some servers complete arguments without announcing it, so the method is tried until the server rejects it.
        let refused = || Answer::Error(RpcError::method(call.method, call.caller.protocol.era()));
        if connection.refuses_completion() {
            return Ok(refused());
        }
        match self.post_call(fetch, connection, call, owner).await? {
            Answer::Error(failure) if failure.code == METHOD_NOT_FOUND => {
                connection.refused_completion();
                Ok(refused())
            }
            answer => Ok(answer),
        }
    }

    async fn post_call<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Lease<F>,
        call: &Call<'_>,
        owner: &SessionOwner,
    ) -> Result<Answer, SendFailure> {
        let mut headers = connection.negotiated.headers(call.method, call.params.as_ref());
        headers.extend(owner.headers.clone());
        let params = match connection.negotiated.stateless() {
            Some(version) => {
                lock(&self.header_params).write(&mut headers, call.params.as_ref())?;
                let configured = &self.endpoint.capabilities.parts;
                Some(meta::stateless_params(version, call, configured, self.endpoint.questions))
            }
            None => meta::session_params(call),
        };
        let client = AskableClient {
            capabilities: client_requests::askable(&call.caller.capabilities),
            reachable: call.accepts_requests,
        };
        // The stream is opened before the call, because a server sends its requests on the streams that are open.
        let standalone = async {
            match client.can_be_asked() {
                true => {
                    Standalone::open(
                        &self.endpoint,
                        fetch,
                        connection.connection(),
                        &owner.headers,
                        owner.is_shared().then(|| client.clone()),
                    )
                    .await
                }
                false => None,
            }
        };
        let level = self.set_level(fetch, connection, call.caller.level, &owner.headers);
        let (standalone, ()) = join(standalone, level.boxed_local()).await;
        let ask = self.request(connection, call.method, headers, params, self.endpoint.call_timeout_ms);
        // Responses to the server's requests carry the same headers of the caller.
        let back = ask.back.map(|mut back| {
            back.extend(owner.headers.clone());
            back
        });
        let answer =
            match self.ask(fetch, connection, OutgoingRequest { client: Some(client), back, ..ask }).await? {
                Ok(replies) => replies.hold(connection.clone()).with_standalone(standalone).answer().await?,
                Err(error) => Answer::Error(error),
            };
        if let Answer::Error(failure) = &answer {
            doubt(connection, failure);
        }
        Ok(answer)
    }

    /// Returns the headers of a caller that are forwarded.
    fn passed(&self, call: &Call<'_>) -> HeaderMap {
        let names = self.endpoint.passed.iter().filter(|name| !self.endpoint.headers.contains_key(*name));
        let values =
            names.flat_map(|name| call.caller.headers.get_all(name).iter().map(move |value| (name, value)));
        let mut passed = HeaderMap::new();
        values.for_each(|(name, value)| _ = passed.append(name, value.clone()));
        passed
    }
}
