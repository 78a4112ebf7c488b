//! Sharing lists: one process lists the servers, and others serve the result.

use http::HeaderMap;
use mcp_sieve::{Kind, json::Raw};
use mcp_sieve_gateway::server::ReadObject;
use mcp_sieve_gateway::{
    config::{self, Config},
    host::{Call, Caller, Freshness, Revision},
    upstream::{Features, Fetch, Gateway, Listing, Served, UpstreamState},
};
use serde_json::json;

use crate::{
    gateway::{Servers, behind, config, gateway, serve},
    net::{Net, Reply},
    server::{modern, result},
};

/// Everything that a gateway serves: the hash of its catalog, its routes, and the features and states of its servers.
type Shown = (u128, Vec<String>, Vec<(String, Features)>, Vec<String>);

/// Returns everything that a gateway serves.
fn shown(served: &Served) -> Shown {
    let backend = &served.backend;
    let catalog = backend.guarded.catalog();
    let tools = catalog.kind_index(Kind::Tool);
    let routes = (0..tools.len())
        .map(|at| format!("{:?} {:?} {:?}", tools.id(at), tools.server(at), tools.own_id(at)));
    let states = backend.upstreams.iter().map(|status| format!("{} {:?}", status.name, status.state));
    (catalog.hash(), routes.collect(), backend.features.clone(), states.collect())
}

/// Returns two servers that share a tool name.
fn two_servers() -> (Servers, Net, Vec<config::Upstream>) {
    let servers = Servers::default();
    servers.lists("a", &["x", "y"], 0);
    servers.lists("b", &["x"], 0);
    let net = servers.net();
    let upstreams = vec![
        behind("a"),
        config::Upstream { prefix: Some("b_".to_owned()), min_ttl_ms: 9_000, ..behind("b") },
    ];
    (servers, net, upstreams)
}

#[test]
fn another_process_serves_the_same_and_asks_no_server() {
    let (_, net, upstreams) = two_servers();
    let config = config(&upstreams);
    net.run(async {
        let (keeper, taker) = (gateway(&upstreams), gateway(&upstreams));
        assert!(keeper.share(net.now(), None).is_none(), "nothing is served yet");
        let served = serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        let request_count = net.seen().len();
        let adopted = taker.adopt(keeper.share(net.now(), None).unwrap(), &config).unwrap();
        assert_eq!(shown(&adopted.served), shown(&served));
        assert_eq!((adopted.served.replaced, adopted.good_ms), (false, Some(0)));
        let pending = [Gateway::share_stored(None, b""), keeper.store().unwrap()].concat();
        let wrong = [&b"soon"[..], &pending].concat();
        assert!(taker.adopt(wrong, &config).is_err());
        assert_eq!(gateway(&upstreams).adopt(pending, &config).unwrap().good_ms, None);
        assert_eq!(taker.held().unwrap().guarded.catalog().hash(), shown(&served).0);
        assert_eq!(net.seen().len(), request_count);
    });
}

#[test]
fn the_same_catalog_is_not_sent_twice() {
    let (servers, net, upstreams) = two_servers();
    let config = config(&upstreams);
    net.run(async {
        let (keeper, taker) = (gateway(&upstreams), gateway(&upstreams));
        let first = serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        taker.adopt(keeper.share(net.now(), None).unwrap(), &config).unwrap();
        let known = taker.held().unwrap();
        // Only the state of the servers has changed.
        servers.down("a");
        keeper.expire_server("a");
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        let short = keeper.share(net.now(), Some(shown(&first).0)).unwrap();
        assert!(short.len() < 700, "{} bytes", short.len());
        let adopted = taker.adopt(short, &config).unwrap();
        assert!(matches!(adopted.served.backend.upstreams[0].state, UpstreamState::Stale(_)));
        assert!(std::sync::Arc::ptr_eq(&known.guarded, &adopted.served.backend.guarded), "compiled anew");
        assert_eq!((adopted.served.replaced, adopted.good_ms), (false, None));

        servers.lists("a", &["z"], 0);
        net.sleep(60_000).await;
        keeper.expire();
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        let adopted = taker.adopt(keeper.share(net.now(), Some(shown(&first).0)).unwrap(), &config).unwrap();
        assert!(adopted.served.replaced, "listeners are to be told");
        assert_eq!(shown(&adopted.served).1.len(), 2);
    });
}

