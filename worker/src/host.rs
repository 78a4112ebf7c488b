//! Implements the host traits for one request at the edge.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, LocalBoxFuture},
    stream::LocalBoxStream,
};
use http::HeaderValue;
use mcp_sieve::{
    catalog::{Lists, Source},
    discovery::Candidate,
    seal::Key,
};
use mcp_sieve_gateway::{
    audit::{AllowedCall, Operation},
    error::RpcError,
    host::{
        Answer, Backends, Call, Caller, Clock, Freshness, Host, MiddlewareRuntime, Observer, RankerState,
        Secrets, Sessions,
    },
    server::requested_origin,
    session::{Session, SessionStreams, SuspendedCalls},
    streams::{Change, SubscriptionFilter},
    tasks::TaskStore,
    upstream::{Backend, Features, Fetch as _, Gateway, Served},
};
use serde_json::{Map, Value};
use worker::{Context, Delay, Env, Method};

use crate::{
    clock, console,
    deployment::{Deployment, local_server},
    fetch::EdgeFetch,
    middleware,
    objects::{
        ask, audit,
        listeners::{self, ListenerHub, News},
        lost,
        session::SESSION_PATH,
        session_home::{Home, note_unreadable},
        session_id, session_object,
        tasks::EdgeTasks,
    },
    plan::Plan,
    ranker, signing_key,
};

/// The host of one request at the edge: the deployment, the bindings, and the Durable Object that it runs in.
#[derive(Debug, Clone)]
pub(crate) struct EdgeHost {
    pub deployment: Rc<Deployment>,
    pub env: Env,
    /// The context of the request, if it is handled outside Durable Objects.
    pub context: Option<Rc<Context>>,
    /// The session, if this is its Durable Object.
    pub home: Option<Rc<Home>>,
    /// The suspended calls, if this is a Durable Object for them.
    pub suspended_calls: Option<Rc<SuspendedCalls>>,
    /// The listeners, if this is their Durable Object.
    pub hub: Option<Rc<ListenerHub>>,
    /// The catalog that the request was answered from, if every caller gets the answer.
    pub keepable: RefCell<Option<Arc<Backend>>>,
    /// The plan that the entry carries out, if the request can have one.
    pub plan: Option<Rc<Plan>>,
    /// The origin of the requested URL, if callers sign in to a server.
    pub origin: OnceCell<Rc<str>>,
}

impl Clock for EdgeHost {
    fn now(&self) -> u64 {
        clock::now()
    }

    async fn sleep(&self, ms: u64) {
        let ms = match &self.plan {
            Some(plan) => plan.left_ms(ms).await,
            None => ms,
        };
        Delay::from(Duration::from_millis(ms)).await;
    }

    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        worker::wasm_bindgen_futures::spawn_local(work);
    }
}

impl Secrets for EdgeHost {
    fn random(&self) -> Result<[u8; 16], RpcError> {
        signing_key::random().map_err(|error| lost("random bytes", &error))
    }

    fn key(&self) -> &Key {
        &self.deployment.key
    }
}

impl Backends for EdgeHost {
    async fn backend(&self, need: Freshness) -> Result<Arc<Backend>, RpcError> {
        if let Some(gateway) = &self.deployment.gateway {
            return match self.deployment.has_catalog_object {
                true => self.shared_backend(gateway, need).boxed_local().await,
                false => self.listed_backend(gateway, need).boxed_local().await,
            };
        }
        if let Some(backend) = self.deployment.kept(self.now()) {
            return Ok(backend);
        }
        let own = local_server(&self.env)?;
        let backend = Arc::new(self.compile(&own.lists())?);
        self.deployment.keep(&backend, self.now().saturating_add(own.ttl_ms()));
        Ok(backend)
    }

