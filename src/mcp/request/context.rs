use std::{borrow::Cow, cell::OnceCell, fmt, rc::Rc, sync::Arc};

use futures_util::{future::LocalBoxFuture, stream::LocalBoxStream};
use http::{Request, Response};
use serde_json::{Map, Value};

use crate::{
    catalog::Report,
    concern::Concerns,
    config::Config,
    digest::digest,
    error::Ignored,
    filter::Filter,
    json::{self, Object, Raw},
    mcp::{
        call::route::Route,
        gateway::{backend::Backend, introductions},
        host::{Freshness, Host, audit, request_log::RequestLog},
        http::{
            endpoint::Endpoint,
            headers,
            response::{self, Body, Cache, ResultShape},
        },
        protocol::{error::RpcError, message::Message, method::Method},
        request::{
            caller::Caller,
            disclosure::{self, Disclosure},
            discovery::{self, DiscoveredCell},
            server_info::server_info,
            toolset_headers,
            visibility::{self, look},
        },
        streams::session::Session,
    },
    policy::{DisclosureMode, View},
    revision::Era,
};

/// The place of one request's response among those of its batch.
pub(crate) trait ResponsePlace: fmt::Debug {
    /// Returns whether the client gets a stream.
    fn streams(&self) -> bool;

    /// Passes the messages of a request on as they come, and keeps the last for its turn.
    fn carry(
        self: Rc<Self>,
        messages: LocalBoxStream<'static, (Vec<u8>, bool)>,
    ) -> LocalBoxFuture<'static, ()>;
}

/// What a face hands in.
#[derive(Debug)]
pub(crate) struct Exchange<'a, H> {
    pub config: &'a Config,
    pub host: &'a H,
    /// Claims of a verified token.
    pub claims: Option<&'a Map<String, Value>>,
    pub request: &'a Request<Vec<u8>>,
    /// The place of the response, of a request in a batch.
    pub batch: Option<&'a Rc<dyn ResponsePlace>>,
    /// What the operator wants to be told of it.
    pub seen: Option<&'a RequestLog>,
    /// The discovery tool that the request calls, once that is known.
    pub discovered: &'a DiscoveredCell,
}

impl<'a, H> Exchange<'a, H> {
    /// The preset that the path names. A host that serves the endpoint elsewhere has none by path.
    pub fn preset(&self) -> Option<&'a str> {
        Endpoint::of(self.request.uri().path())?.preset
    }

    /// Whether the client takes a stream of events.
    pub fn streams(&self) -> bool {
        headers::accepts(self.request.headers(), "text/event-stream")
    }
}

/// Everything a method needs: who asks, what they may see, and how results look in their era.
pub(crate) struct Context<'a, H> {
    pub asked: &'a Exchange<'a, H>,
    pub message: &'a Message<'a>,
    pub id: Raw<'a>,
    pub caller: Caller<'a>,
    pub backend: Arc<Backend>,
    /// The caller's session and what the store calls it.
    pub session: Option<(String, Session)>,
    /// What the caller may see. The only place a method looks.
    pub view: View,
    /// The narrowing that the URL spells.
    pub url: Filter,
    /// The parts of the URL's query that have no effect.
    pub(super) ignored: Vec<Ignored>,
    server: Vec<u8>,
    /// The methods whose tags the client knows have changed, as a JSON array; empty for none.
    pub stale: Vec<u8>,
    /// Where the request goes, or why it goes nowhere.
    pub route: Result<Route, RpcError>,
    /// How tools are listed to the caller.
    pub disclosure: DisclosureMode,
    /// Whether the request has concerns that no cache looks for, once that is known.
    hidden_concerns: OnceCell<bool>,
}