/// A restarted process serves the stored lists, and lists the upstream servers again.
#[test]
fn what_was_stored_is_served_while_servers_are_down() {
    let (servers, net, upstreams) = two_servers();
    let config = config(&upstreams);
    net.run(async {
        let before = gateway(&upstreams);
        let served = serve(&before, &net, &config, Freshness::List).await.unwrap();
        let stored: Vec<_> = before
            .listings()
            .iter()
            .map(|(source, listing)| ((*source).to_owned(), listing.to_bytes()))
            .collect();
        let catalog = before.share(net.now(), None).unwrap();

        let again = gateway(&upstreams);
        let moved = |up: &config::Upstream| config::Upstream { url: format!("{}/v2", up.url), ..up.clone() };
        let moved = gateway(&upstreams.iter().map(moved).collect::<Vec<_>>());
        for (source, bytes) in &stored {
            assert!(again.restore(source, Listing::read(bytes).unwrap(), 0));
            assert!(!moved.restore(source, Listing::read(bytes).unwrap(), 0), "the lists of another address");
        }
        again.adopt(catalog, &config).unwrap();
        servers.set("a", |_| Reply::Hang);
        servers.lists("b", &["x", "new"], 50);
        let at_once = serve(&again, &net, &config, Freshness::List).await.unwrap();
        assert_eq!((shown(&at_once).1, at_once.replaced), (shown(&served).1, false));
        net.sleep(100).await;
        let later = again.settle(&net, &config).await.unwrap().unwrap();
        assert_eq!((shown(&later).1.len(), later.replaced), (4, true));
    });
}

/// A process that restarts while stored lists are valid calls no server, and lists a server when its list expires.
#[test]
fn what_was_stored_is_good_for_as_long_as_it_was() {
    let (servers, net, upstreams) = two_servers();
    let upstreams: Vec<_> =
        upstreams.into_iter().map(|upstream| config::Upstream { min_ttl_ms: 9_000, ..upstream }).collect();
    let config = config(&upstreams);
    net.run(async {
        let before = gateway(&upstreams);
        let served = serve(&before, &net, &config, Freshness::List).await.unwrap();
        let lists = before.listings();
        let (catalog, good_ms) = (before.store().unwrap(), before.good_for(net.now()).unwrap());
        let good_until = net.now() + good_ms;
        assert!(good_ms > 8_000, "{good_ms}");
        let shared = before.share(net.now(), None).unwrap();
        assert_eq!(
            [Gateway::share_stored(Some(good_ms), &before.handshakes()), catalog.clone()].concat(),
            shared
        );

        let again = gateway(&upstreams);
        let loaded = again.load(catalog, &config).unwrap();
        assert_eq!((shown(&loaded), loaded.replaced), (shown(&served), false));
        for (name, listing) in &lists {
            again.restore(name, Listing::clone(listing), good_until);
        }
        let request_count = net.seen().len();
        let at_once = serve(&again, &net, &config, Freshness::List).await.unwrap();
        assert!(std::sync::Arc::ptr_eq(&at_once.backend, &loaded.backend), "compiled again");
        assert_eq!(
            (net.seen().len(), again.good_for(net.now())),
            (request_count, Some(good_until - net.now()))
        );

        // A change expires the lists of its server and of no other.
        servers.lists("b", &["x", "new"], 0);
        again.expire_server("b");
        let changed = serve(&again, &net, &config, Freshness::List).await.unwrap();
        assert_eq!((shown(&changed).1.len(), changed.replaced), (4, true));
        let seen = net.seen();
        let listed = seen[request_count..].iter().filter(|seen| seen.method() == "tools/list");
        assert_eq!(listed.map(|seen| seen.url.split('/').nth(2).unwrap()).collect::<Vec<_>>(), ["b"]);
        // Lists that a process fetched itself are newer than stored ones.
        let stale = Listing { lists: "[]".to_owned(), ..Listing::clone(&lists[0].1) };
        again.restore(lists[0].0, stale, good_until);
        assert_eq!(again.listings()[0].1, lists[0].1);
    });
}

