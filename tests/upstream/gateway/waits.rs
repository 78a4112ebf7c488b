//! Servers that are slow.

use futures_util::future;
use mcp_sieve_gateway::{
    config,
    host::{Freshness, ROUTE_MS},
    upstream::Fetch,
};
use serde_json::json;

use super::servers::{Servers, behind, config, forward, gateway, serve, states, tools};
use crate::{
    net::{Piece, Reply},
    server::{modern, result},
};

/// A server that stops answering must not delay callers of the other servers' tools.
#[test]
fn a_server_that_hangs_delays_neither_lists_nor_calls_of_others() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 20);
    servers.lists("b", &["two"], 20);
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        servers.set("a", |_| Reply::Hang);
        net.sleep(ROUTE_MS).await;
        for need in [Freshness::List, Freshness::Route, Freshness::List] {
            let before = net.now();
            let served = serve(&gateway, &net, &config, need).await.unwrap();
            assert_eq!((net.now() - before, tools(&served).len()), (0, 2), "{need:?}");
            forward(&net, &gateway, &["b".to_owned()], "tools/call", json!({"name": "two"})).await;
            assert_eq!(net.now() - before, 0);
            net.sleep(1_000).await;
        }
    });
}

/// A list request waits once for a server that was never listed, and reports a missing server.
#[test]
fn first_lists_wait_for_a_server_as_long_as_its_settings_say() {
    let servers = Servers::default();
    servers.set("a", |_| Reply::Hang);
    servers.lists("b", &["two"], 20);
    servers.lists("c", &["three"], 350);
    let net = servers.net();
    let upstreams = ["a", "b", "c"].map(|name| config::Upstream { list_wait_ms: 300, ..behind(name) });
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        // The second request waits for the listing that the first one started.
        let second = async {
            net.sleep(100).await;
            serve(&gateway, &net, &config, Freshness::List).await.unwrap()
        };
        let (served, second) = future::join(serve(&gateway, &net, &config, Freshness::List), second).await;
        let served = served.unwrap();
        assert_eq!(
            (net.now(), tools(&served), tools(&second)),
            (300, vec!["two".to_owned()], vec!["two".to_owned()])
        );
        let pending = |name: &str| format!("{name} down since 0: upstream_pending");
        assert_eq!(states(&served), [pending("a"), "b ok".to_owned(), pending("c")]);
        // No request waits for it again.
        let again = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert_eq!((net.now(), again.replaced), (300, false));
        net.sleep(100).await;
        let late = gateway.settle(&net, &config).await.unwrap().unwrap();
        assert_eq!((tools(&late).len(), late.replaced), (2, true), "listeners are to be told");
        net.sleep(2_000).await;
        let before = net.now();
        let served = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert_eq!(
            (net.now(), states(&served).remove(0)),
            (before, "a down since 800: upstream_timeout".to_owned())
        );
    });
}

#[test]
fn all_lists_of_a_server_have_to_come_in_time() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    servers.set(
        "b",
        modern(json!({"tools": {}}), |seen| match seen.method() {
            "tools/list" => {
                let Reply::Response { status, headers, body } =
                    result(seen, json!({"tools": [], "nextCursor": seen.body["id"].to_string()}))
                else {
                    panic!("a response");
                };
                Reply::Response { status, headers, body: [vec![Piece::Wait(300)], body].concat() }
            }
            _ => result(seen, json!({})),
        }),
    );
    let net = servers.net();
    let upstreams = [behind("a"), config::Upstream { list_timeout_ms: 1_000, max_pages: 100, ..behind("b") }];
    net.run(async {
        let served = serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap();
        assert_eq!(net.now(), 750, "a quarter of the time is left for declarations");
        let note = "upstreams: upstream `b` did not finish its answer to `tools/list` within 750 ms; the other lists of \
                    `b` are served";
        assert_eq!(served.notes, [note]);
        assert_eq!(tools(&served), ["one"]);
    });
}
