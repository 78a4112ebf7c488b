//! The caller of a request: token claims, client info, headers and capabilities.

use std::borrow::Cow;

use http::HeaderMap;
use mcp_sieve::{
    expr::{Field, Subject},
    json::{Members, Number, Raw},
    policy::{CallerContext, Described},
    revision::Revision,
};

use crate::small_collect::small_collect;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    caller::detached_caller::Wire, config::Transport, object::deserialize, protocol::log_level::Level,
};

/// The caller of a request: the claims of its token, and what the request says about its client. It borrows from the
/// request, or owns its data and outlives the request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct Caller<'a> {
    /// The claims of the verified token; `None` for an anonymous caller.
    pub claims: Option<Cow<'a, Map<String, Value>>>,
    /// The headers of the HTTP request.
    pub headers: Cow<'a, HeaderMap>,
    /// The protocol revision of the request.
    pub protocol: Revision,
    /// The transport on which clients reach the deployment.
    pub transport: Transport,
    /// `clientInfo`, if the client sent it.
    pub client: Option<Value>,
    /// `clientCapabilities` of the request or of the session.
    pub capabilities: Value,
    /// The lowest level of log messages that the client wants; `None` for no messages.
    pub level: Option<Level>,
    /// The concerns in force for the caller, as JSON, for servers to which they are forwarded. Empty if there are none.
    pub concerns: Cow<'a, str>,
    /// The JSON-RPC method of the request.
    pub method: Cow<'a, str>,
    /// The query of the requested URL. Empty for a caller that borrows from its request.
    pub query: Cow<'a, str>,
    /// The names of the presets that apply to the caller, that of the path first.
    pub presets: Vec<String>,
    /// The id of the request, if it has one.
    pub id: Option<Raw<'a>>,
    /// The `_meta` of the request; empty if it has none.
    pub meta: Members<'a>,
}

impl<'a> Caller<'a> {
    /// Creates an anonymous caller of whose client nothing is known.
    pub fn new(headers: &'a HeaderMap, protocol: Revision, method: &'a str) -> Self {
        Self {
            claims: None,
            headers: Cow::Borrowed(headers),
            protocol,
            transport: Transport::default(),
            client: None,
            capabilities: Value::Object(Map::new()),
            level: None,
            concerns: Cow::default(),
            method: Cow::Borrowed(method),
            query: Cow::default(),
            presets: Vec::new(),
            id: None,
            meta: Members::default(),
        }
    }

    /// Returns the name of the preset of the path, or else of the first one that applies to the caller.
    pub fn preset(&self) -> Option<&str> {
        self.presets.first().map(String::as_str)
    }

    /// Returns `clientInfo.name`, if it was given.
    pub fn client_name(&self) -> Option<&str> {
        self.client_info("name")
    }

    /// Returns `clientInfo.version`, if it was given.
    pub fn client_version(&self) -> Option<&str> {
        self.client_info("version")
    }

    fn client_info(&self, key: &str) -> Option<&str> {
        self.client.as_ref()?.get(key)?.as_str()
    }

    /// Returns whether the client declares a capability, such as `sampling`, `elicitation.url` or `roots`.
    pub fn supports(&self, capability: &str) -> bool {
        Described::declares_path(capability, |path| {
            let value = below(&self.capabilities, path).filter(|value| !value.is_null())?;
            Some(value.as_object().is_some_and(Map::is_empty))
        })
    }

    /// Returns the caller with other capabilities.
    pub(crate) fn declaring(&self, capabilities: Value) -> Self {
        Self { capabilities, ..self.clone() }
    }

    /// Returns the principal that the token's claims name.
    pub fn principal(&self) -> Option<Cow<'_, str>> {
        self.claims.as_deref().and_then(principal)
    }
}

/// Returns the principal of claims: the subject, prefixed with the issuer and `#` if there is an issuer. Two issuers
/// may use the same subject for two people. An issuer cannot contain `#` (RFC 8414, section 2).
pub fn principal(claims: &Map<String, Value>) -> Option<Cow<'_, str>> {
    let subject = claims.get("sub")?.as_str()?;
    Some(match claims.get("iss").and_then(Value::as_str) {
        Some(issuer) => format!("{issuer}#{subject}").into(),
        None => subject.into(),
    })
}

impl CallerContext for Caller<'_> {
    fn id(&self) -> Option<&str> {
        self.id.map(Raw::get)
    }

    fn describe(&self) -> Option<String> {
        let read = |raw: &Raw<'_>| deserialize::<Value>(raw.get()).unwrap_or_default();
        let meta: Map<String, Value> =
            small_collect(self.meta.0.iter().map(|(key, raw)| (key.clone().into_owned(), read(raw))));
        let described = json!({
            "id": self.id.as_ref().map(read),
            "method": self.method,
            "protocol": self.protocol.date(),
            "transport": self.transport.name(),
            "client": self.client,
            "capabilities": self.capabilities,
            "claims": self.claims,
            "presets": self.presets,
            "meta": meta,
        });
        Some(described.to_string())
    }

    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        self.meta.get(key)
    }

    fn declares(&self, capabilities: &str) -> bool {
        // Stateless requests have no tasks of clients, so a server cannot use this capability.
        let needs_tasks = || Members::parse(capabilities).is_some_and(|needed| needed.get("tasks").is_some());
        !(self.protocol.is_stateless() && needs_tasks())
            && Described::declares(&self.capabilities.to_string(), capabilities)
    }
}

impl Subject for Caller<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field {
            Field::ClientName => self.client_name().into_iter().for_each(visit),
            Field::ClientVersion => self.client_version().into_iter().for_each(visit),
            Field::Protocol => visit(self.protocol.date()),
            Field::Transport => visit(self.transport.name()),
            Field::Method => visit(&self.method),
            Field::Preset => self.presets.iter().for_each(|name| visit(name)),
            Field::Scope => Field::visit_scopes(self, visit),
            Field::Capability(path) if self.supports(path) => visit("true"),
            Field::Claim(path) => {
                let claims = self
                    .claims
                    .as_deref()
                    .and_then(|claims| Field::at_path(claims, path, member, Value::as_object));
                claims.into_iter().for_each(|claim| each_text(claim, visit));
            }
            Field::Header(name) => {
                let values = self.headers.get_all(name).iter();
                values.filter_map(|value| value.to_str().ok()).for_each(visit);
            }
            Field::RequestMeta(path) => {
                let found = Field::at_path(self.meta.clone(), path, meta_member, Members::read);
                let value = found.and_then(|raw| deserialize::<Value>(raw.get()).ok());
                value.iter().for_each(|value| each_text(value, visit));
            }
            _ => {}
        }
    }
}

fn below<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    Field::at_path(value.as_object()?, path, member, Value::as_object)
}

fn member<'a>(object: &&'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    object.get(key)
}

fn meta_member<'a>(object: &Members<'a>, key: &str) -> Option<Raw<'a>> {
    object.get(key)
}

/// Visits a string as it is, a number or boolean in the spelling of expressions, and each element of an array.
fn each_text(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(values) => values.iter().for_each(|value| each_text(value, visit)),
        Value::Number(number) => {
            let number = number.to_string();
            visit(&number.parse().map_or(number, |number: Number| number.to_string()));
        }
        Value::Bool(value) => visit(if *value { "true" } else { "false" }),
        Value::Object(_) | Value::Null => {}
    }
}
