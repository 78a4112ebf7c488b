//! The upstream server of a request, and that server's name or URI for the requested primitive. Both come from the
//! index of the catalog, within the caller's view.

use std::rc::Rc;

use http::StatusCode;
use mcp_sieve::{
    Kind,
    catalog::{Catalog, ResourceUri},
    json::{self, Members, Object},
    policy::View,
    revision::Era,
};

use crate::object::OwnedObject;
use serde_json::json;

use crate::{
    config::Upstream,
    host::Host,
    protocol::{
        error::RpcError,
        message::Message,
        method::{Method, Subject},
        params, passed,
    },
    request::{
        bound_arguments::BoundArguments,
        context::Context,
        discovery, header_param_check,
        resource::{self, Resolver, ResourceMatch},
        step_up::HiddenRequest,
        visibility,
    },
};

/// Rejects a request for a primitive that requires capabilities which the client does not declare. Such a primitive may
/// be revealed, because it is not hidden by a policy and the client may declare the capabilities.
///
/// # Errors
/// The required capabilities.
fn check_declared<H: Host>(context: &Context<'_, H>, kind: Kind, id: &str) -> Result<(), RpcError> {
    let exchange = context.exchange;
    let query = exchange.request.uri().query().unwrap_or_default();
    let seen = (&*context.backend.guarded, &*context.backend.declared, &context.view);
    let required = visibility::undeclared(exchange.config, seen, &context.caller, query, (kind, id));
    let Some(required) = required else { return Ok(()) };
    let failure = RpcError::capability(serde_json::from_str(&required).unwrap_or_default());
    Err(match context.era() {
        Era::Stateless => failure,
        Era::Session => RpcError { status: StatusCode::OK, ..failure },
    })
}

/// The message for a request to a primitive that is listed by its name alone.
const AWAITS_REVIEW: &str = "the operator has not accepted this definition yet: it awaits review";

/// The route of a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Route {
    /// The names of the servers to call: the one that lists the primitive, or for an unlisted resource those that may
    /// have it, in order.
    pub servers: Vec<String>,
    /// Whether no list that the caller can see mentions the resource.
    pub unlisted: bool,
    /// Whether the resource is hidden, so that nothing of the server's response is returned.
    pub hidden: bool,
    /// Whether the caller cannot know if the resource is hidden. Notifications before the response could reveal it, so
    /// they are dropped, and the server cannot ask the caller anything.
    pub masked: bool,
    /// Whether all errors have the same message, because the server's could reveal that the resource is hidden.
    pub uniform: bool,
    /// Whether the request is about a file of a skill. It is passed unchanged, because hosts check its digest.
    pub of_skill: bool,
    /// Whether the request is about a directory above skills.
    pub above: bool,
    /// Whether the definition awaits the operator's review.
    awaits_review: bool,
    /// The server's name for the tool or prompt, if it differs from the caller's.
    own_name: Option<String>,
    /// The server's URI, if it differs from the caller's.
    uri: Option<String>,
    /// The parameter that names the primitive, for a method of another vendor.
    parameter: Option<String>,
    /// The prefix of the server's URIs and the one that replaces it for callers, if they differ.
    begins: Option<(String, String)>,
    /// The values of the tool's bound arguments.
    pub bound: Option<Rc<BoundArguments>>,
}

impl Route {
    /// Finds the route of a request. It has no servers for a method that names no primitive.
    ///
    /// # Errors
    /// A primitive that does not exist, is hidden from the caller, or awaits review.
    pub fn find<H: Host>(context: &Context<'_, H>) -> Result<Self, RpcError> {
        match context.message.known.map(Method::subject) {
            Some(Subject::None | Subject::Task) => Ok(Self::default()),
            _ => match Self::of_subject(context)? {
                Self { awaits_review: true, .. } => Err(RpcError::handle("awaits_review", AWAITS_REVIEW)),
                route => Ok(route),
            },
        }
    }

