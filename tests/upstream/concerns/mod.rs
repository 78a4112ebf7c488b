//! Concerns of servers (#1936): values that are learned from lists, and the settings for them.

mod learned;
mod limits;
mod mapped_server;
mod settings;

use std::rc::Rc;

use mcp_sieve::{
    Filter, Kind,
    concern::OnInvalid,
    filter::{Narrowing, Selection},
};
use mcp_sieve_gateway::{
    Config,
    host::{Caller, Freshness, Revision},
    upstream::{Backend, Fetch, Gateway, Served},
};
use serde_json::{Value, json};

use self::mapped_server::Shared;
use crate::{
    gateway::{Servers, serve},
    net::{Net, Seen},
};

fn net(server: &Shared) -> Net {
    let (servers, server) = (Servers::default(), Rc::clone(server));
    servers.set("a", move |seen: &Seen| server.borrow_mut().answer(seen));
    servers.net()
}

/// Returns a configuration with the server `a`, whose settings contain `concerns`.
fn config(concerns: Option<Value>) -> Config {
    let mut upstream =
        json!({"name": "a", "url": "http://a/mcp", "ttlMs": 1000, "minTtlMs": 0, "capabilities": {}});
    concerns.into_iter().for_each(|concerns| upstream["concerns"] = concerns);
    Config::parse(&json!({"upstreams": [upstream]}).to_string()).unwrap()
}

fn listed(gateway: &Gateway, net: &Net, config: &Config) -> Served {
    net.run(async { serve(gateway, net, config, Freshness::List).await.unwrap() })
}

/// Returns the names that a caller with concerns gets, and the parts of its filter without an effect.
fn names(backend: &Backend, config: &Config, list: &str, concerns: &Value) -> (Vec<String>, Vec<String>) {
    let headers = http::HeaderMap::new();
    let view = backend.guarded.view(&Caller::new(&headers, Revision::V2026_07_28, "tools/list"));
    let declared = backend.declared.concerns(config, &view);
    let filter = Filter::parse(&json!({"concerns": concerns}).to_string()).unwrap().filter;
    let narrowing: Narrowing =
        filter.settle(&view, &declared, OnInvalid::Ignore, Vec::new()).unwrap().narrowing;
    let kind = Kind::ALL.into_iter().find(|kind| kind.list_key() == list).unwrap();
    let (kind_index, mut selection) = (view.catalog().kind_index(kind), Selection::default());
    let bits = view.select(&narrowing, kind, &mut selection);
    let names = bits.iter().map(|index| kind_index.id(index).unwrap().to_owned()).collect();
    (names, narrowing.ignored().iter().map(|part| part.field.clone()).collect())
}

/// Returns the methods of the requests since `from`, without those that begin and end sessions.
fn methods(net: &Net, from: usize) -> Vec<String> {
    let others = ["DELETE", "initialize"];
    net.methods().into_iter().skip(from).filter(|method| !others.contains(&method.as_str())).collect()
}

fn lists(methods: &[String]) -> usize {
    methods.iter().filter(|method| method.ends_with("s/list")).count()
}

/// Returns what is served after lists that are due were fetched in the background, `ms` milliseconds later.
fn refreshed(gateway: &Gateway, net: &Net, config: &Config, ms: u64) -> Served {
    net.run(net.sleep(ms));
    listed(gateway, net, config);
    net.run(net.sleep(100));
    listed(gateway, net, config)
}
