//! The caller of a view, built from token claims, client data and headers.

use crate::{
    error::{Error, ErrorKind},
    expr::{Field, Subject},
    json::{Members, Raw},
    policy::{CallerContext, Described, Preset},
};

/// The caller of a view: the claims of its token, and the properties of its request and of its client.
///
/// Policies, presets and checks read it by the fields `claim.…`, `client.…`, `capability.…`, `header.…`, `request.meta.…`,
/// `method`, `protocol`, `transport` and `preset` of an [expression](crate::expr). A field that was not set has no value:
/// `header.x=y` is then false, and `-header.x=y` true. So set every field that the configuration reads.
///
/// ```
/// use mcp_sieve::Caller;
///
/// let caller = Caller::with_claims(r#"{"sub":"alice","groups":["ops"]}"#)?
///     .with_client("editor", "2.1.0")
///     .with_capabilities(r#"{"sampling":{}}"#)?
///     .with_header("X-Tenant", "acme")
///     .with_method("tools/list")
///     .with_protocol("2026-07-28");
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// A JSON object.
    claims: String,
    client: Option<[String; 2]>,
    /// A JSON object; `None` if they are unknown. Nothing is then hidden because it requires a capability.
    capabilities: Option<String>,
    /// Headers by names in lower case.
    headers: Vec<[String; 2]>,
    /// A JSON object.
    meta: Option<String>,
    method: Option<String>,
    protocol: Option<String>,
    transport: Option<String>,
    /// The preset in whose path it connects.
    preset: Option<String>,
}

impl Caller {
    /// Returns a caller without a token, of whose request and client nothing is known.
    pub fn anonymous() -> Self {
        Self {
            claims: "{}".to_owned(),
            client: None,
            capabilities: None,
            headers: Vec::new(),
            meta: None,
            method: None,
            protocol: None,
            transport: None,
            preset: None,
        }
    }

    /// Returns a caller with the claims of a verified token, a JSON object.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for anything else.
    pub fn with_claims(claims: impl Into<String>) -> Result<Self, Error> {
        let claims = claims.into();
        Described::read(&claims)?;
        Ok(Self { claims, ..Self::anonymous() })
    }

    /// Sets the name and version by which the client introduces itself. No one verifies them.
    #[must_use]
    pub fn with_client(self, name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { client: Some([name.into(), version.into()]), ..self }
    }

    /// Sets the capabilities that the client declares, a JSON object. Primitives that require others are then hidden.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for anything else.
    pub fn with_capabilities(self, capabilities: impl Into<String>) -> Result<Self, Error> {
        let capabilities = capabilities.into();
        match Members::read(Raw::parse(&capabilities)?) {
            Some(_) => Ok(Self { capabilities: Some(capabilities), ..self }),
            None => Err(Error::new(ErrorKind::Json, "expected capabilities as a JSON object")),
        }
    }

    /// Adds a header of the request. Its name may be in any case.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push([name.to_ascii_lowercase(), value.into()]);
        self
    }

    /// Sets the `_meta` of the request, a JSON object.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for anything else.
    pub fn with_meta(self, meta: impl Into<String>) -> Result<Self, Error> {
        let meta = meta.into();
        match Members::read(Raw::parse(&meta)?) {
            Some(_) => Ok(Self { meta: Some(meta), ..self }),
            None => Err(Error::new(ErrorKind::Json, "expected `_meta` as a JSON object")),
        }
    }

    /// Sets the JSON-RPC method of the request, such as `tools/call`.
    #[must_use]
    pub fn with_method(self, method: impl Into<String>) -> Self {
        Self { method: Some(method.into()), ..self }
    }

    /// Sets the protocol revision of the request, such as `2026-07-28`.
    #[must_use]
    pub fn with_protocol(self, date: impl Into<String>) -> Self {
        Self { protocol: Some(date.into()), ..self }
    }

    /// Sets the transport on which the request came: `http` or `stdio`.
    #[must_use]
    pub fn with_transport(self, name: impl Into<String>) -> Self {
        Self { transport: Some(name.into()), ..self }
    }

    /// Sets the preset in whose path the caller connects, such as `read-only` for `/mcp/read-only`. It applies in
    /// addition to the presets that are for the caller on every path.
    #[must_use]
    pub fn with_preset(self, name: impl Into<String>) -> Self {
        Self { preset: Some(name.into()), ..self }
    }

    /// Returns the caller under the presets that apply to it.
    pub fn bind(&self, presets: &[Preset]) -> BoundCaller<'_> {
        // They were read before.
        let described = Described::read(&self.claims).unwrap_or_default();
        let bound = BoundCaller { described, caller: self, presets: Vec::new(), has_path: true };
        let applicable = |path| Preset::find_applicable(presets, path, &bound);
        let (found, has_path) = match applicable(self.preset.as_deref()) {
            Some(found) => (found, true),
            None => (applicable(None).unwrap_or_default(), false),
        };
        BoundCaller { presets: found, has_path, ..bound }
    }

    fn has_capability(&self, path: &str) -> bool {
        let declared = self.capabilities.as_deref().and_then(Members::parse);
        Described::declares_path(path, |path| {
            let value = Field::at_path(declared.clone()?, path, member, Members::read)
                .filter(|value| !value.is_null())?;
            Some(Members::read(value).is_some_and(|members| members.0.is_empty()))
        })
    }
}

fn member<'a>(object: &Members<'a>, key: &str) -> Option<Raw<'a>> {
    object.get(key)
}

/// A [`Caller`] with the presets that apply to it.
#[derive(Debug)]
pub struct BoundCaller<'a> {
    described: Described<'a>,
    caller: &'a Caller,
    presets: Vec<String>,
    has_path: bool,
}

impl BoundCaller<'_> {
    /// Returns whether the path in which the caller connects exists for it: it names no preset, or one that is for the
    /// caller.
    pub fn has_path(&self) -> bool {
        self.has_path
    }
}

impl Subject for BoundCaller<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        let caller = self.caller;
        match field {
            Field::Preset => self.presets.iter().for_each(|name| visit(name)),
            Field::ClientName => caller.client.iter().for_each(|[name, _]| visit(name)),
            Field::ClientVersion => caller.client.iter().for_each(|[_, version]| visit(version)),
            Field::Method => caller.method.iter().for_each(|method| visit(method)),
            Field::Protocol => caller.protocol.iter().for_each(|date| visit(date)),
            Field::Transport => caller.transport.iter().for_each(|name| visit(name)),
            Field::Header(name) => {
                let values = caller.headers.iter().filter(|[known, _]| known == name);
                values.for_each(|[_, value]| visit(value));
            }
            Field::Capability(path) if caller.has_capability(path) => visit("true"),
            Field::RequestMeta(path) => {
                let meta = caller.meta.as_deref().and_then(Members::parse);
                Described::visit_path(meta.unwrap_or_default(), path, visit);
            }
            _ => self.described.values(field, visit),
        }
    }
}

impl CallerContext for BoundCaller<'_> {
    fn declares(&self, capabilities: &str) -> bool {
        self.caller.capabilities.as_deref().is_none_or(|declared| Described::declares(declared, capabilities))
    }
}
