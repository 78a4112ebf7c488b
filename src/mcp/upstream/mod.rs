//! The client side: asking a server behind the gateway, of either era.
//!
//! An [`Upstream`] finds out by asking how its server wants to be asked, remembers it, and finds out anew
//! when the server has changed or lost its session. What the server answers is handed on as it came.
//! If no answer can be had, the call returns an [`RpcError`] of code -32603, whose reason is one of the `upstream_…`
//! codes of [`REASONS`](crate::mcp::REASONS).

pub(crate) mod announced;
pub(crate) mod capable;
pub(crate) mod circuit_breaker;
pub(crate) mod collected;
pub(crate) mod connection;
pub(crate) mod declarations;
pub(crate) mod declared;
pub(crate) mod endpoint;
pub(crate) mod errors;
pub(crate) mod fetch;
pub(crate) mod handshake;
pub(crate) mod header_params;
pub(crate) mod headers;
pub(crate) mod introduction;
pub(crate) mod lease;
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
pub(crate) mod sessions;
pub mod sse;
pub(crate) mod standalone;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use futures_util::FutureExt;
use http::{HeaderMap, Uri};

use crate::{
    config,
    mcp::{
        call::client_requests,
        host::{Answer, Call},
        protocol::{
            error::{METHOD_NOT_FOUND, RpcError},
            method::Method,
        },
        upstream::{
            circuit_breaker::CircuitBreaker,
            connection::Connection,
            header_params::HeaderParams,
            lease::Lease,
            post::{HttpRejection, OutgoingRequest},
            replies::Replies,
            request::Accepted,
            sessions::{SessionOwner, SessionPool},
            standalone::Standalone,
        },
    },
    revision::Revision,
};

pub(crate) use crate::mcp::upstream::endpoint::{AskableClient, Endpoint, SendFailure, lock};

#[cfg(feature = "command")]
pub(crate) use crate::mcp::upstream::revisions::join_revisions;

pub use crate::mcp::upstream::circuit_breaker::{FIRST_PAUSE_MS, MAX_FAILURES, MAX_PAUSE_MS, pause};
pub use crate::mcp::upstream::declared::{Declarations, Facet, MAX_DECLARED, MAX_DECLARED_BYTES};
pub use crate::mcp::upstream::fetch::{Chunks, Fetch, FetchError, MAX_ANSWER, MAX_CURSOR, MAX_LISTS};
pub use crate::mcp::upstream::introduction::{
    Introduction, MAX_FOREIGN_CAPABILITIES, MAX_INSTRUCTIONS, MAX_LIST_MEMBERS, MAX_SERVER_INFO,
};
pub use crate::mcp::upstream::pages::Listing;
pub use crate::mcp::upstream::replies::clock::MAX_ANSWER_MS;
pub use crate::mcp::upstream::retry_after::MAX_RETRY_AFTER_S;
pub use crate::mcp::upstream::sessions::{MAX_ANONYMOUS_SESSIONS, MAX_PRINCIPAL_SESSIONS, MAX_SESSIONS};

/// How long a server that answers stateless requests is believed to keep no sessions, in milliseconds.
const NO_SESSIONS_MS: u64 = 10 * 60 * 1_000;

/// A server behind the gateway, and what has been learned of it.
///
/// Requests that find nothing learned yet each learn it for themselves: on some platforms no request may
/// wait for what another one has begun.
#[derive(Debug)]
pub struct Upstream {
    site: Arc<Endpoint>,
    link: Mutex<Option<Arc<Connection>>>,
    links: Mutex<SessionPool>,
    /// Until when no session is asked for, in milliseconds since 1970, of a server that answers stateless requests and
    /// has refused one.
    no_sessions_until: AtomicU64,
    marks: Mutex<HeaderParams>,
    /// None before a handler, which is called for each caller: what it refuses one concerns no other.
    breaker: Option<Mutex<CircuitBreaker>>,
    ids: AtomicI64,
}

