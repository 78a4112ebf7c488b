//! The client of one upstream server.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
};

use http::{HeaderMap, HeaderName, Uri, header};
use mcp_sieve::catalog::BoundArgument;

use crate::{
    config::{self, AuthKind},
    host::circuit_breaker::CircuitBreaker,
    protocol::error::RpcError,
    upstream::{
        Endpoint, Fetch, SendFailure,
        admission::Sender,
        capability_memory::CapabilityMemory,
        connection::Connection,
        doubt::doubt,
        errors,
        header_params::HeaderParams,
        headers,
        lease::Lease,
        lock,
        message::integer,
        post::{HttpRejection, OutgoingRequest},
        replies::Replies,
        reply_memory::ReplyMemory,
        request::{self, Accepted},
        sessions::SessionPool,
    },
};

/// The first id of the gateway's own requests. Requests of clients keep their ids, and in a session an id names one request.
const FIRST_ID: i64 = 1 << 40;

/// Returns whether an id of a client, as JSON, could be one of the gateway.
pub(super) fn is_reserved(id: &str) -> bool {
    integer(id).is_some_and(|id| id >= FIRST_ID)
}

/// An upstream server, and the state of the connections to it.
///
/// If nothing is known about the server yet, concurrent requests each detect its era themselves: on some platforms no
/// request may wait for another one's work.
#[derive(Debug)]
pub struct Upstream {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) connection: Mutex<Option<Arc<Connection>>>,
    pub(super) sessions: Mutex<SessionPool>,
    /// The time until which no session is requested from a server that answers stateless requests and has refused one,
    /// in milliseconds since 1970.
    pub(super) no_sessions_until: AtomicU64,
    /// The time until which calls are stateless because a handshake was not answered, in milliseconds since 1970.
    pub(super) unanswered_until: AtomicU64,
    /// The time until which the server is not probed, because it never answered a probe, in milliseconds since 1970.
    pub(super) unprobed_until: AtomicU64,
    /// Whether a server that answers stateless requests was listed in a session too.
    pub(super) lists_sessions: AtomicBool,
    pub(super) header_params: Mutex<HeaderParams>,
    /// What listings with capabilities have shown.
    pub(super) capable: CapabilityMemory,
    /// The hash of the lists from which the known concern values were learned; empty if they have to be learned again.
    pub(super) learned_from: Mutex<String>,
    /// The circuit breaker; `None` for a handler in the same process, which is called for each caller. If it fails for
    /// one caller, others are not affected.
    pub(super) breaker: Option<Mutex<CircuitBreaker>>,
    pub(super) ids: AtomicI64,
}

