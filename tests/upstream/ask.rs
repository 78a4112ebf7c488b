//! Sends calls to an upstream server in the way the protocol core does.

use futures_util::StreamExt;
use http::HeaderMap;
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::server::ReadObject;
use mcp_sieve_gateway::{
    config,
    error::RpcError,
    host::{Answer, Call, Caller, Event, Revision, StreamItem},
    upstream::Upstream,
};
use serde_json::{Value, json};

use crate::net::Net;

/// Returns the settings of the server `up`, with short time limits. Its stateless callers share a session. It is listed
/// without capabilities, so that tests of other subjects count one listing; `capable` has the tests of listings with
/// capabilities.
pub fn settings() -> config::Upstream {
    let (name, url) = ("up".to_owned(), "http://127.0.0.1:9/mcp".to_owned());
    config::Upstream {
        name,
        url,
        timeout_ms: 400,
        call_timeout_ms: 900,
        max_pages: 4,
        min_ttl_ms: 0,
        one_user: true,
        capabilities: config::Capabilities { relayed: false, ..Default::default() },
        ..Default::default()
    }
}

/// Returns the client for the server `up`.
pub fn upstream() -> Upstream {
    Upstream::new(&settings(), &|_| None).unwrap()
}

/// The caller of a request: its revision, `clientInfo`, `clientCapabilities` and headers.
pub struct Asker {
    pub protocol: Revision,
    pub client: Option<Value>,
    pub capabilities: Value,
    pub headers: HeaderMap,
    pub accepts_requests: bool,
    pub transport: config::Transport,
}

impl Asker {
    /// Returns a caller of 2025-11-25 that cannot be asked.
    pub fn legacy() -> Self {
        let client = Some(json!({"name": "old", "version": "1"}));
        let capabilities = json!({"sampling": {}});
        Self {
            protocol: Revision::V2025_11_25,
            client,
            capabilities,
            headers: HeaderMap::new(),
            accepts_requests: false,
            transport: config::Transport::Http,
        }
    }

    /// Returns a caller of 2026-07-28 that cannot be asked.
    pub fn modern() -> Self {
        let client = Some(json!({"name": "new", "version": "2"}));
        let capabilities = json!({"elicitation": {}});
        Self {
            protocol: Revision::V2026_07_28,
            client,
            capabilities,
            headers: HeaderMap::new(),
            accepts_requests: false,
            transport: config::Transport::Http,
        }
    }

    /// Sends a request to the server.
    pub async fn ask(
        &self,
        net: &Net,
        upstream: &Upstream,
        method: &str,
        params: &str,
    ) -> Result<Answer, RpcError> {
        let params = if params.is_empty() { None } else { ReadObject::read(Raw::parse(params).unwrap()) };
        let caller = Caller {
            client: self.client.clone(),
            capabilities: self.capabilities.clone(),
            transport: self.transport,
            ..Caller::new(&self.headers, self.protocol, method)
        };
        let servers = ["up".to_owned()];
        let call = Call {
            method,
            params,
            servers: &servers,
            caller: &caller,
            accepts_requests: self.accepts_requests,
            streams: None,
            task: None,
            passthrough: None,
        };
        upstream.call(net, &call).await
    }
}

/// Returns all events of an answer in order, each with its time in milliseconds.
pub async fn drain(net: &Net, answer: Result<Answer, RpcError>) -> Vec<(u64, Event)> {
    match answer {
        Err(failure) | Ok(Answer::Error(failure)) => vec![(net.now(), Event::Error(failure))],
        Ok(Answer::Result(result)) => vec![(net.now(), Event::Result(result))],
        Ok(Answer::Passthrough(response)) => vec![(net.now(), Event::Passthrough(response))],
        Ok(Answer::Dialog(turns)) => {
            let events = turns.filter_map(async |turn| match turn {
                StreamItem::Event(event) => Some((net.now(), event)),
                StreamItem::Request(request) => panic!("asked by {}", request.method),
                StreamItem::Task(plan) => panic!("a task of one's own: {plan:?}"),
            });
            events.collect().await
        }
        Ok(Answer::Events(events)) => events.map(|event| (net.now(), event)).collect().await,
    }
}

/// Returns an event as a text that tests can compare.
pub fn show(event: &Event) -> String {
    match event {
        Event::Notification(message) => format!("notification {}", String::from_utf8_lossy(message)),
        Event::Paused(retry_ms) => format!("paused {retry_ms}"),
        Event::Result(result) => format!("result {}", String::from_utf8_lossy(result)),
        Event::Error(failure) => format!("error {}", failure.to_json()),
        Event::Passthrough(response) => format!("{response:?}"),
    }
}