impl Upstream {
    /// The server that `settings` describe; `variable` knows what their headers refer to.
    ///
    /// # Errors
    /// `upstream_url` for an address that is not an absolute http or https URL; `config` for headers that
    /// cannot be sent.
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
            marks: Mutex::default(),
            breaker: (!in_process).then(Mutex::default),
            ids: AtomicI64::new(1),
        })
    }

    /// The handler behind, in the same process. It is called, and shown the headers of each caller: it is never left
    /// alone for what it refused one of them, and callers that it may tell apart have no session in common.
    ///
    /// # Errors
    /// As [`Upstream::new`].
    pub fn in_process(settings: &config::Upstream) -> Result<Self, RpcError> {
        Self::at(settings, &|_| None, "upstream", true)
    }

    /// Learns which arguments of its tools the server wants repeated as headers, where another process lists it. Tools go
    /// by the names that the server has for them.
    pub(crate) fn learn_marks<'a>(&self, tools: impl Iterator<Item = (&'a str, &'a [u8])>) {
        let mut marks = HeaderParams::default();
        marks.learn_tools(tools);
        *lock(&self.marks) = marks;
    }

    /// The operator's name for the server.
    pub fn name(&self) -> &str {
        &self.site.name
    }

    /// Whether the server is a handler in the same process.
    pub(crate) fn is_in_process(&self) -> bool {
        self.site.in_process
    }

    /// Asks on behalf of a caller.
    ///
    /// # Errors
    /// A server that does not answer, by the table of the [module](self). An error that it answers with is
    /// an answer.
    pub async fn call<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        // One tool that takes too long, or breaks off, says nothing of the others.
        let counts = |reason: &str| matches!(reason, "upstream_unreachable" | "upstream_status");
        self.guard(fetch, counts, self.carry(fetch, call)).await
    }

    async fn carry<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        let holder =
            SessionOwner::new(call, self.passed(call), self.is_in_process(), &self.site.capabilities.parts);
        let lease = self.session(fetch, call, &holder).await?;
        match self.forward(fetch, &lease, call).await {
            Err(SendFailure::Stale(_)) => {}
            done => return done.map_err(SendFailure::into_failure),
        }
        lock(&self.links).forget(lease.link());
        // Another request may have learned meanwhile how the server wants to be asked now.
        if self.known().is_none_or(|known| Arc::ptr_eq(&known, lease.link()) || !holder.is_nobody(&known)) {
            self.connect(fetch).await?;
        }
        let lease = self.session(fetch, call, &holder).await?;
        self.forward(fetch, &lease, call).await.map_err(SendFailure::into_failure)
    }

    /// How to ask on behalf of a caller: in a session of its own, where the server has sessions and the caller has one
    /// or the server knows nothing else.
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
            None if keeps_revision(call) => Ok(self.session_beside(fetch, holder).await?.unwrap_or(own)),
            None => Ok(own),
        }
    }

    /// A session at a server that answers stateless requests, if it keeps any.
    ///
    /// # Errors
    /// Only credentials that do not suffice: what the server refuses one caller, it may grant another.
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
            Err(failure) if failure.reason() == Some("upstream_unauthorized") => return Err(failure),
            Err(_) => {}
        }
        self.no_sessions_until.store(fetch.now().saturating_add(NO_SESSIONS_MS), Ordering::Relaxed);
        Ok(None)
    }

    /// The session of this holder.
    async fn begin_session<F: Fetch>(
        &self,
        fetch: &F,
        version: Revision,
        holder: &SessionOwner,
    ) -> Result<Lease<F>, RpcError> {
        if let Some(link) = lock(&self.links).get(holder) {
            return Ok(self.lease(fetch, link));
        }
        let capabilities = holder.capabilities.to_string();
        let link = self.shake_hands(fetch, version, capabilities.as_bytes(), &holder.headers).await?;
        let lease = self.lease(fetch, Arc::new(link));
        if holder.is_lasting() {
            let gone = lock(&self.links).put(holder.clone(), Arc::clone(lease.link()));
            gone.into_iter().for_each(|link| self.lease(fetch, link).retire());
        } else {
            lease.retire();
        }
        Ok(lease)
    }

    /// How the gateway itself asks.
    async fn connection<F: Fetch>(&self, fetch: &F) -> Result<Lease<F>, RpcError> {
        match self.known() {
            Some(link) => Ok(self.lease(&fetch.shared(), link)),
            None => self.connect(fetch).await,
        }
    }

    fn lease<F: Fetch>(&self, fetch: &F, link: Arc<Connection>) -> Lease<F> {
        Lease::new(&self.site, fetch, link)
    }

    /// Does `work`, unless the server is being left alone, and takes note of how it went. Only failures for
    /// want of an answer count, of those whose reason `counts`.
    async fn guard<F: Fetch, T>(
        &self,
        fetch: &F,
        counts: impl Fn(&str) -> bool,
        work: impl Future<Output = Result<T, RpcError>>,
    ) -> Result<T, RpcError> {
        let Some(breaker) = &self.breaker else { return work.await };
        let admitted = lock(breaker).admit(fetch.now(), fetch.chance());
        let admitted = admitted.map_err(|ms| self.site.paused(ms))?;
        let done = work.await;
        let unanswered = ["upstream_unreachable", "upstream_timeout", "upstream_cut", "upstream_status"];
        let failure = done.as_ref().err();
        let reason = failure.and_then(RpcError::reason).filter(|reason| unanswered.contains(reason));
        let mut breaker = lock(breaker);
        match reason {
            Some(reason) if counts(reason) => breaker.failed(admitted, fetch.now(), fetch.chance()),
            Some(_) => {}
            None => breaker.answered(),
        }
        if let Some(seconds) = failure.and_then(RpcError::asked_again_after) {
            breaker.told(fetch.now() + seconds * 1_000);
        }
        done
    }

    async fn forward<F: Fetch>(
        &self,
        fetch: &F,
        link: &Lease<F>,
        call: &Call<'_>,
    ) -> Result<Answer, SendFailure> {
        let unannounced = call.method == Method::Complete.name() && !link.completes();
        if !unannounced {
            return self.post_call(fetch, link, call).await;
        }
        // Servers complete arguments that do not announce it, so each is asked once.
        let refused = || Answer::Error(RpcError::method(call.method, call.caller.protocol.era()));
        if link.refuses_completion() {
            return Ok(refused());
        }
        match self.post_call(fetch, link, call).await? {
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
    ) -> Result<Answer, SendFailure> {
        let mut headers = link.negotiated.headers(call.method, call.params);
        let passed = self.passed(call);
        headers.extend(passed.clone());
        let params = match link.negotiated.stateless() {
            Some(version) => {
                lock(&self.marks).write(&mut headers, call.params)?;
                Some(crate::mcp::upstream::meta::stateless_params(
                    version,
                    call,
                    &self.site.capabilities.parts,
                )?)
            }
            None => crate::mcp::upstream::meta::session_params(call)?,
        };
        let asked = AskableClient {
            capabilities: client_requests::askable(&call.caller.capabilities),
            reachable: call.asks,
        };
        // Before the call: a server sends its questions on the streams that are open.
        let standalone = match asked.can_be_asked() {
            true => Standalone::open(&self.site, fetch, link.link(), &passed).await,
            false => None,
        };
        let ask = self.request(link, call.method, headers, params, self.site.call_timeout_ms);
        // What the server is told of its questions comes from the same caller.
        let back = ask.back.map(|mut back| {
            back.extend(passed);
            back
        });
        match self.ask(fetch, link, OutgoingRequest { asked: Some(asked), back, ..ask }).await? {
            Ok(replies) => Ok(replies.hold(link.clone()).with_standalone(standalone).answer().await?),
            Err(error) => Ok(Answer::Error(error)),
        }
    }

    /// The headers of a caller that are sent on.
    fn passed(&self, call: &Call<'_>) -> HeaderMap {
        let names = self.site.passed.iter().filter(|name| !self.site.headers.contains_key(*name));
        let values =
            names.flat_map(|name| call.caller.headers.get_all(name).iter().map(move |value| (name, value)));
        let mut passed = HeaderMap::new();
        values.for_each(|(name, value)| _ = passed.append(name, value.clone()));
        passed
    }

    /// A request of the gateway's own.
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

    /// Sends one request. An error that the server answers with by the status is the inner one.
    async fn ask<F: Fetch>(
        &self,
        fetch: &F,
        link: &Connection,
        ask: OutgoingRequest<'_>,
    ) -> Result<Result<Replies<F>, RpcError>, SendFailure> {
        let taken = crate::mcp::upstream::request::open(&self.site, fetch, ask).await?;
        if let (Some(breaker), Accepted::Refused(HttpRejection { retry_after: Some(seconds), .. })) =
            (&self.breaker, &taken)
        {
            lock(breaker).told(fetch.now() + seconds * 1_000);
        }
        match taken {
            Accepted::Replies(replies) => Ok(Ok(*replies)),
            Accepted::Refused(refusal) if link.ended_by(&refusal) => Err(SendFailure::Stale(refusal.failure)),
            Accepted::Refused(refusal) if refusal.error.is_some() => Ok(Err(refusal.failure)),
            Accepted::Refused(refusal) => Err(refusal.failure.into()),
        }
    }

    /// Does `work`; if the server turns out to want it in another way, learns that and does it once more.
    async fn steady<F: Fetch, T>(
        &self,
        fetch: &F,
        lease: Lease<F>,
        work: impl AsyncFn(&Connection) -> Result<T, SendFailure>,
    ) -> Result<T, RpcError> {
        match work(&lease).await {
            Err(SendFailure::Stale(_)) => {}
            done => return done.map_err(SendFailure::into_failure),
        }
        // Another request may have learned it meanwhile.
        let lease = match self.known().filter(|known| !Arc::ptr_eq(known, lease.link())) {
            Some(link) => self.lease(fetch, link),
            None => self.connect(fetch).await?,
        };
        work(&lease).await.map_err(SendFailure::into_failure)
    }

    /// Whether the server is known to be of the stateless era, which asks in results.
    pub fn is_stateless(&self) -> bool {
        self.known().is_some_and(|link| link.negotiated.stateless().is_some())
    }

    fn known(&self) -> Option<Arc<Connection>> {
        lock(&self.link).clone()
    }

    /// Learns how the server wants to be asked; returns what was known before.
    fn remember(&self, link: &Arc<Connection>) -> Option<Arc<Connection>> {
        lock(&self.link).replace(Arc::clone(link))
    }

    fn next_id(&self) -> i64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }
}

/// Whether a call goes by a session at a server that answers stateless requests. A caller with a session keeps its
/// revision, because servers may ask their clients in that one alone. Tasks are polled by stateless requests, which know
/// no task of a session.
fn keeps_revision(call: &Call<'_>) -> bool {
    let of_task = call.task.is_some() || call.method.starts_with("tasks/");
    !of_task && !call.caller.protocol.is_stateless()
}
