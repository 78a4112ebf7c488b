//! Sends the calls of callers to an upstream server.

use std::{rc::Rc, sync::Arc};

use futures_util::{FutureExt, StreamExt, future::join};
use http::{HeaderMap, HeaderValue};
use mcp_sieve::revision::Revision;

use crate::{
    call::client_requests,
    config::ConcernUse,
    host::{Answer, Call, Event, PassthroughTerms, StreamItem},
    protocol::{
        error::{METHOD_NOT_FOUND, RpcError},
        method::Method,
    },
    upstream::{
        AskableClient, Fetch, SendFailure, Upstream, admission::Sender, caller_session::Outside,
        client::is_reserved, connection::Connection, doubt::doubt, lease::Lease, lock, meta,
        post::OutgoingRequest, roots::Settled, session_inbox::SessionInbox, sessions::SessionOwner,
        standalone::Standalone,
    },
};

impl Upstream {
    /// Sends a caller's request to the server.
    ///
    /// # Errors
    /// Fails if the server does not answer, with one of the reasons that the [module](super) names. An error that the
    /// server returns is an answer.
    pub async fn call<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        self.call_with(fetch, call, None).await
    }

    /// Sends a caller's request to the server. `outside` takes what the server sends to the client outside calls.
    pub(crate) async fn call_with<F: Fetch>(
        &self,
        fetch: &F,
        call: &Call<'_>,
        outside: Outside<'_>,
    ) -> Result<Answer, RpcError> {
        let carried = self.carry(fetch, call, outside);
        self.guard(fetch, Sender::Caller, carried).await.map_err(RpcError::for_caller)
    }

    /// Sends a request that exists only in sessions. Returns false, without sending it, if the caller has no session of
    /// its own at the server.
    pub(crate) async fn call_in_session<F: Fetch>(
        &self,
        fetch: &F,
        call: &Call<'_>,
        outside: Outside<'_>,
    ) -> Result<bool, RpcError> {
        let owner = self.owner(call);
        let lease = self.session(fetch, call, &owner, outside).await?;
        if owner.is_shared() || !lease.has_session() || fetch.place().is_none() {
            return Ok(false);
        }
        match self.call_with(fetch, call, outside).await? {
            Answer::Result(_) => Ok(true),
            Answer::Error(failure) => Err(failure),
            Answer::Events(_) | Answer::Passthrough(_) => Ok(true),
            Answer::Dialog(mut turns) => loop {
                match turns.next().await {
                    Some(StreamItem::Event(Event::Result(_))) => return Ok(true),
                    Some(StreamItem::Event(Event::Error(failure))) => return Err(failure),
                    Some(StreamItem::Event(Event::Notification(message))) => {
                        outside.iter().for_each(|outside| outside.notify(message.clone()));
                    }
                    Some(_) => {}
                    None => return Err(self.endpoint.ended(call.method)),
                }
            },
        }
    }

    /// Ends the sessions that belong to the client with this `Mcp-Session-Id`.
    pub fn end_sessions<F: Fetch>(&self, fetch: &F, session: &HeaderValue) {
        let ended = lock(&self.sessions).remove_client(session);
        ended.into_iter().for_each(|connection| self.lease(fetch, connection).retire());
    }

    async fn carry<F: Fetch>(
        &self,
        fetch: &F,
        call: &Call<'_>,
        outside: Outside<'_>,
    ) -> Result<Answer, RpcError> {
        let (quiet, quiet_call);
        let call = if self.endpoint.questions {
            call
        } else {
            quiet = call.caller.declaring(client_requests::unasked(&call.caller.capabilities));
            quiet_call =
                Call { params: call.params.clone(), caller: &quiet, accepts_requests: false, ..*call };
            &quiet_call
        };
        let owner = self.owner(call);
        let lease = self.session(fetch, call, &owner, outside).await?;
        match self.forward(fetch, &lease, call, (&owner, outside)).await {
            Err(SendFailure::Stale(_)) => {}
            done => return done.map_err(SendFailure::into_failure),
        }
        lock(&self.sessions).forget(lease.connection());
        // Another request may meanwhile have opened a new connection.
        if self.known().is_none_or(|known| Arc::ptr_eq(&known, lease.connection())) {
            self.connect(fetch).await?;
        }
        let lease = match self.session(fetch, call, &owner, outside).await {
            // The server may speak another revision now.
            Err(_) if !owner.is_nobody(&lease) => {
                self.connect(fetch).await?;
                self.session(fetch, call, &owner, outside).await?
            }
            lease => lease?,
        };
        self.forward(fetch, &lease, call, (&owner, outside)).await.map_err(SendFailure::into_failure)
    }

    async fn forward<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Lease<F>,
        call: &Call<'_>,
        owner: (&SessionOwner, Outside<'_>),
    ) -> Result<Answer, SendFailure> {
        let unannounced = call.method == Method::Complete.name() && !connection.features().completions;
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
        (owner, outside): (&SessionOwner, Outside<'_>),
    ) -> Result<Answer, SendFailure> {
        let mut headers = connection.negotiated.headers(call.method, call.params.as_ref());
        headers.extend(owner.headers.clone());
        let concerns = self.forwarded_concerns(call);
        let params = match connection.negotiated.stateless() {
            Some(version) => {
                lock(&self.header_params).write(&mut headers, call.params.as_ref())?;
                let configured = &self.endpoint.capabilities.parts;
                Some(meta::stateless_params(version, call, configured, self.endpoint.questions, concerns))
            }
            None => meta::session_params(call, concerns),
        };
        let client = AskableClient {
            capabilities: client_requests::askable(&call.caller.capabilities),
            reachable: call.accepts_requests,
        };
        // The stream is opened before the call, because a server sends its messages on the streams that are open.
        let standalone = self.outside_messages(
            fetch,
            connection,
            &client,
            call.caller.protocol.is_stateless(),
            (owner, outside),
        );
        let level = self.set_level(fetch, connection, call.caller.level, &owner.headers);
        let (standalone, ()) = join(standalone, level.boxed_local()).await;
        let ask = self.request(connection, call.method, headers, params, self.endpoint.call_timeout_ms);
        // Responses to the server's requests carry the same headers of the caller.
        let back = ask.back.map(|mut back| {
            back.extend(owner.headers.clone());
            back
        });
        let settled = self.settle_roots(fetch, connection, &client, standalone).await;
        let passthrough = self.passthrough(connection, call, owner, &client);
        let id = passthrough.as_ref().map_or(ask.id, |terms| terms.id.as_str().into());
        let ask = OutgoingRequest { client: Some(client), back, passthrough, id, ..ask };
        let standalone = match settled {
            Settled::Ready(standalone) => standalone,
            Settled::Asked(request, standalone) => {
                return Ok(self.after_roots(fetch, connection, ask, (request, standalone)));
            }
        };
        let answer = match self.ask(fetch, connection, ask).await? {
            Ok(replies) => replies.hold(connection.clone()).with_standalone(standalone).answer().await?,
            Err(error) => Answer::Error(error),
        };
        if let Answer::Error(failure) = &answer {
            doubt(connection, failure);
        }
        Ok(answer)
    }

    /// Returns the terms on which the response to a call passes through unread; `None` if the gateway has to read it.
    /// The request then has the id of the client, which only its own session may see.
    fn passthrough(
        &self,
        connection: &Connection,
        call: &Call<'_>,
        owner: &SessionOwner,
        client: &AskableClient,
    ) -> Option<Rc<PassthroughTerms>> {
        let terms = call.passthrough?;
        let speaks_alike = match connection.negotiated.session() {
            None => call.caller.protocol.is_stateless(),
            Some(version) => {
                let is_own = owner.is_lasting() && !owner.is_shared();
                !call.caller.protocol.is_stateless() && version != Revision::V2024_11_05 && is_own
            }
        };
        let reads = client.can_be_asked() || self.endpoint.oddities.is_distrusted() || is_reserved(&terms.id);
        (speaks_alike && !reads).then(|| Rc::clone(terms))
    }

    /// Returns the messages for a call outside its answer: those that the reader of the session passes on, or those on a
    /// stream of the call's own.
    async fn outside_messages<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Lease<F>,
        client: &AskableClient,
        is_stateless: bool,
        (owner, outside): (&SessionOwner, Outside<'_>),
    ) -> Option<Standalone> {
        if self.read_outside(fetch, connection, owner, outside).await {
            let able = client.can_be_asked();
            let inbox = SessionInbox::take(connection.connection(), fetch.place(), able);
            return inbox.map(Standalone::passed);
        }
        // Such a stream would cost each call a request.
        let (is_shared, in_process) = (owner.is_shared(), self.is_in_process());
        let is_costly = in_process || is_shared && !is_stateless;
        if is_costly && !client.can_be_asked() {
            return None;
        }
        let stream = self.standalone_stream(fetch, connection)?;
        Standalone::open(stream, client, is_shared).await
    }

    /// Returns the owner of the session for a call.
    pub(super) fn owner(&self, call: &Call<'_>) -> SessionOwner {
        let owner = SessionOwner::new(call, self.passed(call), &self.endpoint);
        owner.with_concerns(self.forwarded_concerns(call))
    }

    /// Returns the caller's concerns, as JSON, if the operator forwards them to this server and there are any.
    fn forwarded_concerns<'a>(&self, call: &'a Call<'_>) -> Option<&'a str> {
        let is_forwarded = self.endpoint.concerns == ConcernUse::Forward && !call.caller.concerns.is_empty();
        is_forwarded.then_some(&call.caller.concerns)
    }

    /// Returns the headers of a caller that are forwarded. They take precedence over those of the configuration.
    pub(super) fn passed(&self, call: &Call<'_>) -> HeaderMap {
        self.endpoint.passed_of(&call.caller.headers)
    }
}
