//! The sessions that callers have at an upstream server.

use std::{
    rc::Rc,
    sync::{Arc, atomic::Ordering},
};

use futures_util::FutureExt;
use mcp_sieve::revision::Revision;

use crate::{
    host::Call,
    protocol::error::RpcError,
    upstream::{
        AskableClient, Fetch, Upstream,
        connection::RootsState,
        lease::Lease,
        lock,
        session_inbox::OutsideCalls,
        session_reader::SessionReader,
        sessions::{SessionOwner, keeps_revision},
        standalone_stream::StandaloneStream,
    },
};

/// The reasons of a failed handshake that leave open whether the server keeps sessions.
const UNDECIDED: [&str; 5] =
    ["upstream_unauthorized", "upstream_unreachable", "upstream_timeout", "upstream_cut", "upstream_status"];

/// Milliseconds for which calls are stateless after such a server did not answer a handshake.
const UNANSWERED_MS: u64 = 30_000;
/// Milliseconds for which a server that answers stateless requests is assumed to keep no sessions, after it refused
/// one.
const NO_SESSIONS_MS: u64 = 10 * 60 * 1_000;

/// The client of a call outside the call, if it can be reached there.
pub(super) type Outside<'a> = Option<&'a Rc<dyn OutsideCalls>>;

impl Upstream {
    /// Returns the connection for a caller's request: a session of the caller's own, or the gateway's connection. A
    /// server that supports only sessions needs the former, unless it learns nothing about the caller. At a server that
    /// supports both eras, a caller with a session has one too.
    pub(super) async fn session<F: Fetch>(
        &self,
        fetch: &F,
        call: &Call<'_>,
        owner: &SessionOwner,
        outside: Outside<'_>,
    ) -> Result<Lease<F>, RpcError> {
        let own = self.connection(fetch).await?;
        match own.negotiated.session() {
            Some(_) if owner.is_nobody(&own) => Ok(own),
            Some(version) => self.begin_session(fetch, version, owner, outside).boxed_local().await,
            None if keeps_revision(call) && fetch.now() >= self.unanswered_until.load(Ordering::Relaxed) => {
                match self.session_beside(fetch, owner, outside).await {
                    Ok(beside) => Ok(beside.unwrap_or(own)),
                    // The server may accept the credentials of another caller.
                    Err(failure) if failure.reason() == Some("upstream_unauthorized") => Err(failure),
                    Err(_) => {
                        let until = fetch.now().saturating_add(UNANSWERED_MS);
                        self.unanswered_until.store(until, Ordering::Relaxed);
                        Ok(own)
                    }
                }
            }
            None => Ok(own),
        }
    }

    /// Returns a session at a server that answers stateless requests, if it keeps any. A server that refused one is not
    /// asked again for a while, unless it may have refused the headers of one caller.
    ///
    /// # Errors
    /// Fails if the server does not answer, or the credentials are insufficient.
    pub(crate) async fn session_beside<F: Fetch>(
        &self,
        fetch: &F,
        owner: &SessionOwner,
        outside: Outside<'_>,
    ) -> Result<Option<Lease<F>>, RpcError> {
        if fetch.now() < self.no_sessions_until.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let begun = self.begin_session(fetch, Revision::LATEST_WITH_SESSIONS, owner, outside);
        match begun.boxed_local().await {
            Ok(lease) if lease.has_session() => return Ok(Some(lease)),
            Ok(lease) => lock(&self.sessions).forget(lease.connection()),
            Err(failure) if failure.reason().is_some_and(|reason| UNDECIDED.contains(&reason)) => {
                return Err(failure);
            }
            Err(_) if !owner.headers.is_empty() => return Ok(None),
            Err(_) => {}
        }
        self.no_sessions_until.store(fetch.now().saturating_add(NO_SESSIONS_MS), Ordering::Relaxed);
        Ok(None)
    }

    /// Returns the session of this owner, and opens it if needed. Its standalone stream is open before the server is
    /// notified that the client is ready, because the server may ask for roots at once.
    pub(super) async fn begin_session<F: Fetch>(
        &self,
        fetch: &F,
        version: Revision,
        owner: &SessionOwner,
        outside: Outside<'_>,
    ) -> Result<Lease<F>, RpcError> {
        let known = lock(&self.sessions).get(owner);
        if let Some(connection) = &known
            && !self.is_lost(fetch, connection).await
        {
            return Ok(self.lease(fetch, Arc::clone(connection)));
        }
        if owner.is_lasting() {
            let gone = lock(&self.sessions).make_room(owner);
            let gone = gone.map_err(|full| self.endpoint.sessions_full(full))?;
            gone.into_iter().for_each(|connection| self.lease(fetch, connection).retire());
        }
        let capabilities = owner.capabilities.to_string();
        let concerns = owner.concerns.as_deref();
        let connection =
            self.shake_hands(fetch, version, capabilities.as_bytes(), &owner.headers, concerns).await?;
        let lease = self.lease(fetch, Arc::new(connection));
        if self.read_outside(fetch, &lease, owner, outside).await && owner.capabilities.get("roots").is_some()
        {
            lease.set_roots(RootsState::Asking);
        }
        self.confirm(fetch, &lease, owner.concerns.as_deref()).await;
        if !owner.is_lasting() {
            lease.retire();
            return Ok(lease);
        }
        // A parallel call of the owner may have begun one first, and may be running in it.
        let begun = lock(&self.sessions).get(owner);
        let begun =
            begun.filter(|connection| known.as_ref().is_none_or(|known| !Arc::ptr_eq(known, connection)));
        if let Some(connection) = begun {
            lease.retire();
            return Ok(self.lease(fetch, connection));
        }
        // The last lease ends the session.
        drop(known);
        let replaced = lock(&self.sessions).put(owner.clone(), Arc::clone(lease.connection()));
        replaced.into_iter().for_each(|connection| self.lease(fetch, connection).retire());
        Ok(lease)
    }

    /// Begins to read the standalone stream of a session, unless it is read already. Returns whether it may be read now.
    /// Work that ends with its request reads no stream for others, and a session of several clients has no client to
    /// send its messages to.
    pub(super) async fn read_outside<F: Fetch>(
        &self,
        fetch: &F,
        lease: &Lease<F>,
        owner: &SessionOwner,
        outside: Outside<'_>,
    ) -> bool {
        let is_read = fetch.place().is_some() && lease.has_session() && !self.is_in_process();
        if !is_read || !owner.is_lasting() || owner.is_shared() || outside.is_none() {
            return false;
        }
        let Some(stream) = self.standalone_stream(fetch, lease) else { return false };
        let client = AskableClient { capabilities: owner.capabilities.clone(), reachable: true };
        SessionReader::begin(stream, lease, client, outside.cloned()).await;
        true
    }

    /// Returns the standalone stream of a session, to be opened.
    pub(super) fn standalone_stream<F: Fetch>(
        &self,
        fetch: &F,
        lease: &Lease<F>,
    ) -> Option<StandaloneStream<F>> {
        let headers = lease.message_headers().filter(|_| lease.has_session())?;
        let (endpoint, connection) = (Arc::clone(&self.endpoint), Arc::clone(lease.connection()));
        Some(StandaloneStream { endpoint, fetch: fetch.clone(), connection, headers })
    }
}