impl<'a, H: Host> Context<'a, H> {
    /// Looks at the catalog through the caller's eyes.
    pub async fn new(
        asked: &'a Exchange<'a, H>,
        message: &'a Message<'a>,
        id: Raw<'a>,
        caller: Caller<'a>,
        session: Option<(String, Session)>,
    ) -> Result<Box<Self>, RpcError> {
        let Exchange { config, host, request, .. } = asked;
        let query = request.uri().query().unwrap_or_default();
        let need = message.known.map_or(Freshness::List, Method::freshness);
        let backend = host.backend(need).await?;
        let disclosure = discovery::setting(config, &caller, query)?;
        let (view, url, ignored) = look(config, &backend.guarded, &backend.declared, &caller, query)?;
        if let Some(seen) = asked.seen {
            seen.say("mcp.protocol.version", caller.protocol.date());
            session.iter().for_each(|(id, _)| seen.say("mcp.session.id", id.as_str()));
        }
        let (route, server, stale) = (Ok(Route::default()), Vec::new(), Vec::new());
        let mut context = Box::new(Self {
            asked,
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
        // What the caller asks for may have come since the catalog was listed; or it is hidden, which must not
        // take another time than what does not exist.
        if context.route.as_ref().map_or(true, |route| route.unlisted) {
            context.backend = host.backend(Freshness::Unknown).await?;
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

    /// Whether the answer can come in events. Those of a batch have one stream, if any.
    pub fn streams(&self) -> bool {
        self.asked.batch.map_or_else(|| self.asked.streams(), |batch| batch.streams())
    }

    /// The concerns that the caller may know of.
    pub fn concerns(&self) -> Cow<'_, Concerns> {
        self.backend.declared.concerns(self.asked.config, &self.view)
    }

    /// How results look for this caller.
    pub fn shape(&self) -> ResultShape<'_> {
        ResultShape { era: self.era(), server: &self.server, stale: &self.stale }
    }

    /// The gateway's `own` instructions, and those of servers that the caller may know of.
    pub fn instructions_after(&self, own: Option<String>) -> Option<String> {
        let knows = |server: &str| visibility::knows(&self.backend, &self.caller, &self.view, server);
        introductions::instructions(self.asked.config, own, &self.backend.introductions, &knows)
    }

    /// How long a result may be kept. Shared caches may have it only if it is the same for every caller.
    pub fn cache(&self, ttl_ms: u64) -> Cache {
        let aliased = toolset_headers::given(&self.caller.headers);
        // Where groups disclose, lists depend on the capabilities that each request declares.
        let disclosing = !self.asked.config.drafts.disclosed_groups.is_empty();
        let config = self.asked.config;
        let of_caller = self.backend.guarded.reads_caller() || disclosing || discovery::reads_caller(config);
        let private = of_caller || self.has_hidden_concerns() || aliased;
        Cache { ttl_ms: if aliased { 0 } else { ttl_ms }, private }
    }

    /// Whether every caller that sends this request gets the same answer, as long as this catalog is served.
    pub fn is_same_for_all(&self) -> bool {
        let Exchange { config, claims, batch, seen, .. } = *self.asked;
        let of_request = claims.is_some() || batch.is_some() || seen.is_some() || !config.checks.is_empty();
        self.is_stateless() && !of_request && !self.cache(0).private
    }

    /// Whether the request brings concerns that no cache looks for, or is given a handle of its caller's own.
    pub(super) fn has_hidden_concerns(&self) -> bool {
        *self.hidden_concerns.get_or_init(|| has_hidden_concerns(self.message))
    }

    /// Returns the response whose result has the members that `body` writes, and that no cache keeps.
    pub fn reply(&self, body: impl FnOnce(&mut Object<'_>)) -> Result<Response<Body>, RpcError> {
        let mut out = response::open(self.id);
        self.shape().write(&mut out, Some(self.cache(0)), None, body);
        response::close(&mut out);
        Ok(response::json(out))
    }

    /// Records in the operator's log that the request was refused.
    pub fn refused(&self, failure: &RpcError) {
        let Exchange { config, host, claims, .. } = *self.asked;
        audit::refused(config, host, claims, (self.message, None), failure);
    }

    /// Who a cursor is for.
    pub fn principal(&self) -> u128 {
        digest(self.caller.principal().unwrap_or_default().as_bytes())
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
