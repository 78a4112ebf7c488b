//! Servers that are down, refuse or list something unusable.

use futures_util::future;
use mcp_sieve_gateway::{
    config,
    host::Freshness,
    upstream::{Fetch, MAX_FIRST_PAUSE_MS, pause},
};
use serde_json::json;

use super::servers::{Servers, behind, config, forward, gateway, refreshed, serve, states, tools};
use crate::{
    ask::settings,
    net::{Piece, Reply, Seen},
    server::{legacy, modern, result},
};

#[test]
fn a_server_that_is_down_keeps_nobody_from_the_others() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    servers.down("b");
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let served = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert_eq!(tools(&served), ["one"]);
        assert_eq!(states(&served), ["a ok", "b down since 0: upstream_unreachable"]);
        assert_eq!(served.notes, ["upstreams: upstream `b` cannot be reached"]);

        // The server is not tried again at once.
        let tried = || net.seen().iter().filter(|seen| seen.url == "http://b/mcp").count();
        let before = tried();
        let again = refreshed(&gateway, &net, &config).await;
        assert_eq!((tried(), again.notes.len()), (before, 0));
        net.sleep(pause(1, 0.5)).await;
        let served = refreshed(&gateway, &net, &config).await;
        assert_eq!(tried(), before + 1);
        assert!(served.notes.is_empty(), "said once: {:?}", served.notes);

        servers.lists("b", &["two"], 0);
        net.sleep(pause(2, 0.5)).await;
        let served = refreshed(&gateway, &net, &config).await;
        assert_eq!(
            (tools(&served), states(&served)),
            (vec!["one".to_owned(), "two".to_owned()], vec!["a ok".to_owned(), "b ok".to_owned()])
        );
        assert_eq!(served.notes, ["upstreams: `b` can be listed again"]);
        assert!(served.replaced);
    });
}

#[test]
fn what_a_server_listed_last_stays_while_it_is_down() {
    let servers = Servers::default();
    servers.lists("a", &["x"], 0);
    servers.lists("b", &["x", "y"], 0);
    let net = servers.net();
    let upstreams = [behind("a"), config::Upstream { prefix: Some("b.".to_owned()), ..behind("b") }];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let before = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        servers.down("a");
        net.sleep(1).await;
        let served = refreshed(&gateway, &net, &config).await;
        assert_eq!(tools(&served), ["x", "b.x", "y"], "`x` must not become another server's");
        assert_eq!(states(&served), ["a stale since 1: upstream_unreachable", "b ok"]);
        assert!(!served.replaced);
        assert!(std::sync::Arc::ptr_eq(&before.backend.guarded, &served.backend.guarded), "compiled anew");
        let answer = forward(&net, &gateway, &["a".to_owned()], "tools/call", json!({"name": "x"})).await;
        assert_eq!(answer["data"]["reason"], "upstream_unreachable");
    });
}

#[test]
fn with_nothing_to_show_the_first_servers_failure_is_told() {
    let servers = Servers::default();
    servers.down("a");
    servers.down("b");
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let failure = serve(&gateway, &net, &config, Freshness::List).await.unwrap_err();
        assert_eq!(failure.message, "upstream `a` cannot be reached");
        servers.lists("b", &["two"], 0);
        net.sleep(pause(1, 0.5)).await;
        let served = serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        assert_eq!(tools(&served), ["two"]);
    });
}