    /// Finds the route for a method that names a primitive. It is never inlined, so a new process does not compile it
    /// for lists, which it often serves first.
    #[inline(never)]
    fn of_subject<H: Host>(context: &Context<'_, H>) -> Result<Self, RpcError> {
        let named = |kind: Kind, what: &str| {
            let name = context.message.text_param("name")?;
            check_declared(context, kind, &name)?;
            let found = Self::find_visible(context, kind, &name);
            found.ok_or_else(|| {
                Self::hidden(context)
                    .insufficient_scope(&|view| view.find(kind, &name).is_some())
                    .unwrap_or_else(|| Self::unknown(context, kind, what, &name))
            })
        };
        let Some(method) = context.message.known else { return Self::find_passed(context) };
        match method.subject() {
            // Discovery tools run in the gateway.
            Subject::Tool if discovery::is_own(context.exchange.discovered) => Ok(Self::default()),
            Subject::Tool if Self::is_kept_from_model(context) => {
                Err(Self::unknown(context, Kind::Tool, "tool", &context.message.text_param("name")?))
            }
            Subject::Tool => named(Kind::Tool, "tool"),
            Subject::Prompt => named(Kind::Prompt, "prompt"),
            Subject::Reference => Self::find_reference(context),
            Subject::Skill => Self::find_skill(context, &context.message.text_param("uri")?),
            Subject::Directory => Self::find_directory(context, &context.message.text_param("uri")?),
            // A subscription ends under the URI with which it began, even if the resource is gone.
            Subject::Resource if method != Method::Unsubscribe => {
                Self::find_resource(context, &context.message.text_param("uri")?)
            }
            Subject::Resource | Subject::None | Subject::Task => Ok(Self::default()),
        }
    }

    /// Returns whether a model calls, through a discovery tool, a tool that only applications may call.
    fn is_kept_from_model<H: Host>(context: &Context<'_, H>) -> bool {
        let tools = context.view.catalog().kind_index(Kind::Tool);
        let called = discovery::called(context.exchange.discovered).and_then(|name| tools.find(name));
        called.is_some_and(|index| !tools.is_for_models(index))
    }

    /// Completes the route of a call, get, read or completion before it is forwarded.
    ///
    /// # Errors
    /// A hidden resource for which no decoy can be made; headers that contradict a call's arguments.
    pub fn settle<H: Host>(&mut self, context: &Context<'_, H>) -> Result<(), RpcError> {
        if (self.unlisted || self.hidden) && !context.backend.open {
            self.mask(context)?;
        }
        self.bind(context)?;
        // The headers of a call through a discovery tool describe the discovery tool, which has no marks.
        let direct = context.exchange.discovered.get().is_none();
        if direct && context.is_stateless() && context.message.known == Some(Method::CallTool) {
            let tools = context.view.catalog().kind_index(Kind::Tool);
            let tool = tools.find(&context.message.text_param("name")?).and_then(|index| tools.bytes(index));
            let arguments = context.message.param("arguments");
            header_param_check::check(
                tool.unwrap_or_default(),
                arguments,
                context.exchange.request.headers(),
            )?;
        }
        Ok(())
    }

    /// Reads the values of a called tool's bound arguments.
    ///
    /// # Errors
    /// A caller's own value, and a missing one.
    fn bind<H: Host>(&mut self, context: &Context<'_, H>) -> Result<(), RpcError> {
        if context.message.known != Some(Method::CallTool) {
            return Ok(());
        }
        let tools = context.view.catalog().kind_index(Kind::Tool);
        let Some(index) = tools.find(&context.message.text_param("name")?) else { return Ok(()) };
        let arguments = context.message.param("arguments");
        self.bound = BoundArguments::read(tools.bound(index), &context.caller, arguments)?.map(Rc::new);
        Ok(())
    }

