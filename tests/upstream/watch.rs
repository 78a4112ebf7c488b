//! Watching an upstream server for changes while the subscription changes.

use std::{cell::Cell, pin::pin, rc::Rc, sync::Arc};

use futures_util::{
    StreamExt, future,
    future::{Either, select},
    stream,
};
use mcp_sieve_gateway::streams::{Change, SubscriptionFilter};
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
        mcp_sieve_gateway::upstream::Fetch::sleep(&clock, 50).await;
        wanted(&["b:"])
    });
    net.run(upstream.watch(net, wanted(&["a:"]), more.boxed_local()).take(count).collect())
}

/// Returns the requests about subscriptions, each with the resource that it names.
fn subscription_requests(net: &Net) -> Vec<(String, Value)> {
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
        ("GET", Value::Null),
        ("resources/subscribe", json!("a:")),
        ("resources/subscribe", json!("b:")),
        ("resources/unsubscribe", json!("a:")),
    ];
    assert_eq!(subscription_requests(&net), expected.map(|(method, uri)| (method.to_owned(), uri)));
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
    assert_eq!(subscription_requests(&net), [(listen.clone(), json!(["a:"])), (listen, json!(["b:"]))]);
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

/// Returns the changes of the resources `uris`.
fn updates(uris: &[&str]) -> Vec<Change> {
    uris.iter().map(|&uri| Change::Resource(uri.to_owned())).collect()
}

/// One client's subscription does not stop the changes of the others.
#[test]
fn a_subscription_that_a_session_refuses_or_does_not_answer_holds_up_no_other() {
    for refusal in [bare(500), bare(404), Reply::Hang, Reply::Lost] {
        let net = Net::new(legacy(json!({"resources": {"subscribe": true}}), move |seen| {
            match (seen.method(), seen.body["params"]["uri"].as_str()) {
                ("GET", _) => server::stream(vec![
                    Piece::Wait(100),
                    told("a:"),
                    Piece::Wait(100),
                    told("c:"),
                    Piece::Hang,
                ]),
                (_, Some(uri)) if uri.starts_with("bad") => refusal.clone(),
                _ => result(seen, json!({})),
            }
        }));
        let bad: Vec<String> = (0..15).map(|at| format!("bad-{at}:")).collect();
        let all = bad.iter().map(String::as_str).chain(["a:", "c:"]).collect::<Vec<_>>();
        let watched = Arc::new(upstream()).watch(&net, wanted(&all), stream::empty().boxed_local());
        assert_eq!(net.run(watched.take(2).collect::<Vec<_>>()), updates(&["a:", "c:"]));
        let requests = subscription_requests(&net);
        let subscribed = |uri: &str| requests.contains(&("resources/subscribe".to_owned(), json!(uri)));
        assert!(all.into_iter().all(subscribed), "{requests:?}");
        assert_eq!(requests.iter().filter(|(method, _)| method == "GET").count(), 1);
    }
}

/// A server may send not even the headers of the stream before it has a message, and has none without subscriptions.
#[test]
fn a_session_subscribes_although_the_server_has_not_opened_the_stream() {
    let net = Net::new(legacy(json!({"resources": {"subscribe": true}}), |seen| match seen.method() {
        "GET" => Reply::Late(200_000, Box::new(server::stream(vec![told("a:"), Piece::Hang]))),
        _ => result(seen, json!({})),
    }));
    let mut watched = Arc::new(upstream()).watch(&net, wanted(&["a:"]), stream::empty().boxed_local());
    let heard = net.run(async {
        let soon = mcp_sieve_gateway::upstream::Fetch::sleep(&net, 5_000);
        let early = matches!(select(watched.next(), pin!(soon)).await, Either::Left(_));
        assert!(!early);
        assert!(
            subscription_requests(&net).contains(&("resources/subscribe".to_owned(), json!("a:"))),
            "{:?}",
            subscription_requests(&net)
        );
        watched.next().await
    });
    assert_eq!(heard, Some(Change::Resource("a:".to_owned())));
    assert_eq!(subscription_requests(&net).iter().filter(|(method, _)| method == "GET").count(), 1);
}