impl Upstream {
    /// Creates the client of the server that `settings` describe. `variable` returns the values of variables in its
    /// headers.
    ///
    /// # Errors
    /// Returns `upstream_url` if the address is not an absolute http or https URL, and `config` if a header cannot be
    /// sent.
    pub fn new(
        settings: &config::Upstream,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, RpcError> {
        Self::at(settings, variable, "upstream", false)?.complete()
    }

    /// Like [`Upstream::new`], for one of several servers: if a variable is not set, the server cannot be reached.
    ///
    /// # Errors
    /// As for [`Upstream::new`], except for variables that are not set.
    pub(crate) fn one_of_several(
        settings: &config::Upstream,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, RpcError> {
        Self::at(settings, variable, "upstream", false)
    }

    /// Returns whether a variable of the headers is not set.
    pub(crate) fn is_left_out(&self) -> bool {
        !self.endpoint.unset.is_empty()
    }

    /// Returns the client, if all variables of its headers are set.
    pub(crate) fn complete(self) -> Result<Self, RpcError> {
        match self.endpoint.unset.first() {
            None => Ok(self),
            Some(variable) => Err(self.endpoint.unset(variable)),
        }
    }

    pub(super) fn at(
        settings: &config::Upstream,
        variable: &dyn Fn(&str) -> Option<String>,
        role: &'static str,
        in_process: bool,
    ) -> Result<Self, RpcError> {
        let uri = settings.url.parse().ok().filter(|uri: &Uri| {
            matches!(uri.scheme_str(), Some("http" | "https"))
                && uri.host().is_some_and(|host| !host.is_empty())
        });
        let uri = uri.ok_or_else(|| errors::address(role, &settings.name))?;
        let (headers, unset) = headers::written(settings, role, variable)?;
        let mut capabilities = settings.capabilities.clone();
        // A handler is listed for each request that needs its lists.
        capabilities.relayed &= !in_process;
        let endpoint = Endpoint {
            uri,
            name: settings.name.clone(),
            role,
            headers,
            unset,
            passed: headers::passed(settings)?,
            auth: settings.auth.kind,
            is_of_caller: false,
            timeout_ms: settings.timeout_ms,
            list_timeout_ms: settings.list_timeout_ms,
            call_timeout_ms: settings.call_timeout_ms,
            ttl_ms: settings.ttl_ms,
            min_ttl_ms: settings.min_ttl_ms,
            max_pages: settings.max_pages,
            capabilities,
            hides_conditional: settings.hides_conditional(),
            concerns: settings.concerns,
            concern_names: settings.renames.concerns.clone(),
            in_process,
            shares_sessions: settings.shares_sessions,
            one_user: settings.one_user,
            is_one_of_several: false,
            questions: settings.questions,
            oddities: Arc::default(),
            replies: Arc::default(),
        };
        Ok(Self::of(endpoint))
    }

    /// Returns a client of the same server for one caller, with the headers of this caller. Nothing that it learns of the
    /// server reaches other callers.
    pub(crate) fn for_caller(&self, passed: &HeaderMap) -> Self {
        let mut endpoint = Endpoint { is_of_caller: true, ..(*self.endpoint).clone() };
        endpoint.headers.extend(endpoint.passed_of(passed));
        Self::of(endpoint)
    }

    /// Returns the names of the caller's headers that the server gets.
    pub(crate) fn passed_names(&self) -> impl Iterator<Item = HeaderName> {
        let token = Some(header::AUTHORIZATION).filter(|_| self.endpoint.auth == AuthKind::Pass);
        self.endpoint.passed.iter().cloned().chain(token)
    }

    fn of(endpoint: Endpoint) -> Self {
        let in_process = endpoint.in_process;
        Self {
            endpoint: Arc::new(endpoint),
            connection: Mutex::default(),
            sessions: Mutex::default(),
            no_sessions_until: AtomicU64::new(0),
            unanswered_until: AtomicU64::new(0),
            unprobed_until: AtomicU64::new(0),
            lists_sessions: AtomicBool::new(false),
            header_params: Mutex::default(),
            capable: CapabilityMemory::default(),
            learned_from: Mutex::default(),
            breaker: (!in_process).then(Mutex::default),
            ids: AtomicI64::new(FIRST_ID),
        }
    }

    /// Counts the replies of the server together with those of the other servers of a gateway, if there are any.
    pub(crate) fn beside(self, is_one_of_several: bool, replies: &Arc<ReplyMemory>) -> Self {
        let replies = Arc::clone(replies);
        let endpoint = Endpoint { is_one_of_several, replies, ..(*self.endpoint).clone() };
        Self { endpoint: Arc::new(endpoint), ..self }
    }

    /// Returns the number of bytes of replies that are held now.
    pub fn reply_bytes(&self) -> usize {
        self.endpoint.replies.bytes()
    }

    /// Creates the client of a handler in the same process. The handler receives the headers of each caller. Failed
    /// calls do not pause it, and callers that it can distinguish do not share a session.
    ///
    /// # Errors
    /// As for [`Upstream::new`].
    pub fn in_process(settings: &config::Upstream) -> Result<Self, RpcError> {
        Self::at(settings, &|_| None, "upstream", true)?.complete()
    }

    /// Stores which tool arguments the server wants repeated as headers, if another process lists the server. Tools
    /// have the names that the server gave them, and come with their bound arguments.
    pub(crate) fn learn_marks<'a>(
        &self,
        tools: impl Iterator<Item = (&'a str, &'a str, &'a [BoundArgument])>,
    ) {
        let mut header_params = HeaderParams::default();
        header_params.learn_tools(tools);
        *lock(&self.header_params) = header_params;
    }

    /// Returns the operator's name for the server.
    pub fn name(&self) -> &str {
        &self.endpoint.name
    }

    /// Removes and returns what the operator is told once of the server: its peculiarities that Sieve tolerates, and which
    /// callers share a session.
    pub fn take_oddities(&self) -> Vec<String> {
        self.endpoint.oddities.take()
    }

    /// Makes the next listing list the server with capabilities too, because it reported changed lists.
    pub(crate) fn expire_capable(&self) {
        self.capable.expire();
    }

    /// Returns whether the server has reported changed lists since this was last asked. A process that has the server
    /// listed elsewhere passes this on, by [`Gateway::expire_server`](super::Gateway::expire_server).
    pub fn take_changed(&self) -> bool {
        self.capable.take_expired()
    }

    /// Returns whether requests in the name of a caller have tokens that a store of connections has.
    pub fn has_connections(&self) -> bool {
        self.endpoint.is_of_caller && self.endpoint.needs_tokens()
    }

    /// Returns whether the server is a handler in the same process.
    pub(crate) fn is_in_process(&self) -> bool {
        self.endpoint.in_process
    }

    /// Returns the connection for the gateway's own requests. One that another process opened is used until it expires,
    /// because this process may never list the server, which would renew it.
    pub(super) async fn connection<F: Fetch>(&self, fetch: &F) -> Result<Lease<F>, RpcError> {
        let shared = &fetch.shared();
        let is_usable = |known: &Arc<Connection>| !known.is_adopted() || !known.is_outdated(shared.now());
        match self.known().filter(is_usable) {
            Some(connection) if !self.is_lost(shared, &connection).await => {
                Ok(self.lease(shared, connection))
            }
            _ => self.connect(fetch).await,
        }
    }

    pub(super) fn lease<F: Fetch>(&self, fetch: &F, connection: Arc<Connection>) -> Lease<F> {
        Lease::new(&self.endpoint, fetch, connection)
    }

    /// Creates a request of the gateway's own.
    pub(super) fn request<'a>(
        &self,
        connection: &Connection,
        method: &'a str,
        headers: HeaderMap,
        params: Option<Vec<u8>>,
        patience_ms: u64,
    ) -> OutgoingRequest<'a> {
        let (id, back) = (self.next_id().to_string().into(), connection.negotiated.back());
        OutgoingRequest { method, id, headers, params, back, client: None, patience_ms, passthrough: None }
    }

