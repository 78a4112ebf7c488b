//! In-memory servers, and a gateway in front of them.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use futures_util::{FutureExt, future};
use http::HeaderMap;
use mcp_sieve::{Kind, json::Raw};
use mcp_sieve_gateway::server::ReadObject;
use mcp_sieve_gateway::{
    config::{self, Config},
    error::RpcError,
    host::{Answer, Call, Caller, Freshness, Revision},
    upstream::{Backend, Fetch, Gateway, Served, UpstreamState},
};
use serde_json::{Value, json};

use crate::{
    ask::settings,
    net::{Net, Piece, Reply, Seen},
    server::{modern, result},
};

/// The current behavior of each server, by its host.
#[derive(Clone, Default)]
pub struct Servers(Rc<RefCell<BTreeMap<String, Server>>>);

type Server = Rc<dyn Fn(&Seen) -> Reply>;

impl Servers {
    pub fn set(&self, host: &str, server: impl Fn(&Seen) -> Reply + 'static) {
        self.0.borrow_mut().insert(host.to_owned(), Rc::new(server));
    }

    /// Adds a server that lists these tools after `ms` milliseconds.
    pub fn lists(&self, host: &str, tools: &[&str], ms: u64) {
        let tools: Vec<Value> =
            tools.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
        let late = move |seen: &Seen, answer: Value| match result(seen, answer) {
            Reply::Response { status, headers, body } => {
                let body = [vec![Piece::Wait(ms)], body].concat();
                Reply::Response { status, headers, body }
            }
            reply => reply,
        };
        self.set(
            host,
            modern(json!({"tools": {}}), move |seen| match seen.method() {
                "tools/list" => late(seen, json!({"tools": tools, "ttlMs": 0, "cacheScope": "public"})),
                _ => result(seen, json!({"content": [], "asked": seen.body["params"]["name"]})),
            }),
        );
    }

    /// Makes a server lose every request.
    pub fn down(&self, host: &str) {
        self.set(host, |_| Reply::Lost);
    }

    /// Returns the network of these servers.
    pub fn net(&self) -> Net {
        let servers = self.clone();
        Net::new(move |seen| {
            let host = seen.url.split('/').nth(2).unwrap().to_owned();
            let server = Rc::clone(&servers.0.borrow()[&host]);
            server(seen)
        })
    }
}

/// Returns the settings of an upstream server whose host is its name.
pub fn behind(name: &str) -> config::Upstream {
    config::Upstream { name: name.to_owned(), url: format!("http://{name}/mcp"), ..settings() }
}

pub fn config(upstreams: &[config::Upstream]) -> Config {
    Config { upstreams: upstreams.to_vec(), ..Config::default() }
}

pub fn gateway(upstreams: &[config::Upstream]) -> Gateway {
    Gateway::new(upstreams, &|_| None).unwrap()
}

/// Returns what a gateway serves now.
pub async fn serve(
    gateway: &Gateway,
    net: &Net,
    config: &Config,
    need: Freshness,
) -> Result<Served, RpcError> {
    gateway.serve(net, config, need, || future::ready(()).boxed_local()).await
}

/// Returns what a gateway serves after its background work is done.
pub async fn refreshed(gateway: &Gateway, net: &Net, config: &Config) -> Served {
    serve(gateway, net, config, Freshness::List).await.unwrap();
    net.sleep(1).await;
    serve(gateway, net, config, Freshness::Route).await.unwrap()
}

pub fn names(backend: &Backend, kind: Kind) -> Vec<String> {
    backend.guarded.catalog().kind_index(kind).ids().map(str::to_owned).collect()
}

pub fn tools(served: &Served) -> Vec<String> {
    names(&served.backend, Kind::Tool)
}

/// Returns each server's state and its reason.
pub fn states(served: &Served) -> Vec<String> {
    let word = |state: &UpstreamState| match state {
        UpstreamState::Ok => "ok".to_owned(),
        UpstreamState::Partial(problems) => format!("partial: {problems:?}"),
        UpstreamState::Stale(trouble) => format!("stale since {}: {}", trouble.since, trouble.reason),
        UpstreamState::Waiting => "waiting".to_owned(),
        UpstreamState::Down(trouble) => format!("down since {}: {}", trouble.since, trouble.reason),
    };
    served.backend.upstreams.iter().map(|status| format!("{} {}", status.name, word(&status.state))).collect()
}

/// Forwards a request to these servers, and returns its result or error.
pub async fn forward(net: &Net, gateway: &Gateway, servers: &[String], method: &str, params: Value) -> Value {
    let (headers, params) = (HeaderMap::new(), params.to_string());
    let caller = Caller::new(&headers, Revision::V2026_07_28, method);
    let call = Call {
        method,
        params: Raw::parse(&params).ok().and_then(ReadObject::read),
        servers,
        caller: &caller,
        accepts_requests: false,
        streams: None,
        task: None,
        passthrough: None,
    };
    match gateway.forward(net, &call).await {
        Ok(Answer::Result(result)) => serde_json::from_slice(&result).unwrap(),
        Ok(Answer::Error(failure)) | Err(failure) => failure.to_json(),
        Ok(Answer::Events(_) | Answer::Dialog(_) | Answer::Passthrough(_)) => panic!("a stream"),
    }
}

/// Returns the number of requests with a method that the servers received.
pub fn count_requests(net: &Net, method: &str) -> usize {
    net.methods().iter().filter(|seen| *seen == method).count()
}
