//! A server that numbers its sessions, and the callers of it.

use std::{borrow::Cow, cell::Cell};

use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::server::ReadObject;
use mcp_sieve_gateway::{
    error::RpcError,
    host::{Answer, Call, Caller, Revision},
    local::Level,
    upstream::Upstream,
};
use serde_json::{Map, Value, json};

use crate::{
    ask::settings,
    net::{Net, Reply, Seen},
    server::{response, result},
};

/// Returns a network with a server whose sessions are numbered in the order in which they begin.
pub fn numbered(rest: impl Fn(&Seen) -> Reply + 'static) -> Net {
    Net::new(server(rest))
}

/// Returns a server whose sessions are numbered.
pub fn server(rest: impl Fn(&Seen) -> Reply + 'static) -> impl Fn(&Seen) -> Reply + 'static {
    server_with(json!({"tools": {}}), rest)
}

/// Like [`server`], with other capabilities.
pub fn server_with(
    capabilities: Value,
    rest: impl Fn(&Seen) -> Reply + 'static,
) -> impl Fn(&Seen) -> Reply + 'static {
    server_in(capabilities, |number| Some(format!("s-{number}")), rest)
}

/// Like [`server_with`], with the ids of its sessions by their numbers.
pub fn server_in(
    capabilities: Value,
    id: impl Fn(usize) -> Option<String> + 'static,
    rest: impl Fn(&Seen) -> Reply + 'static,
) -> impl Fn(&Seen) -> Reply + 'static {
    let begun = Cell::new(0);
    move |seen| match seen.method() {
        "server/discover" => response(400, "text/plain", "no session"),
        "initialize" => {
            begun.set(begun.get() + 1);
            let info = json!({"name": "server", "version": "1"});
            let body =
                json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info});
            let Reply::Response { status, mut headers, body } = result(seen, body) else {
                panic!("a response")
            };
            headers.extend(id(begun.get()).map(|id| ("mcp-session-id".to_owned(), id)));
            Reply::Response { status, headers, body }
        }
        "notifications/initialized" | "notifications/cancelled" => response(202, "text/plain", ""),
        "DELETE" => response(204, "text/plain", ""),
        "GET" => response(405, "text/plain", ""),
        _ => rest(seen),
    }
}

pub fn healthy(seen: &Seen) -> Reply {
    result(seen, json!({"tools": [], "content": []}))
}

/// A caller: its principal if any, its capabilities and its headers.
#[derive(Clone)]
pub struct Who {
    pub claims: Option<Map<String, Value>>,
    pub capabilities: Value,
    pub headers: HeaderMap,
    pub protocol: Revision,
    pub level: Option<Level>,
}

pub fn who(principal: Option<&str>) -> Who {
    let claims = principal.map(|sub| json!({"sub": sub}).as_object().unwrap().clone());
    let protocol = Revision::V2025_11_25;
    Who { claims, capabilities: json!({}), headers: HeaderMap::new(), protocol, level: None }
}

impl Who {
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        self
    }

    pub fn stateless(self) -> Self {
        Self { protocol: Revision::V2026_07_28, ..self }
    }

    pub fn accepts(self, capabilities: Value) -> Self {
        Self { capabilities, ..self }
    }

    pub async fn call(&self, net: &Net, upstream: &Upstream) -> Result<Answer, RpcError> {
        let caller = Caller {
            claims: self.claims.as_ref().map(Cow::Borrowed),
            capabilities: self.capabilities.clone(),
            level: self.level,
            ..Caller::new(&self.headers, self.protocol, "tools/call")
        };
        let params = Raw::parse(r#"{"name":"t"}"#).ok().and_then(ReadObject::read);
        let servers = &["up".to_owned()];
        let call = Call {
            method: "tools/call",
            params,
            servers,
            caller: &caller,
            accepts_requests: true,
            streams: None,
            task: None,
            passthrough: None,
        };
        upstream.call(net, &call).await
    }
}

/// Returns the id of the session that a caller's call uses.
pub fn session(net: &Net, upstream: &Upstream, who: &Who) -> String {
    assert!(matches!(net.run(who.call(net, upstream)), Ok(Answer::Result(_))));
    net.last("tools/call").unwrap().header("mcp-session-id").unwrap().to_owned()
}

/// Returns the ids of the sessions that were ended, in order.
pub fn ended(net: &Net) -> Vec<String> {
    net.run(async {});
    let ends = net.seen().into_iter().filter(|seen| seen.method() == "DELETE");
    ends.map(|seen| seen.header("mcp-session-id").unwrap().to_owned()).collect()
}

pub fn begun(net: &Net) -> usize {
    net.methods().iter().filter(|method| *method == "initialize").count()
}

pub fn upstream() -> Upstream {
    Upstream::new(&settings(), &|_| None).unwrap()
}