    /// Finds the route to a resource that is visible, matches a visible template, or is not listed.
    ///
    /// # Errors
    /// A resource for which no server is called. Hidden and missing resources get the same error.
    fn find_resource<H: Host>(context: &Context<'_, H>, text: &str) -> Result<Self, RpcError> {
        let refuse = || RpcError::resource(text, context.era());
        check_declared(context, Kind::Resource, text)?;
        let uri = resource::read(text)?;
        let found = context.resources().find(&uri);
        if !found.is_visible() {
            let is_visible = |view: &View| Resolver { view, ..context.resources() }.find(&uri).is_visible();
            Self::hidden(context).insufficient_scope(&is_visible).map_or(Ok(()), Err)?;
        }
        let (servers, hidden) = match found {
            ResourceMatch::Listed { kind, index, uri } => {
                let route = Self::to_listed(context, kind, index);
                let uniform = kind == Kind::Template && route.conceals(context);
                return Ok(Self { uniform, ..route.under(context, uri, text) });
            }
            ResourceMatch::Page { number } => return Ok(Self::to_page(context, number)),
            ResourceMatch::Concealed { index } => {
                return Ok(Self {
                    hidden: true,
                    uniform: true,
                    ..Self::to_listed(context, Kind::Template, index)
                });
            }
            ResourceMatch::Unlisted { servers } if servers.is_empty() => {
                return Err(refuse().denied("unknown"));
            }
            ResourceMatch::Hidden { servers } if servers.is_empty() => return Err(refuse().denied("hidden")),
            ResourceMatch::Unlisted { servers } => (servers, false),
            ResourceMatch::Hidden { servers } => (servers, true),
        };
        Ok(Self { servers, hidden, unlisted: true, uniform: true, ..Self::default() })
    }

    /// Returns the request as one for what its caller cannot see.
    fn hidden<'a, H: Host>(context: &'a Context<'_, H>) -> HiddenRequest<'a, H, Vec<u8>> {
        let exchange = context.exchange;
        let (config, host, request) = (exchange.config, exchange.host, exchange.request);
        HiddenRequest { config, host, request, backend: &context.backend, caller: &context.caller }
    }

    /// Returns whether a template of the server may match files of hidden skills.
    fn conceals<H: Host>(&self, context: &Context<'_, H>) -> bool {
        !context.backend.open
            && self.servers.iter().any(|server| context.backend.offers(server, |features| features.skills))
    }

    /// Routes a read of a hidden resource like one of an unlisted resource, under a URI that names nothing. Both take
    /// the same steps and write a line to the operator's log.
    ///
    /// # Errors
    /// The error for a missing resource, if no such URI can be made.
    fn mask<H: Host>(&mut self, context: &Context<'_, H>) -> Result<(), RpcError> {
        let text = context.message.text_param("uri")?;
        let reason = if self.hidden { "hidden" } else { "unlisted" };
        let refused = Self::missing(context, &text).denied(reason);
        let decoy = resource::decoy(&context.resources(), &text, context.exchange.host.random()?);
        if self.hidden {
            let Some(decoy) = decoy else { return Err(refused) };
            self.uri = Some(decoy);
        }
        self.masked = true;
        context.refused(&refused);
        Ok(())
    }

    /// Finds the route to a skill: the server that lists it, or one that may serve it unlisted.
    ///
    /// # Errors
    /// A skill for which no server is called. Hidden and missing skills get the same error.
    fn find_skill<H: Host>(context: &Context<'_, H>, text: &str) -> Result<Self, RpcError> {
        if let Some(index) = context.view.find(Kind::Skill, text) {
            let route = Self::to_listed(context, Kind::Skill, index);
            let own = context.view.catalog().kind_index(Kind::Skill).own_id(index).unwrap_or(text);
            return Ok(route.under(context, own.to_owned(), text));
        }
        let uri = resource::read(text)?;
        let kind_index = context.view.catalog().kind_index(Kind::Skill);
        let known = kind_index.hidden().filter(|key| Catalog::unscoped(key).1 == text).count() > 0
            || kind_index.find(text).is_some();
        let skilled = |servers: Vec<String>| {
            let has = |server: &String| context.backend.offers(server, |features| features.skills);
            servers.into_iter().filter(has).collect()
        };
        let is_skill = ResourceUri::is_plain(text) && text.ends_with(ResourceUri::SKILL_FILE);
        let (servers, hidden) = match context.resources().find(&uri) {
            ResourceMatch::Listed { kind, index, .. } => {
                (Self::to_listed(context, kind, index).servers, known)
            }
            ResourceMatch::Page { .. } => (Vec::new(), known),
            ResourceMatch::Unlisted { servers } => (servers, known),
            ResourceMatch::Hidden { servers } => (servers, true),
            ResourceMatch::Concealed { index } => {
                (Self::to_listed(context, Kind::Template, index).servers, true)
            }
        };
        let servers = skilled(if is_skill { servers } else { Vec::new() });
        Self::to_unlisted(context, text, servers, hidden)
    }

