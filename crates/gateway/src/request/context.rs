//! The context of a request: its HTTP exchange, the caller, and the caller's view of the catalog.

use std::{borrow::Cow, cell::OnceCell, fmt, rc::Rc, sync::Arc};

use futures_util::{
    future::{AbortHandle, LocalBoxFuture},
    stream::LocalBoxStream,
};
use http::{Request, Response};
use mcp_sieve::{
    Digest, Filter, Ignored,
    catalog::Report,
    concern::Concerns,
    json::{self, Object, Raw},
    policy::{DisclosureMode, View},
    revision::{Era, Revision},
};
use serde_json::{Map, Value};

use crate::{
    backend::{features::Features, guarded_catalog::Backend, introductions},
    caller::identity::Caller,
    config::Config,
    host::{Freshness, Host, audit, request_log::RequestLog},
    protocol::{
        endpoint::Endpoint,
        error::RpcError,
        headers,
        message::Message,
        method::Method,
        response::{self, Body, Cache, ResultShape},
    },
    request::{
        admission,
        disclosure::{self, Disclosure},
        discovery::{self, DiscoveredCell},
        route::Route,
        server_info::server_info,
        toolset_headers,
        visibility::{self, look},
    },
    session::state::Session,
};

/// The place of a request's response among the responses of its batch.
pub(crate) trait ResponsePlace: fmt::Debug {
    /// Returns whether the client receives the batch as an event stream.
    fn streams(&self) -> bool;

    /// Forwards the messages of a request as they arrive, and holds the last one, its response, until its turn.
    /// `request` is the handle that is aborted when the request is cancelled.
    fn carry(
        self: Rc<Self>,
        messages: LocalBoxStream<'static, (Vec<u8>, bool)>,
        request: AbortHandle,
    ) -> LocalBoxFuture<'static, ()>;
}

/// One HTTP request and everything needed to answer it.
#[derive(Debug)]
pub(crate) struct Exchange<'a, H> {
    pub config: &'a Config,
    pub host: &'a H,
    /// The claims of a verified token.
    pub claims: Option<&'a Map<String, Value>>,
    pub request: &'a Request<Vec<u8>>,
    /// The place of the response, if the request is part of a batch.
    pub batch: Option<&'a Rc<dyn ResponsePlace>>,
    /// The log line of the request, if the operator logs requests.
    pub log: Option<&'a RequestLog>,
    /// The discovery tool that the request calls, once it is known.
    pub discovered: &'a DiscoveredCell,
}

impl<'a, H> Exchange<'a, H> {
    /// Returns the preset that the path names; `None` for a path outside [`Endpoint`], as a host may serve.
    pub fn preset(&self) -> Option<&'a str> {
        Endpoint::from_path(self.request.uri().path())?.preset
    }

    /// Returns whether the client prefers an event stream to JSON.
    pub fn prefers_events(&self) -> bool {
        headers::prefers(self.request.headers(), "text/event-stream", "application/json")
    }

    /// Returns whether the client accepts an event stream.
    pub fn streams(&self) -> bool {
        headers::accepts(self.request.headers(), "text/event-stream")
    }
}

/// Everything that a method needs: the caller, its view of the catalog, and the form of results in its era.
pub(crate) struct Context<'a, H> {
    pub exchange: &'a Exchange<'a, H>,
    pub message: &'a Message<'a>,
    pub id: Raw<'a>,
    pub caller: Caller<'a>,
    pub backend: Arc<Backend>,
    /// The caller's session, preceded by its id in the store.
    pub session: Option<(String, Session)>,
    /// The primitives that the caller may see. Methods must not look anywhere else.
    pub view: View,
    /// The filter that the URL and the filtering headers spell.
    pub url: Filter,
    /// The parts of the URL's query that have no effect.
    pub(super) ignored: Vec<Ignored>,
    server: Vec<u8>,
    /// The methods whose tags the client knows have changed, as a JSON array; empty for none.
    pub stale: Vec<u8>,
    /// The route of the request, or the error if there is none.
    pub route: Result<Route, RpcError>,
    /// The way in which tools are listed to the caller.
    pub disclosure: DisclosureMode,
    /// Whether the request has concerns that are not part of cache keys, once that is known.
    hidden_concerns: OnceCell<bool>,
}