    async fn caller_backend(
        &self,
        need: Freshness,
        caller: &Caller<'_>,
        streams: Option<&Rc<SessionStreams>>,
    ) -> Result<Arc<Backend>, RpcError> {
        let shared = self.backend(need).await?;
        let Some(gateway) = &self.deployment.gateway else { return Ok(shared) };
        let config = &self.deployment.config;
        let (gateway, net, backend) = match gateway.identity(caller, config.auth.as_ref()) {
            None => (Arc::clone(gateway), self.net(), shared),
            Some(identity) => {
                let (net, after) = (self.net(), || future::ready(()).boxed_local());
                let own = gateway.caller_backend(&net, config, need, &identity, shared, after);
                let (own, backend) = own.await?;
                (own, net.acting_for(&identity), backend)
            }
        };
        let Some(streams) = streams else { return Ok(backend) };
        Ok(gateway.session_backend(&net, config, need, (caller, streams), backend).await)
    }

    async fn session_changes(&self, caller: &Caller<'static>, streams: &Rc<SessionStreams>) -> Vec<Change> {
        let Some((gateway, net)) = self.gateway_of(caller) else { return Vec::new() };
        let calling = caller.calling("tools/list");
        let Ok(backend) = self.caller_backend(Freshness::Route, &calling, None).await else {
            return Vec::new();
        };
        gateway.session_changes(&net, &self.deployment.config, (caller, streams), backend).await
    }

    async fn forward(&self, call: &Call<'_>) -> Result<Answer, RpcError> {
        match self.gateway_of(call.caller) {
            Some((gateway, net)) => gateway.forward(&net, call).await,
            None => {
                let rest = |ms| Delay::from(Duration::from_millis(ms)).boxed_local();
                let own = local_server(&self.env)?;
                Ok(mcp_sieve_gateway::local::answer(own, self.key(), self.now(), rest, call))
            }
        }
    }

    fn end_sessions(&self, session: &HeaderValue) {
        if let Some(gateway) = &self.deployment.gateway {
            gateway.end_sessions(&self.net(), session);
        }
    }

    fn roots_changed(&self, session: &HeaderValue, can_be_asked: bool) {
        if let Some(gateway) = &self.deployment.gateway {
            gateway.roots_changed(&self.net(), session, can_be_asked);
        }
    }

    async fn subscribe(
        &self,
        caller: &Caller<'_>,
        streams: &Rc<SessionStreams>,
        uri: &str,
        is_wanted: bool,
    ) -> Result<bool, RpcError> {
        match self.gateway_of(caller) {
            Some((gateway, net)) => gateway.subscribe(&net, caller, streams, uri, is_wanted).await,
            None => Ok(false),
        }
    }

    async fn changes(
        &self,
        caller: &Caller<'static>,
        wanted: &SubscriptionFilter,
    ) -> Result<LocalBoxStream<'static, Change>, RpcError> {
        let deployment = Rc::clone(&self.deployment);
        let auth = deployment.config.auth.as_ref();
        let holder = deployment.gateway.as_ref().and_then(|gateway| gateway.identity(caller, auth));
        let changes = listeners::listen(&self.env, caller, wanted).await?.map(move |(change, catalog)| {
            // The client that gets the notification lists again, and does so in this isolate.
            if let (Some(gateway), Some(identity)) = (&deployment.gateway, &holder)
                && !matches!(change, Change::Resource(_))
            {
                gateway.expire_caller(&identity.holder, None);
            }
            match (&change, catalog) {
                (Change::Resource(_), _) => {}
                (_, Some(catalog)) => deployment.expire_unless(catalog),
                (_, None) => deployment.expire(),
            }
            change
        });
        Ok(changes.boxed_local())
    }
}

impl Sessions for EdgeHost {
    fn suspended_calls(&self) -> Option<Rc<SuspendedCalls>> {
        self.suspended_calls.clone()
    }

    fn live(&self, _: &str) -> Option<Rc<SessionStreams>> {
        // A request reaches this object by the name of its session.
        self.home.as_ref().map(|home| Rc::clone(&home.live))
    }