    /// Finds the route to a directory in a skill, above skills, or that a server may have unlisted.
    ///
    /// # Errors
    /// A directory for which no server is called. Hidden and missing directories get the same error.
    fn find_directory<H: Host>(context: &Context<'_, H>, text: &str) -> Result<Self, RpcError> {
        let uri = resource::read(text)?;
        let below = context.view.skills_below(text);
        let reading = |servers: Vec<String>| -> Vec<String> {
            let has = |server: &String| context.backend.offers(server, |features| features.directory_read);
            servers.into_iter().filter(has).collect()
        };
        let (servers, hidden) = match context.resources().find(&uri) {
            found
                if below == Some(true)
                    && !matches!(found, ResourceMatch::Listed { kind: Kind::Skill, .. }) =>
            {
                return Ok(Self { above: true, ..Self::default() });
            }
            ResourceMatch::Listed { kind: Kind::Template, index, .. } => {
                (reading(Self::to_listed(context, Kind::Template, index).servers), below == Some(false))
            }
            ResourceMatch::Listed { kind, index, uri } => {
                let mut route = Self::to_listed(context, kind, index).under(context, uri, text);
                route.servers = reading(route.servers);
                if !route.servers.is_empty() {
                    return Ok(route);
                }
                (Vec::new(), false)
            }
            ResourceMatch::Page { .. } => (Vec::new(), below == Some(false)),
            ResourceMatch::Unlisted { servers } => (reading(servers), below == Some(false)),
            ResourceMatch::Hidden { servers } => (reading(servers), true),
            ResourceMatch::Concealed { index } => {
                (reading(Self::to_listed(context, Kind::Template, index).servers), true)
            }
        };
        Self::to_unlisted(context, text, servers, hidden)
    }

    /// Returns the route to an unlisted primitive.
    ///
    /// # Errors
    /// A missing primitive, if there are no servers to call.
    fn to_unlisted<H: Host>(
        context: &Context<'_, H>,
        text: &str,
        servers: Vec<String>,
        hidden: bool,
    ) -> Result<Self, RpcError> {
        if servers.is_empty() {
            let reason = if hidden { "hidden" } else { "unknown" };
            return Err(Self::missing(context, text).denied(reason));
        }
        Ok(Self { servers, hidden, unlisted: true, uniform: true, ..Self::default() })
    }

    /// Returns the error for a primitive that does not exist.
    pub fn missing<H: Host>(context: &Context<'_, H>, text: &str) -> RpcError {
        match context.message.known.map_or(Subject::None, Method::subject) {
            Subject::Skill => RpcError::params(context.exchange.config.unknown_names.message("skill", text)),
            Subject::Directory => RpcError::params(format!("Not a directory: {text}")),
            _ => RpcError::resource(text, context.era()),
        }
    }

    /// Returns the route with the server's URI `own` for the caller's URI `text`.
    fn under<H: Host>(mut self, context: &Context<'_, H>, own: String, text: &str) -> Self {
        let skills = context.view.catalog().skills();
        let holds = |server: &String| {
            ResourceUri::parse(&own).is_ok_and(|uri| !skills.holding(server, &uri).is_empty())
        };
        self.of_skill = self.servers.iter().any(holds);
        self.uri = (own != text).then_some(own);
        self
    }

    /// Returns the route with `server` as its only server.
    pub fn at(&self, server: String) -> Self {
        Self { servers: vec![server], ..self.clone() }
    }

    /// Returns the server's URI, if it differs from the caller's.
    pub fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    /// Returns the caller's URI for the server's `uri`.
    pub fn public(&self, uri: &str) -> String {
        let renamed =
            self.begins.as_ref().and_then(|(own, public)| Some((public, uri.strip_prefix(own.as_str())?)));
        renamed.map_or_else(|| uri.to_owned(), |(public, path)| [public, path].concat())
    }

    /// Returns whether URIs in the server's response differ from those for callers.
    pub fn renames(&self) -> bool {
        self.begins.is_some()
    }