    /// Sends one request. The inner error is one that the server returned with an HTTP error status.
    pub(super) async fn ask<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        ask: OutgoingRequest<'_>,
    ) -> Result<Result<Replies<F>, RpcError>, SendFailure> {
        // Only calls can be answered with requests to the client.
        let sender = if ask.client.is_some() { Sender::Caller } else { Sender::Gateway };
        let taken = request::open(&self.endpoint, fetch, ask).await;
        let taken = taken.inspect_err(|failure| doubt(connection, failure))?;
        if let (Some(breaker), Accepted::Refused(HttpRejection { retry_after: Some(seconds), .. })) =
            (&self.breaker, &taken)
            && self.limits_all(sender)
        {
            lock(breaker).defer(fetch.now() + seconds * 1_000);
        }
        match taken {
            Accepted::Replies(replies) => Ok(Ok(*replies)),
            Accepted::Refused(refusal) if connection.ended_by(&refusal) => {
                Err(SendFailure::Stale(refusal.failure))
            }
            Accepted::Refused(HttpRejection { addressed: true, failure, .. }) => Ok(Err(failure)),
            Accepted::Refused(HttpRejection { error, failure, .. }) => {
                connection.doubt();
                if error.is_some() { Ok(Err(failure)) } else { Err(failure.into()) }
            }
        }
    }

    /// Runs `work` on a connection, and returns both. If the connection turns out to be invalid, opens a new one and
    /// runs `work` once more.
    pub(super) async fn steady<F: Fetch, T>(
        &self,
        fetch: &F,
        lease: Lease<F>,
        work: impl AsyncFn(&Connection) -> Result<T, SendFailure>,
    ) -> Result<(Lease<F>, T), RpcError> {
        match work(&lease).await {
            Err(SendFailure::Stale(_)) => {}
            done => return done.map(|done| (lease, done)).map_err(SendFailure::into_failure),
        }
        // Another request may meanwhile have opened a new connection.
        let lease = match self.known().filter(|known| !Arc::ptr_eq(known, lease.connection())) {
            Some(connection) => self.lease(fetch, connection),
            None => self.connect(fetch).await?,
        };
        let done = work(&lease).await.map_err(SendFailure::into_failure)?;
        Ok((lease, done))
    }

    /// Returns whether the server is known to be of the stateless era, in which requests to the client are part of
    /// results.
    pub fn is_stateless(&self) -> bool {
        self.known().is_some_and(|connection| connection.negotiated.stateless().is_some())
    }

    pub(super) fn known(&self) -> Option<Arc<Connection>> {
        lock(&self.connection).clone()
    }

    /// Stores a new connection and returns the previous one.
    pub(super) fn remember(&self, connection: &Arc<Connection>) -> Option<Arc<Connection>> {
        lock(&self.connection).replace(Arc::clone(connection))
    }

    pub(super) fn next_id(&self) -> i64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }
}
