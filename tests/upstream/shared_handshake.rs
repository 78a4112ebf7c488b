//! Handshakes with stateless servers, which processes share with the catalog.

use mcp_sieve_gateway::{
    config,
    host::Freshness,
    upstream::{Fetch, Gateway, Listing},
};
use serde_json::json;

use crate::{
    gateway::{Servers, behind, config, count_requests, forward, gateway, serve},
    net::Net,
    server::{legacy, modern, result},
};

/// Milliseconds for which the description of each server is valid.
const VALID_MS: u64 = 9_000;

/// The first call of a process that took the catalog of another one.
struct FirstCall {
    discoveries: usize,
    handshakes: usize,
    result: serde_json::Value,
}

fn upstream() -> config::Upstream {
    config::Upstream { min_ttl_ms: VALID_MS, ..behind("a") }
}

fn stateless() -> Servers {
    let servers = Servers::default();
    servers.lists("a", &["x"], 0);
    servers
}

fn with_sessions() -> Servers {
    let servers = Servers::default();
    let tools = json!({"tools": [{"name": "x", "inputSchema": {"type": "object"}}]});
    let answer = move |method: &str| match method {
        "tools/list" => tools.clone(),
        _ => json!({"content": [], "asked": "x"}),
    };
    servers.set("a", legacy(json!({"tools": {}}), move |seen| result(seen, answer(seen.method()))));
    servers
}

/// Calls the tool `x`, and returns the requests that this caused.
async fn call(net: &Net, gateway: &Gateway) -> FirstCall {
    let count = |method| count_requests(net, method);
    let before = [count("server/discover"), count("initialize")];
    let result = forward(net, gateway, &["a".to_owned()], "tools/call", json!({"name": "x"})).await;
    let [discoveries, handshakes] = [count("server/discover") - before[0], count("initialize") - before[1]];
    FirstCall { discoveries, handshakes, result }
}

/// Lets one process list the servers, and another one take the catalog in the form that `share` returns. Returns the
/// first call of the latter, after `ms` milliseconds.
fn first_call_after(servers: &Servers, ms: u64, share: impl Fn(&Net, &Gateway) -> Vec<u8>) -> FirstCall {
    let (net, upstreams) = (servers.net(), [upstream()]);
    let config = config(&upstreams);
    net.run(async {
        let (keeper, taker) = (gateway(&upstreams), gateway(&upstreams));
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        taker.adopt(share(&net, &keeper), &config).unwrap();
        net.sleep(ms).await;
        call(&net, &taker).await
    })
}

fn shared(net: &Net, keeper: &Gateway) -> Vec<u8> {
    keeper.share(net.now(), None).unwrap()
}

#[test]
fn a_stateless_server_is_called_without_another_discovery() {
    let first = first_call_after(&stateless(), VALID_MS - 1, shared);
    assert_eq!((first.discoveries, first.handshakes), (0, 0));
    assert_eq!(first.result["asked"], "x");
}

#[test]
fn a_description_that_expired_is_asked_for_again() {
    let first = first_call_after(&stateless(), VALID_MS, shared);
    assert_eq!((first.discoveries, first.handshakes), (1, 0));
    assert_eq!(first.result["asked"], "x");
}

#[test]
fn a_session_is_not_shared() {
    let first = first_call_after(&with_sessions(), 1, shared);
    assert_eq!((first.discoveries, first.handshakes), (1, 1));
    assert_eq!(first.result["asked"], "x");
}

#[test]
fn a_catalog_without_handshakes_can_still_be_read() {
    let without =
        |_: &Net, keeper: &Gateway| [Gateway::share_stored(Some(1), b""), keeper.store().unwrap()].concat();
    let first = first_call_after(&stateless(), 1, without);
    assert_eq!((first.discoveries, first.result["asked"].as_str()), (1, Some("x")));
}

