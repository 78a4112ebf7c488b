use http::HeaderMap;
use serde_json::{Map, Value};

use super::{Call, Caller, Host, Level, Version, context::Context, route::Route};
use crate::json::Raw;

/// A call that outlives the request it came in: everything about it, owned.
#[derive(Debug)]
pub(super) struct Errand {
    pub method: String,
    /// JSON.
    pub params: Option<String>,
    server: Option<String>,
    claims: Option<Map<String, Value>>,
    headers: HeaderMap,
    protocol: Version,
    client: Option<Value>,
    pub capabilities: Value,
    pub level: Option<Level>,
}

impl Errand {
    pub fn new<H: Host>(context: &Context<'_, H>, route: &Route) -> Self {
        let caller = &context.caller;
        Self {
            method: context.message.method.clone().into_owned(),
            params: route.params(&context.message.method, context.message.params),
            server: route.server.clone(),
            claims: caller.claims.cloned(),
            headers: caller.headers.clone(),
            protocol: caller.protocol,
            client: caller.client.clone(),
            capabilities: caller.capabilities.clone(),
            level: caller.level,
        }
    }

    /// Whether the caller speaks the stateless revision.
    pub fn modern(&self) -> bool {
        self.protocol.is_modern()
    }

    pub fn caller(&self) -> Caller<'_> {
        Caller {
            claims: self.claims.as_ref(),
            headers: &self.headers,
            protocol: self.protocol,
            client: self.client.clone(),
            capabilities: self.capabilities.clone(),
            level: self.level,
            method: &self.method,
        }
    }

    pub fn call<'a>(&'a self, caller: &'a Caller<'a>) -> Call<'a> {
        let Self { method, params, server, .. } = self;
        Call {
            method,
            params: params.as_deref().and_then(|source| Raw::parse(source).ok()),
            server: server.as_deref(),
            caller,
        }
    }
}