impl<'a, H: Host> Context<'a, H> {
    /// Computes the caller's view of the catalog and the route of the request.
    pub async fn new(
        exchange: &'a Exchange<'a, H>,
        message: &'a Message<'a>,
        id: Raw<'a>,
        caller: Caller<'a>,
        session: Option<(String, Session)>,
    ) -> Result<Box<Self>, RpcError> {
        let Exchange { config, host, request, .. } = exchange;
        let query = request.uri().query().unwrap_or_default();
        let need = message.known.map_or(Freshness::List, Method::freshness);
        let streams = session.as_ref().and_then(|(id, _)| host.live(id));
        let backend = host.caller_backend(need, &caller, streams.as_ref()).await?;
        let disclosure = discovery::setting(config, &caller, query)?;
        let (view, url, ignored) = look(config, &backend.guarded, &backend.declared, &caller, query)?;
        if let Some(log) = exchange.log {
            log.set("mcp.protocol.version", caller.protocol.date());
            session.iter().for_each(|(id, _)| log.set("mcp.session.id", id.as_str()));
        }
        let (route, server, stale) = (Ok(Route::default()), Vec::new(), Vec::new());
        let mut context = Box::new(Self {
            exchange,
            message,
            id,
            caller,
            backend,
            session,
            view,
            url,
            ignored,
            server,
            stale,
            route,
            disclosure,
            hidden_concerns: OnceCell::new(),
        });
        context.route = Route::find(&context);
        // The requested primitive may be newer than the catalog, so the catalog is refreshed. A hidden primitive takes
        // the same path, so that its response time does not reveal it.
        if context.route.as_ref().map_or(true, |route| route.unlisted) {
            context.backend =
                host.caller_backend(Freshness::Unknown, &context.caller, streams.as_ref()).await?;
            let Backend { guarded, declared, .. } = &*context.backend;
            (context.view, context.url, _) = look(config, guarded, declared, &context.caller, query)?;
            context.route = Route::find(&context);
        }
        context.server = server_info(config, &context.backend, &context.caller, &context.view);
        if disclosure::narrows(message.known) && disclosure::is_on(config, &context.caller) {
            let Backend { guarded, declared, .. } = &*context.backend;
            let disclosure = Disclosure::new(config, (guarded, declared), &context.caller, query)?;
            context.view = disclosure.top_level(guarded, &context.view);
        }
        for Report { kind, name, problem, .. } in context.backend.guarded.reports() {
            host.note(&format!("{kind} `{name}`: {problem}"));
        }
        Ok(context)
    }

    /// Returns whether the caller speaks the stateless revision.
    pub fn is_stateless(&self) -> bool {
        self.caller.protocol.is_stateless()
    }

    /// Returns the era of the caller's revision.
    pub fn era(&self) -> Era {
        self.caller.protocol.era()
    }

    /// Returns whether the response can be an event stream. The requests of a batch share one stream.
    pub fn streams(&self) -> bool {
        self.exchange.batch.map_or_else(|| self.exchange.streams(), |batch| batch.streams())
    }