/// What it does not answer counts as refused after a while, and is tried again with a stream that is opened later.
#[test]
fn a_stateless_server_that_hangs_at_some_resources_reports_the_others() {
    let net = Net::new(modern(json!({"tools": {}, "resources": {}}), |seen| {
        let resources = seen.body["params"]["notifications"]["resourceSubscriptions"].to_string();
        match (resources.contains("bad"), resources.contains("a:")) {
            (true, _) => Reply::Hang,
            (false, true) => server::stream(vec![told("a:"), Piece::Wait(11 * 60_000)]),
            (false, false) => server::stream(vec![Piece::Hang]),
        }
    }));
    let bad: Vec<String> = (0..40).map(|at| format!("bad-{at}:")).collect();
    let all = ["a:"].into_iter().chain(bad.iter().map(String::as_str)).collect::<Vec<_>>();
    let watched = Arc::new(upstream()).watch(&net, wanted(&all), stream::empty().boxed_local());
    let changes = net.run(
        watched
            .filter(|change| future::ready(*change == Change::Resource("a:".to_owned())))
            .take(2)
            .collect::<Vec<_>>(),
    );
    assert_eq!(changes.len(), 2);
    let tries = subscription_requests(&net)
        .iter()
        .filter(|(_, resources)| resources.to_string().contains("bad"))
        .count();
    assert!((4..=66).contains(&tries), "{tries} requests in two searches");
}

#[test]
fn resources_that_a_stateless_server_refuses_are_left_out() {
    for refusal in [json!({"code": -32602, "message": "unknown resource"}), Value::Null] {
        let net = Net::new(modern(json!({"tools": {}, "resources": {}}), move |seen| {
            let resources = &seen.body["params"]["notifications"]["resourceSubscriptions"];
            let resources: Vec<_> =
                resources.as_array().into_iter().flatten().map(|uri| uri.as_str().unwrap()).collect();
            match (resources.iter().any(|uri| uri.starts_with("bad")), &refusal) {
                (true, Value::Null) => bare(500),
                (true, refusal) => server::error(seen, 400, refusal.clone()),
                (false, _) if resources.len() < 6 => server::stream(vec![Piece::Hang]),
                (false, _) => server::stream(vec![told("a5:"), Piece::Hang]),
            }
        }));
        let good: Vec<String> = (0..6).map(|at| format!("a{at}:")).collect();
        let all = good.iter().map(String::as_str).chain(["bad-1:", "bad-2:"]).collect::<Vec<_>>();
        let watched = Arc::new(upstream()).watch(&net, wanted(&all), stream::empty().boxed_local());
        assert_eq!(net.run(watched.take(1).collect::<Vec<_>>()), updates(&["a5:"]));
        let requests = subscription_requests(&net);
        assert!(requests.iter().any(|(_, resources)| *resources == json!(good)), "{requests:?}");
        assert!(requests.len() < 12, "{requests:?}");
    }
}

/// A filter replaces the one before it, also while there is no stream.
#[test]
fn of_the_filters_that_arrive_while_a_server_is_down_the_newest_counts() {
    let down = Cell::new(3);
    let net = Net::new(legacy(json!({"resources": {"subscribe": true}}), move |seen| {
        match (seen.method(), down.get()) {
            ("GET", 0) => server::stream(vec![Piece::Wait(100), told("last:"), Piece::Hang]),
            ("GET", left) => {
                down.set(left - 1);
                bare(503)
            }
            _ => result(seen, json!({})),
        }
    }));
    let clock = net.clone();
    let more = stream::iter(["first:", "second:", "last:"]).then(move |uri| {
        let clock = clock.clone();
        async move {
            mcp_sieve_gateway::upstream::Fetch::sleep(&clock, 10).await;
            wanted(&[uri])
        }
    });
    let watched = Arc::new(upstream()).watch(&net, wanted(&["a:"]), more.boxed_local());
    let heard = net.run(watched.take(3).collect::<Vec<_>>());
    assert_eq!(heard, [vec![Change::Tools], updates(&["last:", "last:"])].concat(), "missed, and then told");
    let subscribed = subscription_requests(&net).into_iter().filter(|(method, _)| method != "GET");
    assert_eq!(subscribed.collect::<Vec<_>>(), [("resources/subscribe".to_owned(), json!("last:"))]);
}

