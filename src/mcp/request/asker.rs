use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    mcp::{
        methods::log_level::Level,
        request::caller::{Caller, principal},
    },
    revision::Revision,
};

/// A caller that outlives its request: everything about it, owned. It travels as JSON to wherever it is
/// waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct Asker {
    claims: Option<Map<String, Value>>,
    headers: HeaderMap,
    protocol: Revision,
    client: Option<Value>,
    pub(crate) capabilities: Value,
    pub(crate) level: Option<Level>,
    /// The query of the URL that it called.
    pub(crate) query: String,
    presets: Vec<String>,
}

/// An asker as JSON. Header values that are no text are left out: nothing reads them.
#[derive(Serialize, Deserialize)]
struct Wire {
    claims: Option<Map<String, Value>>,
    headers: Vec<(String, String)>,
    protocol: String,
    client: Option<Value>,
    capabilities: Value,
    level: Option<String>,
    query: String,
    #[serde(default)]
    presets: Vec<String>,
}

impl Asker {
    pub(crate) fn new(caller: &Caller<'_>, query: Option<&str>) -> Self {
        Self {
            claims: caller.claims.cloned(),
            headers: caller.headers.clone(),
            protocol: caller.protocol,
            client: caller.client.clone(),
            capabilities: caller.capabilities.clone(),
            level: caller.level,
            query: query.unwrap_or_default().to_owned(),
            presets: caller.presets.clone(),
        }
    }

    /// A header of the request that has one value, as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok(),
            _ => None,
        }
    }

    /// Who the claims of the caller's token are about.
    pub(crate) fn principal(&self) -> Option<Cow<'_, str>> {
        self.claims.as_ref().and_then(principal)
    }

    /// Whether it speaks the stateless revision.
    pub(crate) fn is_stateless(&self) -> bool {
        self.protocol.is_stateless()
    }

    /// The caller, as it would call a method.
    pub(crate) fn caller<'a>(&'a self, method: &'a str) -> Caller<'a> {
        Caller {
            claims: self.claims.as_ref(),
            client: self.client.clone(),
            capabilities: self.capabilities.clone(),
            level: self.level,
            presets: self.presets.clone(),
            ..Caller::new(&self.headers, self.protocol, method)
        }
    }
}

impl From<Asker> for Wire {
    fn from(asker: Asker) -> Self {
        let text = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        Self {
            headers: asker.headers.iter().filter_map(text).collect(),
            claims: asker.claims,
            protocol: asker.protocol.date().to_owned(),
            client: asker.client,
            capabilities: asker.capabilities,
            level: asker.level.map(|level| level.name().to_owned()),
            query: asker.query,
            presets: asker.presets,
        }
    }
}

impl TryFrom<Wire> for Asker {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let mut headers = HeaderMap::new();
        for (name, value) in wire.headers {
            let name = HeaderName::try_from(name).map_err(|_| "expected header names")?;
            headers.append(name, HeaderValue::try_from(value).map_err(|_| "expected header values")?);
        }
        let level = wire.level.map(|level| level.parse().map_err(|()| "expected a level")).transpose()?;
        Ok(Self {
            claims: wire.claims,
            headers,
            protocol: Revision::from_date(&wire.protocol).ok_or("expected a revision")?,
            client: wire.client,
            capabilities: wire.capabilities,
            level,
            query: wire.query,
            presets: wire.presets,
        })
    }
}