/// Callers cannot make the gateway repeat a listing that it rejected.
#[test]
fn a_refused_listing_is_remembered_for_a_while() {
    let servers = Servers::default();
    let endless = modern(json!({"tools": {}}), |seen| {
        result(seen, json!({"tools": [], "nextCursor": seen.body["id"].to_string()}))
    });
    servers.set("a", endless);
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    let pages = || net.methods().iter().filter(|method| *method == "tools/list").count();
    net.run(async {
        let gateway = gateway(&upstreams);
        let reason = async || {
            let failure = serve(&gateway, &net, &config, Freshness::List).await.unwrap_err();
            failure.reason().unwrap().to_owned()
        };
        let each = settings().max_pages;
        for _ in 0..20 {
            assert_eq!(reason().await, "upstream_too_many_pages");
        }
        assert_eq!(pages(), each, "one attempt");
        // When the pause is over, concurrent requests make one attempt, which counts once.
        let mut tried = 0;
        for attempt in 1..=12 {
            net.sleep(tried + pause(attempt, 0.5).min(MAX_FIRST_PAUSE_MS) - 1 - net.now()).await;
            reason().await;
            assert_eq!(pages(), each * attempt as usize, "before the pause is over");
            net.sleep(1).await;
            tried = net.now();
            future::join_all((0..20).map(|_| reason())).await;
            assert_eq!(pages(), each * (attempt as usize + 1), "attempt {attempt}");
        }
        servers.lists("a", &["one"], 0);
        net.sleep(MAX_FIRST_PAUSE_MS).await;
        assert_eq!(tools(&serve(&gateway, &net, &config, Freshness::List).await.unwrap()), ["one"]);
    });
}

/// A listing that is too large would be too large again.
#[test]
fn lists_that_are_refused_for_what_they_hold_are_kept_as_refused() {
    let servers = Servers::default();
    let many = |seen: &Seen| result(seen, json!({"tools": [], "nextCursor": seen.body["id"].to_string()}));
    servers.set("a", modern(json!({"tools": {}}), many));
    servers.lists("b", &["two"], 0);
    let net = servers.net();
    let upstreams = ["a", "b"].map(|name| config::Upstream { min_ttl_ms: 5_000, ..behind(name) });
    let config = config(&upstreams);
    let pages = || {
        let of_a = |seen: &&Seen| seen.url == "http://a/mcp" && seen.method() == "tools/list";
        net.seen().iter().filter(of_a).count()
    };
    net.run(async {
        let gateway = gateway(&upstreams);
        refreshed(&gateway, &net, &config).await;
        let first = pages();
        while net.now() < 4_900 {
            refreshed(&gateway, &net, &config).await;
            net.sleep(100).await;
        }
        assert_eq!(pages(), first, "fetched again");
        net.sleep(200).await;
        refreshed(&gateway, &net, &config).await;
        assert_eq!(pages(), first + settings().max_pages);
    });
}

/// Until a server has answered, the caller gets an error to retry later, not an empty list.
#[test]
fn while_no_server_has_answered_the_failure_says_so() {
    let servers = Servers::default();
    servers.set("a", |_| Reply::Hang);
    let net = servers.net();
    let upstreams = [config::Upstream { list_wait_ms: 300, ..behind("a") }];
    net.run(async {
        let failure =
            serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap_err();
        assert_eq!(
            (net.now(), failure.reason(), failure.asked_again_after()),
            (300, Some("upstream_pending"), Some(1))
        );
    });
}

#[test]
fn attempts_side_by_side_count_as_one() {
    let servers = Servers::default();
    servers.set("a", |_| result_late_and_bad());
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        futures_util::future::join_all((0..20).map(|_| serve(&gateway, &net, &config, Freshness::List)))
            .await;
        let request_count = net.seen().len();
        net.sleep(pause(1, 0.5)).await;
        serve(&gateway, &net, &config, Freshness::List).await.unwrap_err();
        assert!(net.seen().len() > request_count, "the first pause");
    });
}

/// A delayed response that is not valid in the protocol.
fn result_late_and_bad() -> Reply {
    let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
    Reply::Response { status: 404, headers, body: vec![Piece::Wait(50)] }
}

#[test]
fn lists_that_no_catalog_can_be_made_of_are_one_servers_own() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    servers.set("b", legacy(json!({"tools": {}}), |seen| result(seen, json!({"tools": "none"}))));
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    net.run(async {
        let served = serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap();
        assert_eq!(tools(&served), ["one"]);
        assert_eq!(states(&served), ["a ok", "b down since 0: upstream_not_mcp"]);
    });
}
