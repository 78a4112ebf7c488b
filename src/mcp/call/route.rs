//! Which server a request goes to, and what that server calls what it is about: read off the index that lists
//! are written from, as far as the caller can see it.

use crate::{
    catalog::Kind,
    json::{self, Members, Object, Raw},
    mcp::{
        call::param_headers,
        host::{Host, audit},
        protocol::{
            error::RpcError,
            method::{Method, Subject},
        },
        request::{
            context::Context,
            resource::{self, ResourceMatch},
        },
    },
};

/// Where a request goes.
#[derive(Debug, Default)]
pub(crate) struct Route {
    /// The servers to ask, by the operator's names: the one that lists the primitive, or for a resource that no list
    /// mentions those that may have it, one after the other.
    pub servers: Vec<String>,
    /// Whether no list mentions the resource, as far as the caller can see.
    pub unlisted: bool,
    /// Whether the resource is hidden, so that nothing of the answer reaches the caller.
    pub hidden: bool,
    /// What the server calls the tool or prompt, where that is another name.
    own_name: Option<String>,
    /// The URI for the server, where it is another than the caller's.
    uri: Option<String>,
}

impl Route {
    /// The way of a request; to no server for a method that names no primitive.
    ///
    /// # Errors
    /// What does not exist, or the caller may not see.
    pub fn find<H: Host>(context: &Context<'_, H>) -> Result<Self, RpcError> {
        let named = |kind: Kind, what: &str| {
            let name = context.message.text_param("name")?;
            let found = Self::named(context, kind, &name);
            found.ok_or_else(|| Self::unknown(context, kind, what, &name))
        };
        match context.message.known.map_or(Subject::None, Method::subject) {
            Subject::Tool => named(Kind::Tool, "tool"),
            Subject::Prompt => named(Kind::Prompt, "prompt"),
            Subject::Reference => Self::complete(context),
            // A subscription ends under the URI that it began with, whatever is there now.
            Subject::Resource if context.message.known != Some(Method::Unsubscribe) => {
                Self::read(context, &context.message.text_param("uri")?)
            }
            Subject::Resource | Subject::None | Subject::Task => Ok(Self::default()),
        }
    }

    /// Makes ready what a call, get, read or completion goes by.
    ///
    /// # Errors
    /// What is hidden and cannot be told from what does not exist otherwise; headers that contradict a call's arguments.
    pub fn settle<H: Host>(&mut self, context: &Context<'_, H>) -> Result<(), RpcError> {
        if self.unlisted && !context.asked.config.is_open() {
            self.mask(context)?;
        }
        if context.is_stateless() && context.message.known == Some(Method::CallTool) {
            let tools = context.view.catalog().kind_index(Kind::Tool);
            let tool = tools.find(&context.message.text_param("name")?).and_then(|index| tools.bytes(index));
            let arguments = context.message.param("arguments");
            param_headers::check(tool.unwrap_or_default(), arguments, context.asked.request.headers())?;
        }
        Ok(())
    }

    /// The way to a resource that is visible, or that a visible template makes, or that no list mentions.
    ///
    /// # Errors
    /// A resource that no server is asked for: hidden and missing ones are refused in the same words.
    fn read<H: Host>(context: &Context<'_, H>, text: &str) -> Result<Self, RpcError> {
        let refuse = || RpcError::resource(text, context.era());
        let (servers, hidden) = match context.resources().find(&resource::read(text)?) {
            ResourceMatch::Listed { kind, index, uri } => {
                let uri = (uri != text).then_some(uri);
                return Ok(Self { uri, ..Self::to(context, kind, index) });
            }
            ResourceMatch::Unlisted { servers } if servers.is_empty() => {
                return Err(refuse().denied("unknown"));
            }
            ResourceMatch::Hidden { servers } if servers.is_empty() => return Err(refuse().denied("hidden")),
            ResourceMatch::Unlisted { servers } => (servers, false),
            ResourceMatch::Hidden { servers } => (servers, true),
        };
        Ok(Self { servers, hidden, unlisted: true, ..Self::default() })
    }