#[test]
fn a_filter_that_changes_nothing_for_a_stateless_server_opens_no_stream() {
    let net = Net::new(modern(json!({"tools": {}}), |_| {
        server::stream(vec![Piece::Wait(500), told("tools"), Piece::Hang])
    }));
    let more = stream::iter([wanted(&["a:"]), wanted(&["a:"])]);
    let watched = Arc::new(upstream()).watch(&net, wanted(&["a:"]), more.boxed_local());
    net.run(watched.take(1).collect::<Vec<_>>());
    assert_eq!(subscription_requests(&net).len(), 1);
}

/// Such a stream may bring nothing for hours; calls have a limit of two minutes.
#[test]
fn a_stateless_stream_may_be_silent_for_longer_than_a_call() {
    let net = Net::new(modern(json!({"tools": {}}), |_| {
        server::stream(vec![Piece::Wait(10 * 60_000), told("tools"), Piece::Hang])
    }));
    let watched = Arc::new(upstream()).watch(&net, wanted(&[]), stream::empty().boxed_local());
    assert_eq!(net.run(watched.take(1).collect::<Vec<_>>()), [Change::Tools]);
    assert_eq!(subscription_requests(&net).len(), 1);
}

/// Each change of a list has the server listed and the catalog compiled.
#[test]
fn a_flood_of_changes_is_followed_four_times_a_second_and_the_last_one_is_reported() {
    let flood = (0..100).flat_map(|_| [told("tools"), told("prompts"), told("a:"), Piece::Wait(10)]);
    let pieces: Vec<Piece> = flood.chain([Piece::Wait(9_000), told("tools"), Piece::Hang]).collect();
    let net = Net::new(modern(json!({"tools": {}, "prompts": {}, "resources": {}}), move |_| {
        server::stream(pieces.clone())
    }));
    let lists = vec![Change::Tools, Change::Prompts];
    let all = SubscriptionFilter { lists, resources: ["a:".to_owned()].into() };
    let watched = Arc::new(upstream()).watch(&net, all, stream::empty().boxed_local());
    let begun = net.now();
    let clock = net.clone();
    let seen: Vec<(u64, Change)> = net.run(async {
        let over = Box::pin(mcp_sieve_gateway::upstream::Fetch::sleep(&net, 20_000));
        watched.map(|change| (clock.now() - begun, change)).take_until(over).collect().await
    });
    let times = |wanted: &Change| -> Vec<u64> {
        seen.iter().filter(|(_, change)| change == wanted).map(|(at, _)| *at).collect()
    };
    assert_eq!(times(&Change::Resource("a:".to_owned())).len(), 100, "updates of resources do not wait");
    // Twelve at once, then one every 250 ms. The last of the flood come at 990.
    assert_eq!(times(&Change::Tools), [0, 10, 20, 30, 40, 50, 250, 750, 1_250, 10_000]);
    assert_eq!(times(&Change::Prompts), [0, 10, 20, 30, 40, 50, 500, 1_000]);
}

