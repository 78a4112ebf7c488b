//! The times at which lists are fetched again.

use std::cell::RefCell;

use futures_util::future;
use mcp_sieve::Kind;
use mcp_sieve_gateway::{
    config,
    host::Freshness,
    upstream::{Backend, FIRST_PAUSE_MS, Fetch, MAX_PAUSE_MS, SETTLE_MS},
};
use serde_json::json;

use super::servers::{
    Servers, behind, config, count_requests, forward, gateway, names, refreshed, serve, tools,
};
use crate::{
    net::Reply,
    server::{modern, result},
};

/// Otherwise each of several listings that arrive together would recompile the whole catalog.
#[test]
fn lists_that_arrive_together_are_compiled_once() {
    let servers = Servers::default();
    let names = ["a", "b", "c"];
    names.iter().for_each(|name| servers.lists(name, &[name], 0));
    let net = servers.net();
    let upstreams = names.map(behind);
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let before = serve(&gateway, &net, &config, Freshness::List).await.unwrap().backend;
        net.sleep(1).await;
        let late = [10, 20, 40];
        names.iter().zip(late).for_each(|(name, ms)| servers.lists(name, &[name, "new"], ms));
        let compiled = RefCell::new(Vec::new());
        let after = || async {
            let served = gateway.settle(&net, &config).await;
            compiled.borrow_mut().extend(served.map(|served| served.unwrap().backend));
        };
        let at_once = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert!(std::sync::Arc::ptr_eq(&before.guarded, &at_once.backend.guarded));
        let settled = late.map(|ms| {
            let (net, after) = (&net, &after);
            async move {
                net.sleep(ms).await;
                after().await;
            }
        });
        future::join_all(settled).await;
        assert_eq!(compiled.borrow().len(), 1);
        assert_eq!(names_of(&compiled.borrow()[0]), ["a", "new", "b", "c"]);
        assert_eq!(net.now(), 1 + 10 + SETTLE_MS);
    });
}

fn names_of(backend: &Backend) -> Vec<String> {
    names(backend, Kind::Tool)
}

#[test]
fn requests_side_by_side_share_one_listing_of_each_server() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 30);
    servers.lists("b", &["two"], 60);
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let all = || future::join_all((0..30).map(|_| serve(&gateway, &net, &config, Freshness::List)));
        for served in all().await {
            assert_eq!(tools(&served.unwrap()), ["one", "two"]);
        }
        assert_eq!(count_requests(&net, "tools/list"), 2, "cold");
        net.sleep(1_000).await;
        all().await;
        net.sleep(100).await;
        assert_eq!(count_requests(&net, "tools/list"), 4, "expired");
    });
}

/// Libraries with the default `ttlMs: 0` would otherwise be listed on every request.
#[test]
fn lists_are_kept_for_a_minimum_whatever_the_server_says() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    let net = servers.net();
    let upstreams = [config::Upstream { min_ttl_ms: 5_000, ..behind("a") }];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        net.sleep(4_999).await;
        refreshed(&gateway, &net, &config).await;
        assert_eq!(count_requests(&net, "tools/list"), 1);
        refreshed(&gateway, &net, &config).await;
        assert_eq!(count_requests(&net, "tools/list"), 2);
        // A change takes effect at once.
        servers.lists("a", &["one", "two"], 40);
        gateway.expire();
        let before = net.now();
        let served = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert_eq!((net.now() - before, tools(&served).len(), served.replaced), (40, 2, true));
    });
}

/// A change that is reported during a listing may be missing from its result.
#[test]
fn a_change_during_a_listing_is_fetched_after_it() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 100);
    let net = servers.net();
    let upstreams = [config::Upstream { min_ttl_ms: 5_000, ..behind("a") }];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let first = serve(&gateway, &net, &config, Freshness::List);
        let told = async {
            net.sleep(50).await;
            servers.lists("a", &["one", "two"], 100);
            gateway.expire();
            serve(&gateway, &net, &config, Freshness::List).await.unwrap()
        };
        let (_, told) = future::join(first, told).await;
        assert_eq!((tools(&told).len(), count_requests(&net, "tools/list")), (2, 2));
    });
}

/// A server that recovers is listed soon, however long it was down.
#[test]
fn a_server_that_answers_a_call_is_listed_again_within_a_second() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        let lists = modern(json!({"tools": {}}), |seen| match seen.method() {
            "tools/list" => Reply::Lost,
            _ => result(seen, json!({"content": []})),
        });
        servers.set("a", lists);
        for _ in 0..4 {
            net.sleep(MAX_PAUSE_MS).await;
            refreshed(&gateway, &net, &config).await;
        }
        servers.lists("a", &["one", "two"], 0);
        net.sleep(FIRST_PAUSE_MS).await;
        assert_eq!(tools(&refreshed(&gateway, &net, &config).await).len(), 1, "in its pause");
        forward(&net, &gateway, &["a".to_owned()], "tools/call", json!({"name": "one"})).await;
        assert_eq!(tools(&refreshed(&gateway, &net, &config).await).len(), 2);
    });
}