    fn session_number(&self, random: [u8; 16]) -> [u8; 16] {
        session_id::next_number(random)
    }

    async fn load_session(&self, id: &str) -> Result<Option<Session>, RpcError> {
        if let Some(home) = &self.home {
            let session = home.load().await.map_err(|error| lost("the session", &error))?;
            return Ok(session.and_then(|text| read_session(&text)));
        }
        let text = self.ask_session(id, Method::Get, None).await?;
        Ok(text.and_then(|text| read_session(&String::from_utf8_lossy(&text))))
    }

    async fn save_session(&self, id: &str, kept: &Session) -> Result<(), RpcError> {
        let text = serde_json::to_string(kept)
            .map_err(|error| RpcError::internal("storage", format!("the session: {error}")))?;
        if let Some(home) = &self.home {
            return home.save(text).await.map_err(|error| lost("the session", &error));
        }
        let saved = self.ask_session(id, Method::Put, Some(text)).await;
        // The object may be broken; the next session begins elsewhere.
        saved.inspect_err(|_| session_id::leave_object()).map(drop)
    }

    async fn end_session(&self, id: &str) -> Result<bool, RpcError> {
        if let Some(home) = &self.home {
            return home.end().await.map_err(|error| lost("the session", &error));
        }
        Ok(self.ask_session(id, Method::Delete, None).await?.is_some())
    }
}

impl Observer for EdgeHost {
    fn log(&self, attributes: Map<String, Value>) {
        console::log(attributes);
    }

    fn record(&self, operation: Operation) {
        if let Some(work) = audit::record(&self.env, operation) {
            self.net().spawn(work);
        }
    }

    fn record_call(&self, call: AllowedCall) {
        if let Some(work) = audit::record_call(&self.env, call) {
            self.net().spawn(work);
        }
    }

    fn note(&self, note: &str) {
        console::warn(note);
    }
}

impl Host for EdgeHost {
    fn tasks(&self) -> Option<Rc<dyn TaskStore>> {
        let (env, polls) = (self.env.clone(), Rc::clone(&self.deployment.polls));
        Some(Rc::new(EdgeTasks { env, polls }))
    }

    fn takes_tokens(&self) -> bool {
        self.deployment.takes_tokens()
    }

    fn may_keep(&self, backend: &Arc<Backend>) {
        self.keepable.replace(Some(Arc::clone(backend)));
    }

    fn ranker(&self) -> Option<&RankerState> {
        ranker::is_bound(&self.env).then_some(&self.deployment.ranker)
    }

    async fn rank(&self, query: &str, tools: &[Candidate<'_>]) -> Result<Vec<f32>, String> {
        ranker::scores(&self.env, query, tools).await
    }

    fn middleware_runtime(&self) -> Option<MiddlewareRuntime> {
        self.deployment.config.middleware.as_ref()?;
        Some(middleware::middleware_runtime(&self.deployment, &self.env, self.context.clone()))
    }
}

impl EdgeHost {
    /// Returns the gateway that serves a caller, and the network in the name of this caller; `None` without upstream
    /// servers.
    fn gateway_of(&self, caller: &Caller<'_>) -> Option<(Arc<Gateway>, EdgeFetch)> {
        let gateway = self.deployment.gateway.as_ref()?;
        Some(match gateway.identity(caller, self.deployment.config.auth.as_ref()) {
            None => (Arc::clone(gateway), self.net()),
            Some(identity) => (gateway.of_caller(&identity), self.net().acting_for(&identity)),
        })
    }

    pub fn net(&self) -> EdgeFetch {
        let listeners = Some(self.env.clone());
        let plan = self.plan.clone();
        let connections = self.deployment.connections(&self.env);
        let (place, origin) = (self.place(), self.origin.get().cloned());
        EdgeFetch { listeners, place, plan, connections, origin, ..EdgeFetch::new(self.context.clone()) }
    }

