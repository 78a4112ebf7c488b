//! The client for upstream servers of either protocol era.
//!
//! An [`Upstream`] detects its server's era with a probe and stores the result. It repeats the detection when the
//! server has changed or lost its session. Answers of the server are returned unchanged. If there is no answer, the
//! call returns an [`RpcError`] of code -32603, whose reason is one of the `upstream_…` codes of
//! [`REASONS`](crate::mcp::REASONS).

mod admission;
pub(crate) mod announced;
mod cancellation;
pub(crate) mod capable;
mod change_stream;
pub(crate) mod collected;
pub(crate) mod connection;
pub(crate) mod declarations;
pub(crate) mod declared;
mod doubt;
pub(crate) mod endpoint;
pub(crate) mod errors;
pub(crate) mod fetch;
pub(crate) mod handshake;
pub(crate) mod header_params;
pub(crate) mod headers;
pub(crate) mod introduction;
pub(crate) mod lease;
mod log_level;
pub(crate) mod message;
pub(crate) mod meta;
pub(crate) mod notifications;
pub(crate) mod own_request;
pub(crate) mod pages;
pub(crate) mod post;
pub(crate) mod replies;
pub(crate) mod request;
pub(crate) mod retry_after;
pub(crate) mod revisions;
mod session_subscriptions;
pub(crate) mod sessions;
pub mod sse;
pub(crate) mod standalone;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
};

use futures_util::{FutureExt, future::join};
use http::{HeaderMap, HeaderValue, Uri};

use crate::{
    config,
    mcp::{
        call::client_requests,
        host::{Answer, Call, circuit_breaker::CircuitBreaker},
        protocol::{
            error::{METHOD_NOT_FOUND, RpcError},
            method::Method,
        },
        upstream::{
            admission::Sender,
            connection::Connection,
            doubt::doubt,
            header_params::HeaderParams,
            lease::Lease,
            post::{HttpRejection, OutgoingRequest},
            replies::Replies,
            request::Accepted,
            sessions::{SessionOwner, SessionPool, keeps_revision},
            standalone::Standalone,
        },
    },
    revision::Revision,
};

pub(crate) use crate::mcp::upstream::endpoint::{AskableClient, Endpoint, SendFailure, lock};

#[cfg(feature = "command")]
pub(crate) use crate::mcp::upstream::revisions::join_revisions;

pub use crate::mcp::host::circuit_breaker::{FIRST_PAUSE_MS, MAX_FAILURES, MAX_PAUSE_MS, pause};
pub use crate::mcp::upstream::declared::{Declarations, Facet, MAX_DECLARED, MAX_DECLARED_BYTES};
pub use crate::mcp::upstream::fetch::{Chunks, Fetch, FetchError, MAX_ANSWER, MAX_CURSOR, MAX_LISTS};
pub use crate::mcp::upstream::introduction::{
    Introduction, MAX_FOREIGN_CAPABILITIES, MAX_INSTRUCTIONS, MAX_LIST_MEMBERS, MAX_SERVER_INFO,
};
pub use crate::mcp::upstream::pages::Listing;
pub use crate::mcp::upstream::replies::clock::MAX_ANSWER_MS;
pub use crate::mcp::upstream::retry_after::MAX_RETRY_AFTER_S;
pub use crate::mcp::upstream::sessions::{MAX_ANONYMOUS_SESSIONS, MAX_PRINCIPAL_SESSIONS, MAX_SESSIONS};

/// The reasons of a failed handshake that leave open whether the server keeps sessions.
const UNDECIDED: [&str; 5] =
    ["upstream_unauthorized", "upstream_unreachable", "upstream_timeout", "upstream_cut", "upstream_status"];

/// Milliseconds for which calls are stateless after such a server did not answer a handshake.
const UNANSWERED_MS: u64 = 30_000;
/// Milliseconds for which a server that answers stateless requests is assumed to keep no sessions, after it refused
/// one.
const NO_SESSIONS_MS: u64 = 10 * 60 * 1_000;