/// Servers end sessions whose client does not answer a ping.
#[test]
fn requests_on_the_stream_of_changes_are_answered() {
    let request = |id: &str, method: &str| event(&json!({"jsonrpc": "2.0", "id": id, "method": method}));
    let asking =
        vec![request("p", "ping"), request("r", "roots/list"), Piece::Wait(10), told("tools"), Piece::Hang];
    let net = Net::new(legacy(json!({"tools": {}}), move |seen| match seen.method() {
        "GET" => server::stream(asking.clone()),
        "" => bare(202),
        _ => result(seen, json!({})),
    }));
    let watched = Arc::new(upstream()).watch(&net, wanted(&[]), stream::empty().boxed_local());
    net.run(watched.take(1).collect::<Vec<_>>());
    let answers: Vec<Value> =
        net.seen().into_iter().map(|seen| seen.body).filter(|body| body["id"].is_string()).collect();
    assert_eq!(answers[0], json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!("r"), &json!(-32601)));
}

#[test]
fn a_server_that_tells_nothing_is_not_asked_again() {
    for status in [405, 400, 406, 501] {
        let net = Net::new(legacy(json!({"tools": {}}), move |_| bare(status)));
        let upstream = Arc::new(upstream());
        let watched = upstream.watch(&net, SubscriptionFilter::default(), stream::empty().boxed_local());
        assert_eq!(net.run(watched.collect::<Vec<_>>()), [], "{status}");
        assert_eq!(subscription_requests(&net).len(), 1, "{status}");
    }
}

/// The example servers of the SDK answer 400 to an unknown session, also for the stream.
#[test]
fn a_restarted_server_that_refuses_its_old_session_reports_changes_again() {
    for status in [400, 404, 410] {
        let session: Rc<Cell<u32>> = Rc::new(Cell::new(1));
        let current = Rc::clone(&session);
        let net = Net::new(move |seen| {
            let now = format!("s-{}", current.get());
            match seen.method() {
                "server/discover" => bare(400),
                "initialize" => {
                    let begun = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {}});
                    let Reply::Response { status, mut headers, body } = result(seen, begun) else {
                        panic!("a response")
                    };
                    headers.push(("mcp-session-id".to_owned(), now));
                    Reply::Response { status, headers, body }
                }
                _ if seen.header("mcp-session-id") != Some(&now) => bare(status),
                "notifications/initialized" => bare(202),
                "GET" => server::stream(vec![Piece::Wait(2_000), told("tools"), Piece::Wait(2_000)]),
                _ => result(seen, json!({})),
            }
        });
        let upstream = Arc::new(upstream());
        let watched = upstream.watch(&net, SubscriptionFilter::default(), stream::empty().boxed_local());
        let mut watched = pin!(watched);
        assert_eq!(net.run(watched.next()), Some(Change::Tools), "{status}");
        session.set(2);
        assert_eq!(net.run(watched.next()), Some(Change::Tools), "{status}");
        assert_eq!(net.last("GET").unwrap().header("mcp-session-id"), Some("s-2"), "{status}");
    }
}

#[test]
fn a_server_that_is_busy_is_asked_again() {
    let page = || server::response(200, "text/html", "<h1>Maintenance</h1>");
    for refusal in
        [bare(409), bare(429), bare(408), bare(500), bare(502), bare(503), bare(403), bare(401), page()]
    {
        let status = match &refusal {
            Reply::Response { status, .. } => *status,
            _ => 0,
        };
        let refusals = Cell::new(2);
        let net = Net::new(legacy(json!({"tools": {}}), move |seen| match (seen.method(), refusals.get()) {
            ("GET", 0) => server::stream(vec![told("tools"), Piece::Hang]),
            ("GET", left) => {
                refusals.set(left - 1);
                refusal.clone()
            }
            _ => result(seen, json!({})),
        }));
        let upstream = Arc::new(upstream());
        let watched = upstream.watch(&net, SubscriptionFilter::default(), stream::empty().boxed_local());
        let heard: Vec<Change> = net.run(watched.take(1).collect());
        assert_eq!((heard, subscription_requests(&net).len()), (vec![Change::Tools], 3), "{status}");
    }
}