/// The process that forwards a call writes the headers that repeat arguments, although it has listed nothing. Bound
/// arguments are in no list at all.
#[test]
fn marked_arguments_are_known_to_a_process_that_lists_nothing() {
    for rule in [
        r#"{"match": "name:t", "name": "renamed"}"#,
        r#"{"match": "name:t", "name": "renamed", "bind": {"region": {"const": "eu"}}}"#,
        r#"{"match": "name:t", "name": "renamed", "bind": {"where": {"const": {"city": "Bern"}}}}"#,
    ] {
        marked_arguments_reach_a_process(rule);
    }
}

#[track_caller]
fn marked_arguments_reach_a_process(rule: &str) {
    let servers = Servers::default();
    let schema = json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"},
            "where": {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}}}});
    let tools = json!({"tools": [{"name": "t", "inputSchema": schema}]});
    servers.set(
        "a",
        modern(json!({"tools": {}}), move |seen| match seen.method() {
            "tools/list" => result(seen, tools.clone()),
            _ => result(seen, json!({"content": []})),
        }),
    );
    let net = servers.net();
    let upstreams = [behind("a")];
    let rules = Config::parse(&format!(r#"{{"rules": [{rule}]}}"#)).unwrap();
    let mut config = config(&upstreams);
    config.engine.assignments = rules.engine.assignments;
    net.run(async {
        let (keeper, taker) = (gateway(&upstreams), gateway(&upstreams));
        let served = serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        assert!(shown(&served).1[0].contains("renamed"));
        taker.adopt(keeper.share(net.now(), None).unwrap(), &config).unwrap();
        let headers = HeaderMap::new();
        let params = r#"{"name":"t","arguments":{"region":"eu","where":{"city":"Bern"}}}"#;
        let caller = Caller::new(&headers, Revision::V2026_07_28, "tools/call");
        let call = Call {
            method: "tools/call",
            params: Raw::parse(params).ok().and_then(ReadObject::read),
            servers: &["a".to_owned()],
            caller: &caller,
            accepts_requests: false,
            streams: None,
            task: None,
            passthrough: None,
        };
        taker.forward(&net, &call).await.unwrap();
        let seen = net.last("tools/call").unwrap();
        assert_eq!(seen.header("mcp-param-region"), Some("eu"), "{rule}");
        assert_eq!(seen.header("mcp-param-city"), Some("Bern"), "{rule}");
    });
}

#[test]
fn bytes_of_something_else_are_refused_and_change_nothing() {
    let (_, net, upstreams) = two_servers();
    let config = config(&upstreams);
    net.run(async {
        let keeper = gateway(&upstreams);
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        let whole = keeper.share(net.now(), None).unwrap();
        let refuse = |bytes: &[u8]| {
            let taker: Gateway = gateway(&upstreams);
            let refused = taker.adopt(bytes.to_vec(), &config).is_err();
            refused && taker.held().is_none()
        };
        assert!([&b""[..], b"\n", b"{}\n", b"[]"].into_iter().all(refuse));
        for end in (0..whole.len()).step_by(97) {
            assert!(refuse(&whole[..end]), "cut off at {end}");
        }
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(refuse(&damaged));
        assert!(
            Listing::read(b"{}").is_err() && Listing::read(b"{\"ttlMs\":1,\"features\":{}}\n\xff").is_err()
        );
    });
}

#[test]
fn changes_that_servers_announce_are_handed_over_once() {
    let (_, net, upstreams) = two_servers();
    net.run(async {
        let gateway = gateway(&upstreams);
        assert_eq!(gateway.take_changed(), [""; 0]);
        gateway.expire_server("b");
        assert_eq!(gateway.take_changed(), ["b"]);
        assert_eq!(gateway.take_changed(), [""; 0]);
    });
}