/// An upstream server, and the state of the connections to it.
///
/// If nothing is known about the server yet, concurrent requests each detect its era themselves: on some platforms no
/// request may wait for another one's work.
#[derive(Debug)]
pub struct Upstream {
    site: Arc<Endpoint>,
    link: Mutex<Option<Arc<Connection>>>,
    links: Mutex<SessionPool>,
    /// The time until which no session is requested from a server that answers stateless requests and has refused one,
    /// in milliseconds since 1970.
    no_sessions_until: AtomicU64,
    /// The time until which calls are stateless because a handshake was not answered, in milliseconds since 1970.
    unanswered_until: AtomicU64,
    /// Whether a server that answers stateless requests was listed in a session too.
    lists_sessions: AtomicBool,
    marks: Mutex<HeaderParams>,
    /// The circuit breaker; `None` for a handler in the same process, which is called for each caller. If it fails for
    /// one caller, others are not affected.
    breaker: Option<Mutex<CircuitBreaker>>,
    ids: AtomicI64,
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
        Self::at(settings, variable, "upstream", false)
    }

    fn at(
        settings: &config::Upstream,
        variable: &dyn Fn(&str) -> Option<String>,
        role: &'static str,
        in_process: bool,
    ) -> Result<Self, RpcError> {
        let uri = settings.url.parse().ok().filter(|uri: &Uri| {
            matches!(uri.scheme_str(), Some("http" | "https"))
                && uri.host().is_some_and(|host| !host.is_empty())
        });
        let site = Endpoint {
            uri: uri.ok_or_else(|| crate::mcp::upstream::errors::address(role, &settings.name))?,
            name: settings.name.clone(),
            role,
            headers: crate::mcp::upstream::headers::written(settings, role, variable)?,
            passed: crate::mcp::upstream::headers::passed(settings)?,
            timeout_ms: settings.timeout_ms,
            list_timeout_ms: settings.list_timeout_ms,
            call_timeout_ms: settings.call_timeout_ms,
            ttl_ms: settings.ttl_ms,
            min_ttl_ms: settings.min_ttl_ms,
            max_pages: settings.max_pages,
            capabilities: settings.capabilities.clone(),
            in_process,
        };
        Ok(Self {
            site: Arc::new(site),
            link: Mutex::default(),
            links: Mutex::default(),
            no_sessions_until: AtomicU64::new(0),
            unanswered_until: AtomicU64::new(0),
            lists_sessions: AtomicBool::new(false),
            marks: Mutex::default(),
            breaker: (!in_process).then(Mutex::default),
            ids: AtomicI64::new(1),
        })
    }

    /// Creates the client of a handler in the same process. The handler receives the headers of each caller. Failed
    /// calls do not pause it, and callers that it can distinguish do not share a session.
    ///
    /// # Errors
    /// As for [`Upstream::new`].
    pub fn in_process(settings: &config::Upstream) -> Result<Self, RpcError> {
        Self::at(settings, &|_| None, "upstream", true)
    }

    /// Stores which tool arguments the server wants repeated as headers, if another process lists the server. Tools
    /// have the names that the server gave them.
    pub(crate) fn learn_marks<'a>(&self, tools: impl Iterator<Item = (&'a str, &'a str)>) {
        let mut marks = HeaderParams::default();
        marks.learn_tools(tools);
        *lock(&self.marks) = marks;
    }

    /// Returns the operator's name for the server.
    pub fn name(&self) -> &str {
        &self.site.name
    }

    /// Returns whether the server is a handler in the same process.
    pub(crate) fn is_in_process(&self) -> bool {
        self.site.in_process
    }

    /// Sends a caller's request to the server.
    ///
    /// # Errors
    /// Fails if the server does not answer, with one of the reasons that the [module](self) names. An error that the
    /// server returns is an answer.
    pub async fn call<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        self.guard(fetch, Sender::Caller, self.carry(fetch, call)).await
    }

    /// Ends the sessions that only the client with this `Mcp-Session-Id` uses.
    pub fn end_sessions<F: Fetch>(&self, fetch: &F, session: &HeaderValue) {
        let ended = lock(&self.links).remove_client(session);
        ended.into_iter().for_each(|link| self.lease(fetch, link).retire());
    }

    async fn carry<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        let holder =
            SessionOwner::new(call, self.passed(call), self.is_in_process(), &self.site.capabilities.parts);
        let lease = self.session(fetch, call, &holder).await?;
        match self.forward(fetch, &lease, call, &holder).await {
            Err(SendFailure::Stale(_)) => {}
            done => return done.map_err(SendFailure::into_failure),
        }
        lock(&self.links).forget(lease.link());
        // Another request may meanwhile have opened a new connection.
        if self.known().is_none_or(|known| Arc::ptr_eq(&known, lease.link())) {
            self.connect(fetch).await?;
        }
        let lease = match self.session(fetch, call, &holder).await {
            // The server may speak another revision now.
            Err(_) if !holder.is_nobody(&lease) => {
                self.connect(fetch).await?;
                self.session(fetch, call, &holder).await?
            }
            lease => lease?,
        };
        self.forward(fetch, &lease, call, &holder).await.map_err(SendFailure::into_failure)
    }

    /// Returns the connection for a caller's request: a session of the caller's own, or the gateway's connection. A
    /// server that supports only sessions needs the former, unless it learns nothing about the caller. At a server that
    /// supports both eras, a caller with a session has one too.
    async fn session<F: Fetch>(
        &self,
        fetch: &F,
        call: &Call<'_>,
        holder: &SessionOwner,
    ) -> Result<Lease<F>, RpcError> {
        let own = self.connection(fetch).await?;
        match own.negotiated.session() {
            Some(_) if holder.is_nobody(&own) => Ok(own),
            Some(version) => self.begin_session(fetch, version, holder).boxed_local().await,
            None if keeps_revision(call) && fetch.now() >= self.unanswered_until.load(Ordering::Relaxed) => {
                match self.session_beside(fetch, holder).await {
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
        holder: &SessionOwner,
    ) -> Result<Option<Lease<F>>, RpcError> {
        if fetch.now() < self.no_sessions_until.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match self.begin_session(fetch, Revision::LATEST_WITH_SESSIONS, holder).boxed_local().await {
            Ok(lease) if lease.has_session() => return Ok(Some(lease)),
            Ok(lease) => lock(&self.links).forget(lease.link()),
            Err(failure) if failure.reason().is_some_and(|reason| UNDECIDED.contains(&reason)) => {
                return Err(failure);
            }
            Err(_) if !holder.headers.is_empty() => return Ok(None),
            Err(_) => {}
        }
        self.no_sessions_until.store(fetch.now().saturating_add(NO_SESSIONS_MS), Ordering::Relaxed);
        Ok(None)
    }

    /// Returns the session of this owner, and opens it if needed.
    async fn begin_session<F: Fetch>(
        &self,
        fetch: &F,
        version: Revision,
        holder: &SessionOwner,
    ) -> Result<Lease<F>, RpcError> {
        let known = lock(&self.links).get(holder);
        if let Some(link) = &known
            && !self.is_lost(fetch, link).await
        {
            return Ok(self.lease(fetch, Arc::clone(link)));
        }
        let capabilities = holder.capabilities.to_string();
        let link = self.shake_hands(fetch, version, capabilities.as_bytes(), &holder.headers).await?;
        let lease = self.lease(fetch, Arc::new(link));
        if !holder.is_lasting() {
            lease.retire();
            return Ok(lease);
        }
        // A parallel call of the owner may have begun one first, and may be running in it.
        let begun = lock(&self.links).get(holder);
        let begun = begun.filter(|link| known.as_ref().is_none_or(|known| !Arc::ptr_eq(known, link)));
        if let Some(link) = begun {
            lease.retire();
            return Ok(self.lease(fetch, link));
        }
        // The last lease ends the session.
        drop(known);
        let gone = lock(&self.links).put(holder.clone(), Arc::clone(lease.link()));
        gone.into_iter().for_each(|link| self.lease(fetch, link).retire());
        Ok(lease)
    }

    /// Returns the connection for the gateway's own requests.
    async fn connection<F: Fetch>(&self, fetch: &F) -> Result<Lease<F>, RpcError> {
        let shared = &fetch.shared();
        match self.known() {
            Some(link) if !self.is_lost(shared, &link).await => Ok(self.lease(shared, link)),
            _ => self.connect(fetch).await,
        }
    }

    fn lease<F: Fetch>(&self, fetch: &F, link: Arc<Connection>) -> Lease<F> {
        Lease::new(&self.site, fetch, link)
    }

    async fn forward<F: Fetch>(
        &self,
        fetch: &F,
        link: &Lease<F>,
        call: &Call<'_>,
        holder: &SessionOwner,
    ) -> Result<Answer, SendFailure> {
        let unannounced = call.method == Method::Complete.name() && !link.completes();
        if !unannounced {
            return self.post_call(fetch, link, call, holder).await;
        }
        // Some servers complete arguments without announcing it, so the method is tried until the server rejects it.
        let refused = || Answer::Error(RpcError::method(call.method, call.caller.protocol.era()));
        if link.refuses_completion() {
            return Ok(refused());
        }
        match self.post_call(fetch, link, call, holder).await? {
            Answer::Error(failure) if failure.code == METHOD_NOT_FOUND => {
                link.refused_completion();
                Ok(refused())
            }
            answer => Ok(answer),
        }
    }

    async fn post_call<F: Fetch>(
        &self,
        fetch: &F,
        link: &Lease<F>,
        call: &Call<'_>,
        holder: &SessionOwner,
    ) -> Result<Answer, SendFailure> {
        let mut headers = link.negotiated.headers(call.method, call.params.as_ref());
        headers.extend(holder.headers.clone());
        let params = match link.negotiated.stateless() {
            Some(version) => {
                lock(&self.marks).write(&mut headers, call.params.as_ref())?;
                let configured = &self.site.capabilities.parts;
                Some(crate::mcp::upstream::meta::stateless_params(version, call, configured))
            }
            None => crate::mcp::upstream::meta::session_params(call),
        };
        let asked = AskableClient {
            capabilities: client_requests::askable(&call.caller.capabilities),
            reachable: call.accepts_requests,
        };
        // The stream is opened before the call, because a server sends its requests on the streams that are open.
        let standalone = async {
            match asked.can_be_asked() {
                true => {
                    Standalone::open(&self.site, fetch, link.link(), &holder.headers, holder.is_shared())
                        .await
                }
                false => None,
            }
        };
        let level = self.set_level(fetch, link, call.caller.level, &holder.headers);
        let (standalone, ()) = join(standalone, level.boxed_local()).await;
        let ask = self.request(link, call.method, headers, params, self.site.call_timeout_ms);
        // Responses to the server's requests carry the same headers of the caller.
        let back = ask.back.map(|mut back| {
            back.extend(holder.headers.clone());
            back
        });
        let answer = match self.ask(fetch, link, OutgoingRequest { asked: Some(asked), back, ..ask }).await? {
            Ok(replies) => replies.hold(link.clone()).with_standalone(standalone).answer().await?,
            Err(error) => Answer::Error(error),
        };
        if let Answer::Error(failure) = &answer {
            doubt(link, failure);
        }
        Ok(answer)
    }

    /// Returns the headers of a caller that are forwarded.
    fn passed(&self, call: &Call<'_>) -> HeaderMap {
        let names = self.site.passed.iter().filter(|name| !self.site.headers.contains_key(*name));
        let values =
            names.flat_map(|name| call.caller.headers.get_all(name).iter().map(move |value| (name, value)));
        let mut passed = HeaderMap::new();
        values.for_each(|(name, value)| _ = passed.append(name, value.clone()));
        passed
    }

    /// Creates a request of the gateway's own.
    fn request<'a>(
        &self,
        link: &Connection,
        method: &'a str,
        headers: HeaderMap,
        params: Option<Vec<u8>>,
        patience_ms: u64,
    ) -> OutgoingRequest<'a> {
        let (id, back) = (self.next_id(), link.negotiated.back());
        OutgoingRequest { method, id, headers, params, back, asked: None, patience_ms }
    }

    /// Sends one request. The inner error is one that the server returned with an HTTP error status.
    async fn ask<F: Fetch>(
        &self,
        fetch: &F,
        link: &Connection,
        ask: OutgoingRequest<'_>,
    ) -> Result<Result<Replies<F>, RpcError>, SendFailure> {
        // Only calls can be answered with requests to the client.
        let sender = if ask.asked.is_some() { Sender::Caller } else { Sender::Gateway };
        let taken = crate::mcp::upstream::request::open(&self.site, fetch, ask).await;
        let taken = taken.inspect_err(|failure| doubt(link, failure))?;
        if let (Some(breaker), Accepted::Refused(HttpRejection { retry_after: Some(seconds), .. })) =
            (&self.breaker, &taken)
            && self.limits_all(sender)
        {
            lock(breaker).defer(fetch.now() + seconds * 1_000);
        }
        match taken {
            Accepted::Replies(replies) => Ok(Ok(*replies)),
            Accepted::Refused(refusal) if link.ended_by(&refusal) => Err(SendFailure::Stale(refusal.failure)),
            Accepted::Refused(HttpRejection { addressed: true, failure, .. }) => Ok(Err(failure)),
            Accepted::Refused(HttpRejection { error, failure, .. }) => {
                link.doubt();
                if error.is_some() { Ok(Err(failure)) } else { Err(failure.into()) }
            }
        }
    }

    /// Runs `work` on a connection, and returns both. If the connection turns out to be invalid, opens a new one and runs
    /// `work` once more.
    async fn steady<F: Fetch, T>(
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
        let lease = match self.known().filter(|known| !Arc::ptr_eq(known, lease.link())) {
            Some(link) => self.lease(fetch, link),
            None => self.connect(fetch).await?,
        };
        let done = work(&lease).await.map_err(SendFailure::into_failure)?;
        Ok((lease, done))
    }

    /// Returns whether the server is known to be of the stateless era, in which requests to the client are part of
    /// results.
    pub fn is_stateless(&self) -> bool {
        self.known().is_some_and(|link| link.negotiated.stateless().is_some())
    }

    fn known(&self) -> Option<Arc<Connection>> {
        lock(&self.link).clone()
    }

    /// Stores a new connection and returns the previous one.
    fn remember(&self, link: &Arc<Connection>) -> Option<Arc<Connection>> {
        lock(&self.link).replace(Arc::clone(link))
    }

    fn next_id(&self) -> i64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }
}