    /// Sends a read of a hidden resource the way of one that no list mentions, under a URI that names nothing. Either
    /// takes the same steps and is a line of the operator's log.
    ///
    /// # Errors
    /// Where no such URI can be made; the refusal of what does not exist.
    fn mask<H: Host>(&mut self, context: &Context<'_, H>) -> Result<(), RpcError> {
        let text = context.message.text_param("uri")?;
        let reason = if self.hidden { "hidden" } else { "unlisted" };
        let refused = RpcError::resource(&text, context.era()).denied(reason);
        let decoy = resource::decoy(&context.resources(), &text, context.asked.host.random()?);
        if self.hidden {
            let Some(decoy) = decoy else { return Err(refused) };
            self.uri = Some(decoy);
        }
        audit::refused(context.asked.host, context.asked.claims, context.message, &refused);
        Ok(())
    }

    fn complete<H: Host>(context: &Context<'_, H>) -> Result<Self, RpcError> {
        let reference = context.message.param("ref").and_then(Members::read);
        let reference = reference.ok_or_else(|| RpcError::params("`ref` is required, an object"))?;
        let text = |key: &str| reference.get(key).and_then(json::text);
        match (text("type").as_deref(), text("name"), text("uri")) {
            (Some("ref/prompt"), Some(name), _) => Self::named(context, Kind::Prompt, &name)
                .ok_or_else(|| Self::unknown(context, Kind::Prompt, "prompt", &name)),
            (Some("ref/resource"), _, Some(uri)) => Self::named(context, Kind::Template, &uri)
                .or_else(|| Self::named(context, Kind::Resource, &uri))
                .ok_or_else(|| Self::unknown(context, Kind::Template, "resource", &uri)),
            _ => Err(RpcError::params("`ref` is a `ref/prompt` with `name` or a `ref/resource` with `uri`")),
        }
    }

    /// The refusal of what does not exist or is hidden. Only the operator's log tells them apart, and it has a line
    /// for either: what is logged takes longer than what is not.
    fn unknown<H: Host>(context: &Context<'_, H>, kind: Kind, what: &str, id: &str) -> RpcError {
        let failure = RpcError::params(context.asked.config.unknown_names.message(what, id));
        let kind_index = context.view.catalog().kind_index(kind);
        failure.denied(if kind_index.find(id).is_some() || kind_index.hides(id) {
            "hidden"
        } else {
            "unknown"
        })
    }

    fn named<H: Host>(context: &Context<'_, H>, kind: Kind, id: &str) -> Option<Self> {
        context.view.find(kind, id).map(|index| Self::to(context, kind, index))
    }

    fn to<H: Host>(context: &Context<'_, H>, kind: Kind, index: usize) -> Self {
        let kind_index = context.view.catalog().kind_index(kind);
        let own_name = kind_index.own_id(index).filter(|own| kind_index.id(index) != Some(own));
        Self {
            servers: kind_index.server(index).map(str::to_owned).into_iter().collect(),
            own_name: own_name.map(str::to_owned),
            ..Self::default()
        }
    }

    /// The parameters as the server is to get them: what the caller wrote, the name or URI in the server's words.
    pub fn params(&self, method: Option<Method>, params: Option<Raw<'_>>) -> Option<String> {
        let raw = params?;
        let (own, key) = match &self.uri {
            Some(uri) => (Some(uri), "uri"),
            None => (self.own_name.as_ref(), "name"),
        };
        let (Some(name), Some(members)) = (own, Members::read(raw)) else {
            return Some(raw.get().to_owned());
        };
        let mut out = Vec::with_capacity(raw.get().len());
        let mut object = Object::open(&mut out);
        for (member, value) in &members.0 {
            match (member.as_ref(), Members::read(*value)) {
                ("ref", Some(reference)) if method == Some(Method::Complete) => {
                    let mut inner = Object::open(object.value("ref"));
                    inner.keep(&reference, &["name"]);
                    inner.text("name", name);
                    inner.close();
                }
                (named, _) if named == key && method != Some(Method::Complete) => object.text(key, name),
                _ => object.raw(member, value.get().as_bytes()),
            }
        }
        object.close();
        // Both halves were text.
        String::from_utf8(out).ok()
    }
}