#[test]
fn stored_handshakes_are_used_and_others_are_refused() {
    let (servers, upstreams) = (stateless(), [upstream()]);
    let (net, config) = (servers.net(), config(&upstreams));
    net.run(async {
        let (keeper, taker) = (gateway(&upstreams), gateway(&upstreams));
        assert!(keeper.handshakes().is_empty());
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        let stored = keeper.handshakes();
        for other in [&b"{}"[..], b"[1]", &stored[1..]] {
            assert!(taker.adopt_handshakes(other).is_err());
        }
        let damaged = [Gateway::share_stored(Some(1), b"[1]"), keeper.store().unwrap()].concat();
        assert!(taker.adopt(damaged, &config).is_err() && taker.held().is_none());
        // A revision with sessions, or of a later version, is none to call with.
        for other in ["2025-11-25", "2030-01-01"] {
            let other = String::from_utf8(stored.clone()).unwrap().replace("2026-07-28", other);
            taker.adopt_handshakes(other.as_bytes()).unwrap();
            assert!(taker.handshakes().is_empty());
        }
        taker.adopt_handshakes(b"").unwrap();
        taker.adopt_handshakes(&stored).unwrap();
        assert_eq!(taker.handshakes(), stored);
        assert_eq!(call(&net, &taker).await.discoveries, 0);
    });
}

/// The process that lists a server is not the one that keeps the catalog.
#[test]
fn lists_carry_the_handshake_to_the_process_that_keeps_the_catalog() {
    for (servers, carried) in [(stateless(), true), (with_sessions(), false)] {
        let (net, settings) = (servers.net(), upstream());
        net.run(async {
            let lister = gateway(std::slice::from_ref(&settings));
            let listing = lister.list(&net, "a", "").await.unwrap();
            let bytes = lister.write_listing("a", &listing);
            let keeper = mcp_sieve_gateway::upstream::Upstream::new(&settings, &|_| None).unwrap();
            assert_eq!(keeper.read_listing(&bytes).unwrap(), listing);
            assert_eq!(keeper.is_stateless(), carried);
            assert!(keeper.read_listing(b"{}").is_err());
            assert_eq!(Listing::read(&bytes).unwrap(), listing);
            assert_eq!(Listing::read(&listing.to_bytes()).unwrap(), listing);
        });
    }
}

/// The server speaks another revision than the one that was shared.
#[test]
fn a_server_that_changed_its_era_is_detected_again() {
    let (servers, upstreams) = (stateless(), [upstream()]);
    let (net, config) = (servers.net(), config(&upstreams));
    net.run(async {
        let (keeper, taker) = (gateway(&upstreams), gateway(&upstreams));
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        let shared = shared(&net, &keeper);
        taker.adopt(shared.clone(), &config).unwrap();
        let other = legacy(json!({"tools": {}}), |seen| result(seen, json!({"content": [], "asked": "x"})));
        servers.set("a", move |seen| match seen.header("mcp-session-id") {
            None if seen.method() == "tools/call" => crate::server::nameless(400, -32022, "unsupported"),
            _ => other(seen),
        });
        let first = call(&net, &taker).await;
        assert_eq!((first.handshakes, first.result["asked"].as_str()), (1, Some("x")));
        // A connection of its own counts more than a shared handshake.
        taker.adopt(shared, &config).unwrap();
        assert!(taker.handshakes().is_empty());
        assert_eq!(call(&net, &taker).await.handshakes, 0);
    });
}

/// Groups and tags are not part of a shared handshake.
#[test]
fn a_server_is_discovered_before_it_is_listed() {
    let servers = Servers::default();
    servers.set(
        "a",
        modern(json!({"tools": {}, "filtering": {"groups": {}}}), |seen| match seen.method() {
            "groups/list" => result(seen, json!({"groups": [{"name": "g"}]})),
            _ => result(seen, json!({"tools": []})),
        }),
    );
    let (net, upstreams) = (servers.net(), [upstream()]);
    let config = config(&upstreams);
    net.run(async {
        let (keeper, taker) = (gateway(&upstreams), gateway(&upstreams));
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        taker.adopt(shared(&net, &keeper), &config).unwrap();
        let listing = taker.list(&net, "a", "").await.unwrap();
        assert_eq!(listing.declared.groups.items.len(), 1);
        assert_eq!(count_requests(&net, "server/discover"), 2);
    });
}
