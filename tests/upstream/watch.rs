//! Watching an upstream server for changes while the subscription changes.

use std::{cell::Cell, sync::Arc};

use futures_util::{StreamExt, stream};
use mcp_sieve::mcp::{Change, SubscriptionFilter};
use serde_json::{Value, json};

use crate::{
    ask::upstream,
    net::{Net, Piece, Reply, Seen},
    server::{self, event, legacy, modern, result},
};

/// Returns a subscription to the tools and these resources.
fn wanted(resources: &[&str]) -> SubscriptionFilter {
    SubscriptionFilter {
        lists: vec![Change::Tools],
        resources: resources.iter().map(|&uri| uri.to_owned()).collect(),
    }
}

/// Returns a notification about a list, or about a resource if `what` is a URI.
fn told(what: &str) -> Piece {
    event(&match what.split_once(':') {
        Some(_) => {
            json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": what}})
        }
        None => json!({"jsonrpc": "2.0", "method": format!("notifications/{what}/list_changed")}),
    })
}

/// Returns the changes reported while `a:` is subscribed and, after a while, `b:` instead.
fn heard(net: &Net, count: usize) -> Vec<Change> {
    let (upstream, clock) = (Arc::new(upstream()), net.clone());
    let more = stream::once(async move {
        mcp_sieve::mcp::upstream::Fetch::sleep(&clock, 50).await;
        wanted(&["b:"])
    });
    net.run(upstream.watch(net, wanted(&["a:"]), more.boxed_local()).take(count).collect())
}

/// Returns the requests about subscriptions, each with the resource that it names.
fn asked(net: &Net) -> Vec<(String, Value)> {
    let about = |seen: &Seen| {
        let params = &seen.body["params"];
        let named = [&params["uri"], &params["notifications"]["resourceSubscriptions"]];
        named.into_iter().find(|value| !value.is_null()).cloned().unwrap_or_default()
    };
    let opening = ["server/discover", "initialize", "notifications/initialized"];
    let rest = net.seen().into_iter().filter(|seen| !opening.contains(&seen.method()));
    rest.map(|seen| (seen.method().to_owned(), about(&seen))).collect()
}

#[test]
fn a_session_has_one_stream_whatever_it_subscribes_to() {
    let net = Net::new(legacy(json!({"tools": {}, "resources": {"subscribe": true}}), |seen| {
        match seen.method() {
            "GET" => {
                server::stream(vec![told("tools"), told("a:"), Piece::Wait(100), told("b:"), Piece::Hang])
            }
            _ => result(seen, json!({})),
        }
    }));
    let b = Change::Resource("b:".to_owned());
    assert_eq!(heard(&net, 3), [Change::Tools, Change::Resource("a:".to_owned()), b]);
    let expected = [
        ("resources/subscribe", json!("a:")),
        ("GET", Value::Null),
        ("resources/subscribe", json!("b:")),
        ("resources/unsubscribe", json!("a:")),
    ];
    assert_eq!(asked(&net), expected.map(|(method, uri)| (method.to_owned(), uri)));
}

#[test]
fn a_stateless_server_is_asked_anew_and_what_it_had_said_is_heard() {
    let net = Net::new(modern(json!({"tools": {}, "resources": {}}), |seen| {
        let resources = &seen.body["params"]["notifications"]["resourceSubscriptions"];
        match resources == &json!(["b:"]) {
            true => server::stream(vec![told("b:"), Piece::Hang]),
            false => server::stream(vec![told("a:"), Piece::Wait(50), told("tools"), Piece::Hang]),
        }
    }));
    let mut all = heard(&net, 3);
    all.sort_by_key(|change| format!("{change:?}"));
    assert_eq!(all, [Change::Resource("a:".to_owned()), Change::Resource("b:".to_owned()), Change::Tools]);
    let listen = "subscriptions/listen".to_owned();
    assert_eq!(asked(&net), [(listen.clone(), json!(["a:"])), (listen, json!(["b:"]))]);
}

#[test]
fn a_stream_that_was_lost_is_opened_anew_and_all_that_is_wanted_counts_as_changed() {
    let net = Net::new(modern(json!({"tools": {}}), |_| server::stream(vec![told("tools")])));
    let upstream = Arc::new(upstream());
    let watched = upstream.watch(&net, wanted(&["a:"]), stream::empty().boxed_local());
    let changes: Vec<Change> = net.run(watched.take(4).collect());
    assert_eq!(changes, [Change::Tools, Change::Tools, Change::Resource("a:".to_owned()), Change::Tools]);
}

/// Proxies close streams on which nothing was sent for a while.
#[test]
fn a_stream_that_is_closed_while_idle_is_opened_again_soon() {
    let net = Net::new(legacy(json!({"tools": {}}), |seen| match seen.method() {
        "GET" => server::stream(vec![Piece::Wait(60_000)]),
        _ => result(seen, json!({})),
    }));
    let upstream = Arc::new(upstream());
    let watched = upstream.watch(&net, wanted(&[]), stream::empty().boxed_local());
    let begun = net.now();
    assert_eq!(net.run(watched.take(9).collect::<Vec<_>>()).len(), 9);
    let idle = 9 * 60_000;
    assert!(net.now() - begun < idle + 9 * 1_000, "a pause of at most a second each time");
}

/// Returns a response without a body.
fn bare(status: u16) -> Reply {
    Reply::Response { status, headers: vec![], body: vec![] }
}

#[test]
fn a_server_that_tells_nothing_is_not_asked_again() {
    for status in [405, 400, 406, 501] {
        let net = Net::new(legacy(json!({"tools": {}}), move |_| bare(status)));
        let upstream = Arc::new(upstream());
        let watched = upstream.watch(&net, SubscriptionFilter::default(), stream::empty().boxed_local());
        assert_eq!(net.run(watched.collect::<Vec<_>>()), [], "{status}");
        assert_eq!(asked(&net).len(), 1, "{status}");
    }
}

#[test]
fn a_server_that_is_busy_is_asked_again() {
    for status in [409, 429, 408, 500, 502, 503] {
        let refusals = Cell::new(2);
        let net = Net::new(legacy(json!({"tools": {}}), move |seen| match (seen.method(), refusals.get()) {
            ("GET", 0) => server::stream(vec![told("tools"), Piece::Hang]),
            ("GET", left) => {
                refusals.set(left - 1);
                bare(status)
            }
            _ => result(seen, json!({})),
        }));
        let upstream = Arc::new(upstream());
        let watched = upstream.watch(&net, SubscriptionFilter::default(), stream::empty().boxed_local());
        let heard: Vec<Change> = net.run(watched.take(1).collect());
        assert_eq!((heard, asked(&net).len()), (vec![Change::Tools], 3), "{status}");
    }
}