    /// Finds the route of a completion: that of the prompt, template or resource that it refers to.
    ///
    /// # Errors
    /// A `ref` in another form, and a primitive that does not exist or is hidden from the caller.
    fn find_reference<H: Host>(context: &Context<'_, H>) -> Result<Self, RpcError> {
        let reference = context.message.param("ref").and_then(Members::read);
        let reference = reference.ok_or_else(|| RpcError::params("`ref` is required, an object"))?;
        let text = |key: &str| reference.get(key).and_then(json::Raw::text);
        match (text("type").as_deref(), text("name"), text("uri")) {
            (Some("ref/prompt"), Some(name), _) => Self::find_visible(context, Kind::Prompt, &name)
                .ok_or_else(|| Self::unknown(context, Kind::Prompt, "prompt", &name)),
            (Some("ref/resource"), _, Some(uri)) => Self::find_visible(context, Kind::Template, &uri)
                .or_else(|| Self::find_visible(context, Kind::Resource, &uri))
                .ok_or_else(|| Self::unknown(context, Kind::Template, "resource", &uri)),
            _ => Err(RpcError::params("`ref` is a `ref/prompt` with `name` or a `ref/resource` with `uri`")),
        }
    }

    /// Finds the route of another vendor's method. It has no servers for a method that the operator does not pass. A
    /// request that names a primitive goes to the server of that primitive. One that names none goes to the server to
    /// which the method is passed, if the caller may know of that server.
    ///
    /// # Errors
    /// A primitive that does not exist, is hidden from the caller, or requires other capabilities of the client.
    fn find_passed<H: Host>(context: &Context<'_, H>) -> Result<Self, RpcError> {
        let (config, message) = (context.exchange.config, context.message);
        let mut missing = None;
        for (server, entry) in passed::servers(config, &message.method) {
            if !context.backend.upstreams.iter().any(|status| status.name == server) {
                continue;
            }
            let Some((kind, parameter)) = &entry.primitive else {
                if visibility::knows(&context.backend, &context.caller, &context.view, server) {
                    return Ok(Self { servers: vec![server.to_owned()], ..Self::default() });
                }
                continue;
            };
            params::check_named(message, Some(parameter))?;
            let text = message.text_param(parameter)?;
            let tools = context.view.catalog().kind_index(Kind::Tool);
            let tool = tools.find(&text).filter(|_| *kind == Kind::Tool);
            if tool.is_some_and(|index| !tools.bound(index).is_empty()) {
                let words = "the tool has bound arguments, which only `tools/call` fills";
                return Err(RpcError::handle("argument_unbound", words));
            }
            check_declared(context, *kind, &text)?;
            let (found, absent) = match kind.is_named() {
                true => (
                    Self::find_visible(context, *kind, &text),
                    Self::unknown(context, *kind, kind.name(), &text),
                ),
                false => {
                    let (found, reason) = Self::find_passed_resource(context, server, &text)?;
                    (found, RpcError::resource(&text, context.era()).denied(reason))
                }
            };
            // For this entry, a primitive of another server does not exist.
            match found.filter(|route| route.servers.first().is_some_and(|owner| owner == server)) {
                Some(route) => return Ok(Self { parameter: Some(parameter.clone()), ..route }),
                None => missing = missing.or(Some(absent)),
            }
        }
        missing.map_or_else(|| Ok(Self::default()), Err)
    }

    /// Returns the route to a resource that a method of another vendor names, or the reason why there is none. An
    /// unlisted resource is requested only while nothing is hidden from the caller, because the server's error may
    /// differ from the error for a hidden one.
    fn find_passed_resource<H: Host>(
        context: &Context<'_, H>,
        server: &str,
        text: &str,
    ) -> Result<(Option<Self>, &'static str), RpcError> {
        let restricts = visibility::restricts(&context.backend, &context.caller);
        let found = match context.resources().find(&resource::read(text)?) {
            ResourceMatch::Listed { kind, index, uri } => {
                let route = Self::to_listed(context, kind, index);
                let certain = kind != Kind::Template || !route.conceals(context);
                certain.then(|| route.under(context, uri, text))
            }
            ResourceMatch::Page { number } => Some(Self::to_page(context, number)),
            ResourceMatch::Unlisted { servers }
                if !restricts && servers.iter().any(|known| known == server) =>
            {
                Some(Self { servers: vec![server.to_owned()], ..Self::default() })
            }
            ResourceMatch::Unlisted { .. } => None,
            ResourceMatch::Hidden { .. } | ResourceMatch::Concealed { .. } => return Ok((None, "hidden")),
        };
        Ok((found, "unknown"))
    }