    /// Returns the address of what the requests of one Durable Object share.
    fn place(&self) -> Option<usize> {
        let sessions = self.home.as_ref().map(|home| home.place());
        sessions.or_else(|| Some(Rc::as_ptr(self.suspended_calls.as_ref()?).addr()))
    }

    /// Returns the host of a request that is handled where it arrived.
    pub fn new(deployment: Rc<Deployment>, env: &Env) -> Self {
        let (context, home, suspended_calls, hub, keepable, plan, origin) = Default::default();
        Self { deployment, env: env.clone(), context, home, suspended_calls, hub, keepable, plan, origin }
    }

    /// Notes the URL that a caller requested: the one at which it signs in to a server has the same origin.
    pub fn note_origin(&self, head: &http::Request<()>) {
        if !self.deployment.sign_in_servers.is_empty()
            && let Some(origin) = requested_origin(head)
        {
            _ = self.origin.set(origin.into());
        }
    }

    /// Sends a request about a session to its object, from outside the object.
    async fn ask_session(
        &self,
        id: &str,
        method: Method,
        body: Option<String>,
    ) -> Result<Option<Vec<u8>>, RpcError> {
        let Some((object, place)) = session_id::parse(id) else { return Ok(None) };
        let path = format!("{SESSION_PATH}{place}");
        let reply = async { ask(&session_object(&self.env, object)?, method, &path, body).await };
        reply.await.map_err(|error| lost("the session", &error))
    }

    /// Returns the catalog of the upstream servers, which this isolate lists itself.
    ///
    /// # Errors
    /// As [`Gateway::serve`].
    pub(crate) async fn listed_backend(
        &self,
        gateway: &Gateway,
        need: Freshness,
    ) -> Result<Arc<Backend>, RpcError> {
        let after = || {
            let host = self.clone();
            async move { host.settle().await }.boxed_local()
        };
        let served = gateway.serve(&self.net(), &self.deployment.config, need, after).await?;
        Ok(self.report(served).await)
    }

    /// Serves lists that arrived in the background.
    async fn settle(&self) {
        let Some(gateway) = &self.deployment.gateway else { return };
        let served = gateway.settle(&self.net(), &self.deployment.config).await;
        // A failure is returned to the requests that need the lists.
        if let Some(Ok(served)) = served {
            self.report(served).await;
        }
    }

    /// Logs the problems of a served catalog, and notifies listeners if it is new.
    async fn report(&self, served: Served) -> Arc<Backend> {
        served.notes.iter().for_each(|note| console::warn(note));
        if served.replaced {
            self.replaced(&served.backend, served.backend.hash()).await;
        }
        served.backend
    }

    /// Notifies listeners that the catalog was replaced.
    async fn replaced(&self, backend: &Backend, hash: u128) {
        match &self.hub {
            Some(hub) => {
                hub.replaced(hash);
                hub.listeners.refreshed(self, &self.deployment.config, backend).await;
            }
            None => {
                if let Err(error) = listeners::send_news(&self.env, &News::new(&[], Some(hash))).await {
                    console::warn(&format!("changes: {error}"));
                }
            }
        }
    }

    /// Compiles the lists of the Worker's own server.
    fn compile(&self, listed: &str) -> Result<Backend, RpcError> {
        let config = &self.deployment.config;
        let lists = Lists::read(listed).map_err(|error| {
            RpcError::internal("upstream_catalog", format!("the lists of the Worker's own server: {error}"))
        })?;
        let source = Source { server: &config.upstream.name, lists };
        let backend = Backend::compile(vec![source], config, Features::of_host());
        for report in &backend.reports {
            console::warn(&format!("catalog: {} `{}`: {}", report.kind, report.name, report.problem));
        }
        Ok(backend)
    }
}

/// Reads a stored session. One that cannot be read counts as ended.
fn read_session(text: &str) -> Option<Session> {
    serde_json::from_str(text).inspect_err(note_unreadable).ok()
}