    /// Returns the declared concerns that the caller may know of.
    pub fn concerns(&self) -> Cow<'_, Concerns> {
        self.backend.declared.concerns(self.exchange.config, &self.view)
    }

    /// Returns the shape of results for this caller.
    pub fn shape(&self) -> ResultShape<'_> {
        let is_first = self.caller.protocol == Revision::V2024_11_05;
        let first_revision = self.message.known.filter(|_| is_first);
        ResultShape { era: self.era(), server: &self.server, stale: &self.stale, first_revision }
    }

    /// Returns whether a server that the caller may know of offers `feature`.
    pub fn offers(&self, feature: impl Fn(&Features) -> bool) -> bool {
        let offering = self.backend.features.iter().filter(|(_, features)| feature(features));
        let mut servers = offering.map(|(server, _)| server);
        servers.any(|server| visibility::knows(&self.backend, &self.caller, &self.view, server))
    }

    /// Returns the instructions of the gateway (`own`) followed by those of the servers that the caller may know of.
    pub fn instructions_after(&self, own: Option<String>) -> Option<String> {
        let knows = |server: &str| visibility::knows(&self.backend, &self.caller, &self.view, server);
        introductions::instructions(self.exchange.config, own, &self.backend.introductions, &knows)
    }

    /// Returns the cache settings of a result. Shared caches may store it only if every caller gets it, and gets the
    /// same, and if no server whose primitives the caller may see forbids it.
    pub fn cache(&self, ttl_ms: u64) -> Cache {
        let aliased = toolset_headers::are_present(&self.caller.headers);
        let Exchange { config, host, claims, .. } = *self.exchange;
        let private = self.depends_on_caller()
            || admission::is_gated(config, host, claims.is_some())
            || self.offers(|features| features.private);
        Cache { ttl_ms: if aliased { 0 } else { ttl_ms }, private }
    }

    /// Returns whether the same request of another caller may get another result.
    fn depends_on_caller(&self) -> bool {
        let config = self.exchange.config;
        // With disclosed groups, lists depend on the capabilities that each request declares.
        let disclosing = !config.drafts.disclosed_groups.is_empty();
        let of_caller = self.backend.depends_on_caller() || disclosing || discovery::reads_caller(config);
        of_caller || self.has_hidden_concerns() || toolset_headers::are_present(&self.caller.headers)
    }

    /// Returns whether this request gets the same response from every caller while the catalog does not change.
    pub fn is_same_for_all(&self) -> bool {
        let Exchange { config, claims, batch, log, .. } = *self.exchange;
        let of_request =
            claims.is_some() || batch.is_some() || log.is_some() || !config.engine.checks.is_empty();
        self.is_stateless() && !of_request && !self.depends_on_caller()
    }

    /// Returns whether the request has concerns that are not part of cache keys, or names a handle of its caller.
    pub(super) fn has_hidden_concerns(&self) -> bool {
        *self.hidden_concerns.get_or_init(|| has_hidden_concerns(self.message))
    }

    /// Returns a response that no cache stores, whose result has the members that `body` writes.
    pub fn reply(&self, body: impl FnOnce(&mut Object<'_>)) -> Result<Response<Body>, RpcError> {
        let mut out = response::open(self.id);
        self.shape().write(&mut out, Some(self.cache(0)), None, body);
        response::close(&mut out);
        Ok(response::json(out))
    }

    /// Records the rejected request in the operator's audit log.
    pub fn refused(&self, failure: &RpcError) {
        let Exchange { config, host, claims, .. } = *self.exchange;
        audit::refused(config, host, claims, (self.message, None), failure);
    }

    /// Returns a hash of the caller's principal, to which cursors are bound.
    pub fn principal(&self) -> u128 {
        Digest::of(self.caller.principal().unwrap_or_default().as_bytes())
    }
}

fn has_hidden_concerns(message: &Message<'_>) -> bool {
    if message.param("concerns").is_some() {
        return true;
    }
    let reference = || message.param("filter").and_then(json::Members::read)?.get("concernsRef");
    concerns_of_meta(message).is_some() || reference().is_some()
}

/// Returns the concerns that `_meta` configures for this request.
pub(super) fn concerns_of_meta<'a>(message: &Message<'a>) -> Option<Raw<'a>> {
    message.meta.get("dev.mcpsieve/concerns").or_else(|| message.meta.get("concerns"))
}
