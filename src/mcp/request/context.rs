use std::{rc::Rc, sync::Arc};

use http::Request;
use serde_json::{Map, Value};

use crate::{
    catalog::Report,
    config::Config,
    digest::digest,
    error::Ignored,
    filter::{Filter, Narrowing, ParsedFilter, SettledFilter},
    json::Raw,
    mcp::{
        call::route::Route,
        gateway::backend::Backend,
        host::{Freshness, Host, request_log::RequestLog},
        http::{
            batch::BatchPlace,
            endpoint::Endpoint,
            headers,
            response::{Cache, ResultShape},
        },
        protocol::{error::RpcError, message::Message, method::Method},
        request::{caller::Caller, concerns, resource::Resolver, toolset_headers},
        streams::session::Session,
    },
    policy::{Guarded, View},
    revision::Era,
};

/// What a face hands in.
#[derive(Debug)]
pub(crate) struct Exchange<'a, H> {
    pub config: &'a Config,
    pub host: &'a H,
    /// Claims of a verified token.
    pub claims: Option<&'a Map<String, Value>>,
    pub request: &'a Request<Vec<u8>>,
    /// The place of the response, of a request in a batch.
    pub batch: Option<&'a Rc<BatchPlace>>,
    /// What the operator wants to be told of it.
    pub seen: Option<&'a RequestLog>,
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
    ignored: Vec<Ignored>,
    server: Vec<u8>,
    /// Where the request goes, or why it goes nowhere.
    pub route: Result<Route, RpcError>,
}

impl<'a, H: Host> Context<'a, H> {
    /// Looks at the catalog through the caller's eyes.
    pub async fn new(
        asked: &'a Exchange<'a, H>,
        message: &'a Message<'a>,
        id: Raw<'a>,
        caller: Caller<'a>,
        session: Option<(String, Session)>,
    ) -> Result<Self, RpcError> {
        let Exchange { config, host, request, .. } = asked;
        let query = request.uri().query().unwrap_or_default();
        let need = message.known.map_or(Freshness::List, Method::freshness);
        let backend = host.backend(need).await?;
        let (view, url, ignored) = look(config, &backend.guarded, &caller, query)?;
        let server = serde_json::to_vec(&config.server).unwrap_or_default();
        if let Some(seen) = asked.seen {
            seen.say("mcp.protocol.version", caller.protocol.date());
            session.iter().for_each(|(id, _)| seen.say("mcp.session.id", id.as_str()));
        }
        let route = Ok(Route::default());
        let mut context =
            Self { asked, message, id, caller, backend, session, view, url, ignored, server, route };
        context.route = Route::find(&context);
        // What the caller asks for may have come since the catalog was listed; or it is hidden, which must not
        // take another time than what does not exist.
        if context.route.as_ref().map_or(true, |route| route.unlisted) {
            context.backend = host.backend(Freshness::List).await?;
            (context.view, context.url, _) = look(config, &context.backend.guarded, &context.caller, query)?;
            context.route = Route::find(&context);
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

    /// How results look for this caller.
    pub fn shape(&self) -> ResultShape<'_> {
        ResultShape { era: self.era(), server: &self.server }
    }

    /// How long a result may be kept. Shared caches may have it only if it is the same for every caller.
    pub fn cache(&self, ttl_ms: u64) -> Cache {
        let aliased = toolset_headers::given(&self.caller.headers);
        let private = self.backend.guarded.reads_caller() || concerns::are_hidden(self.message) || aliased;
        Cache { ttl_ms: if aliased { 0 } else { ttl_ms }, private }
    }

    /// The narrowing of this request, and the filter it applies beside the URL's.
    pub fn narrow(&self) -> Result<(Filter, Narrowing), RpcError> {
        let config = self.asked.config;
        let ParsedFilter { mut filter, mut ignored } = match self.message.param("filter") {
            Some(raw) => Filter::read(raw)?,
            None => ParsedFilter::default(),
        };
        ignored.extend_from_slice(&self.ignored);
        concerns::complete(self, &mut filter)?;
        let SettledFilter { filter, mut narrowing } =
            filter.settle(&self.view, &config.concerns, config.on_invalid_concern, ignored)?;
        add_url(config, &self.view, &self.url, &mut narrowing);
        Ok((filter, narrowing))
    }

    /// Where resources are looked for.
    pub fn resources(&self) -> Resolver<'_> {
        Resolver {
            config: self.asked.config,
            backend: &self.backend,
            view: &self.view,
            caller: &self.caller,
            query: self.asked.request.uri().query().unwrap_or_default(),
        }
    }

    /// Who a cursor is for.
    pub fn principal(&self) -> u128 {
        digest(self.caller.principal().unwrap_or_default().as_bytes())
    }
}

/// Returns what a caller may see at a URL, the filter of its query and of the headers that filter, and the fields of
/// the query that are unknown.
///
/// # Errors
/// A query or header that cannot be read.
pub(crate) fn look(
    config: &Config,
    guarded: &Guarded,
    caller: &Caller<'_>,
    query: &str,
) -> Result<(View, Filter, Vec<Ignored>), RpcError> {
    let view = guarded.view(caller);
    let ParsedFilter { filter: mut url, ignored } = Filter::from_query(query)?;
    toolset_headers::narrow(&mut url, &caller.headers)?;
    let SettledFilter { filter: url, narrowing } =
        url.settle(&view, &config.concerns, config.on_invalid_concern, ignored)?;
    let ignored = dropped(&narrowing);
    let view = if config.enforce && !url.is_empty() { view.within(&narrowing) } else { view };
    Ok((view, url, ignored))
}

/// Narrows further by the filter of a URL, as [`look`] returned it beside the view.
pub(crate) fn add_url(config: &Config, view: &View, url: &Filter, narrowing: &mut Narrowing) {
    if config.enforce {
        // The view is what the URL's words found. Asked again of so few, each would weigh something else.
        narrowing.add(view, &Filter { query: None, ..url.clone() });
    } else {
        narrowing.add(view, url);
    }
}

/// The fields and concerns of a URL that have no effect. A name of a group or tag that is unknown has one: it matches
/// nothing.
fn dropped(narrowing: &Narrowing) -> Vec<Ignored> {
    let dropped = |part: &&Ignored| part.field.starts_with('?') || part.field.starts_with("concerns.");
    narrowing.ignored().iter().filter(dropped).cloned().collect()
}