    /// Returns the error for a primitive that is missing or hidden. Only the operator's log distinguishes them. Both
    /// are logged, so that both take the same time.
    fn unknown<H: Host>(context: &Context<'_, H>, kind: Kind, what: &str, id: &str) -> RpcError {
        let mut failure = RpcError::params(context.exchange.config.unknown_names.message(what, id));
        if kind == Kind::Tool && context.exchange.config.drafts.deterministic_groups {
            failure.data = Some(json!({"unknownNames": [id]}));
        }
        let kind_index = context.view.catalog().kind_index(kind);
        // A server's prefix is not in front of a name that it alone lists.
        let lists_bare = |server: &Upstream| {
            let own = server.prefix.as_deref().and_then(|prefix| id.strip_prefix(prefix));
            let index = own.filter(|_| kind.is_named()).and_then(|own| kind_index.find(own));
            index.is_some_and(|index| kind_index.server(index) == Some(&server.name))
        };
        if kind_index.find(id).is_some() || kind_index.hides(id) {
            failure.denied("hidden")
        } else if context.exchange.config.upstreams.iter().any(lists_bare) {
            failure.denied("unprefixed")
        } else {
            failure.denied("unknown")
        }
    }

    /// Returns the route to the visible primitive with this name or URI, if there is one.
    fn find_visible<H: Host>(context: &Context<'_, H>, kind: Kind, id: &str) -> Option<Self> {
        context.view.find(kind, id).map(|index| Self::to_listed(context, kind, index))
    }

    /// Returns the route to the listed primitive at `index`.
    fn to_listed<H: Host>(context: &Context<'_, H>, kind: Kind, index: usize) -> Self {
        let kind_index = context.view.catalog().kind_index(kind);
        let id = kind_index.id(index).unwrap_or_default();
        let own = kind_index.own_id(index).filter(|own| *own != id);
        let (own_name, uri) = if kind.is_named() { (own, None) } else { (None, own) };
        let begins = uri.map(|own| match kind {
            Kind::Skill => {
                (ResourceUri::skill_root(own).unwrap_or(own), ResourceUri::skill_root(id).unwrap_or(id))
            }
            _ => (own, id),
        });
        Self {
            servers: kind_index.server(index).map(str::to_owned).into_iter().collect(),
            own_name: own_name.map(str::to_owned),
            uri: uri.map(str::to_owned),
            begins: begins.map(|(own, public)| (own.to_owned(), public.to_owned())),
            awaits_review: context.backend.guarded.awaits_review(kind, index),
            ..Self::default()
        }
    }

    /// Returns the route to the page with this number: the server of the tool that opens it.
    fn to_page<H: Host>(context: &Context<'_, H>, number: usize) -> Self {
        let (server, public, own) = context.view.catalog().page(number).unwrap_or_default();
        // A page may be asked for in another spelling.
        let renamed = own != public;
        Self {
            servers: vec![server.to_owned()],
            uri: Some(own.to_owned()),
            begins: renamed.then(|| (own.to_owned(), public.to_owned())),
            ..Self::default()
        }
    }

    /// Returns the parameters for the server: those of the caller, with the server's name or URI.
    pub fn params(&self, message: &Message<'_>) -> Option<OwnedObject> {
        let (method, params) = (message.known, message.params.as_ref()?);
        let (own, key) = match &self.uri {
            Some(uri) => (Some(uri), "uri"),
            None => (self.own_name.as_ref(), "name"),
        };
        let key = self.parameter.as_deref().unwrap_or(key);
        let Some(name) = own else { return Some(params.keep()) };
        let mut out = Vec::with_capacity(params.raw().get().len());
        let mut object = Object::open(&mut out);
        for (member, value) in &params.members().0 {
            match (member.as_ref(), Members::read(*value)) {
                ("ref", Some(reference)) if method == Some(Method::Complete) => {
                    let mut inner = Object::open(object.value("ref"));
                    inner.keep(&reference, &[key]);
                    inner.text(key, name);
                    inner.close();
                }
                (named, _) if named == key && method != Some(Method::Complete) => object.text(key, name),
                _ => object.raw(member, value.get().as_bytes()),
            }
        }
        object.close();
        // All parts were valid UTF-8.
        OwnedObject::parse(std::str::from_utf8(&out).ok()?)
    }
}
