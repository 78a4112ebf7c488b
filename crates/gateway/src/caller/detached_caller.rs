//! A caller that outlives its request. It owns its data and can be stored as JSON.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_sieve::{json::Members, revision::Revision};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{caller::identity::Caller, config::Transport};

/// A detached caller as JSON. Header values that are not text are left out, because no expression can read them.
#[derive(Serialize, Deserialize)]
pub(super) struct Wire {
    claims: Option<Map<String, Value>>,
    headers: Vec<(String, String)>,
    protocol: String,
    #[serde(default)]
    transport: Transport,
    client: Option<Value>,
    capabilities: Value,
    level: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    concerns: String,
    query: String,
    #[serde(default)]
    presets: Vec<String>,
}

impl Caller<'_> {
    /// Returns a copy of the caller that outlives its request. `query` is the query of the requested URL. Its method is
    /// empty until [`Caller::calling`] sets one.
    pub(crate) fn detached(&self, query: Option<&str>) -> Caller<'static> {
        Caller {
            claims: self.claims.clone().map(|claims| Cow::Owned(claims.into_owned())),
            headers: Cow::Owned(self.headers.clone().into_owned()),
            protocol: self.protocol,
            transport: self.transport,
            client: self.client.clone(),
            capabilities: self.capabilities.clone(),
            level: self.level,
            concerns: Cow::Owned(self.concerns.clone().into_owned()),
            method: Cow::default(),
            query: Cow::Owned(query.unwrap_or_default().to_owned()),
            presets: self.presets.clone(),
            id: None,
            meta: Members::default(),
        }
    }

    /// Returns the caller of a request for `method`.
    pub fn calling<'a>(&'a self, method: &'a str) -> Caller<'a> {
        Caller {
            claims: self.claims.as_deref().map(Cow::Borrowed),
            transport: self.transport,
            client: self.client.clone(),
            capabilities: self.capabilities.clone(),
            level: self.level,
            concerns: Cow::Borrowed(&self.concerns),
            query: Cow::Borrowed(&self.query),
            presets: self.presets.clone(),
            ..Caller::new(&self.headers, self.protocol, method)
        }
    }

    /// Returns the caller of this request as if the request were for `method`.
    pub(crate) fn asking<'b>(&'b self, method: &'b str) -> Caller<'b> {
        Caller { id: self.id, meta: self.meta.clone(), ..self.calling(method) }
    }

    /// Returns the value of a header that occurs once and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok(),
            _ => None,
        }
    }
}

impl From<Caller<'_>> for Wire {
    fn from(caller: Caller<'_>) -> Self {
        let text = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        Self {
            headers: caller.headers.iter().filter_map(text).collect(),
            claims: caller.claims.map(Cow::into_owned),
            protocol: caller.protocol.date().to_owned(),
            transport: caller.transport,
            client: caller.client,
            capabilities: caller.capabilities,
            level: caller.level.map(|level| level.name().to_owned()),
            concerns: caller.concerns.into_owned(),
            query: caller.query.into_owned(),
            presets: caller.presets,
        }
    }
}

impl TryFrom<Wire> for Caller<'_> {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let mut headers = HeaderMap::new();
        for (name, value) in wire.headers {
            let name = HeaderName::try_from(name).map_err(|_| "expected header names")?;
            headers.append(name, HeaderValue::try_from(value).map_err(|_| "expected header values")?);
        }
        let level = wire.level.map(|level| level.parse().map_err(|_| "expected a level")).transpose()?;
        Ok(Self {
            claims: wire.claims.map(Cow::Owned),
            headers: Cow::Owned(headers),
            protocol: Revision::from_date(&wire.protocol).ok_or("expected a revision")?,
            transport: wire.transport,
            client: wire.client,
            capabilities: wire.capabilities,
            level,
            concerns: Cow::Owned(wire.concerns),
            method: Cow::default(),
            query: Cow::Owned(wire.query),
            presets: wire.presets,
            id: None,
            meta: Members::default(),
        })
    }
}
