//! Servers that are down, refuse or list something unusable.

use futures_util::future;
use mcp_sieve::Kind;
use mcp_sieve_gateway::{
    config,
    host::Freshness,
    upstream::{Fetch, Gateway, MAX_FIRST_PAUSE_MS, MAX_PAUSE_MS, Served, UpstreamState, pause},
};
use serde_json::json;

use super::servers::{Servers, behind, config, forward, gateway, names, refreshed, serve, states, tools};
use crate::{
    ask::settings,
    net::{Piece, Reply, Seen},
    server::{error, legacy, modern, response, result},
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
        assert_eq!(tried(), before + 2, "the probe and the handshake");
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

/// Returns a server whose headers refer to these variables.
fn referring(name: &str, variables: &[&str]) -> config::Upstream {
    let header = |variable: &&str| (format!("X-{variable}"), format!("Bearer ${{{variable}}}"));
    config::Upstream { headers: variables.iter().map(header).collect(), ..behind(name) }
}

#[test]
fn a_server_whose_variable_is_not_set_is_left_out_and_the_others_are_served() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    servers.lists("b", &["two"], 0);
    servers.lists("c", &["three"], 0);
    let net = servers.net();
    let upstreams =
        [referring("a", &["SET"]), referring("b", &["B2", "SET", "B1", "B2"]), referring("c", &["C"])];
    let config = config(&upstreams);
    let variable = |name: &str| match name {
        "SET" => Some("value".to_owned()),
        "C" => Some(" ".to_owned()),
        _ => None,
    };
    net.run(async {
        let gateway = Gateway::new(&upstreams, &variable).unwrap();
        let served = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert_eq!(tools(&served), ["one"]);
        let down = "down since 0: upstream_variable";
        assert_eq!(states(&served), ["a ok".to_owned(), format!("b {down}"), format!("c {down}")]);
        assert_eq!(
            served.notes,
            [
                "upstreams: upstream `b` is left out: the variables `B1`, `B2` are not set",
                "upstreams: upstream `c` is left out: the variable `C` is not set"
            ]
        );
        let answer = forward(&net, &gateway, &["b".to_owned()], "tools/call", json!({"name": "two"})).await;
        let message = "upstream `b` is left out: the variables `B1`, `B2` are not set";
        assert_eq!(
            answer,
            json!({"code": -32603, "message": message, "data": {"reason": "upstream_variable"}})
        );
        let reports = gateway.survey(&net).await;
        let failures =
            reports.iter().map(|report| report.failure.as_ref().map(|failure| failure.message.as_str()));
        let left_out = "upstream `c` is left out: the variable `C` is not set";
        assert_eq!(failures.collect::<Vec<_>>(), [None, Some(message), Some(left_out)]);
    });
    assert!(
        net.seen().iter().all(|seen| seen.url == "http://a/mcp"),
        "a server that is left out gets no request"
    );
}

#[test]
fn variables_that_are_not_set_are_refused_if_no_server_is_left() {
    let refused = |upstreams: &[config::Upstream]| {
        let failure = Gateway::new(upstreams, &|_| None).unwrap_err();
        (failure.message.clone(), failure.reason().map(str::to_owned))
    };
    let first = "upstream `a`: header `X-A`: `${A}` is no variable or secret here".to_owned();
    let expected = (first, Some("config".to_owned()));
    assert_eq!(refused(&[referring("a", &["A"])]), expected);
    assert_eq!(refused(&[referring("a", &["A"]), referring("b", &["B"])]), expected);
    // A reference that is malformed is an error of the file.
    let mut broken = behind("b");
    broken.headers = vec![("X-B".to_owned(), "${B".to_owned())];
    let message = "upstream `b`: header `X-B`: expected `}` after `${`".to_owned();
    assert_eq!(refused(&[behind("a"), broken]), (message, Some("config".to_owned())));
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
    let refusing =
        modern(json!({"tools": {}}), |seen| error(seen, 200, json!({"code": -32603, "message": "broken"})));
    servers.set("a", refusing);
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
        let each = 1;
        for _ in 0..20 {
            assert_eq!(reason().await, "upstream_refused");
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

/// A list that has no end would have none a moment later.
#[test]
fn lists_without_an_end_are_fetched_as_seldom_as_others() {
    let servers = Servers::default();
    let many = |seen: &Seen| result(seen, json!({"tools": [], "nextCursor": seen.body["id"].to_string()}));
    servers.set("a", modern(json!({"tools": {}}), many));
    servers.lists("b", &["two"], 0);
    let net = servers.net();
    let settings_of = |name| config::Upstream { ttl_ms: 0, min_ttl_ms: 5_000, ..behind(name) };
    let upstreams = ["a", "b"].map(settings_of);
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

/// Returns a server with a tool, whose `resources/list` answers as `resources` says.
fn two_lists(resources: impl Fn(&Seen) -> Reply + 'static) -> impl Fn(&Seen) -> Reply + 'static {
    legacy(json!({"tools": {}, "resources": {}}), move |seen| match seen.method() {
        "tools/list" => result(seen, json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})),
        "resources/list" => resources(seen),
        _ => result(seen, json!({"resourceTemplates": []})),
    })
}

fn resources(seen: &Seen, uris: &[&str]) -> Reply {
    let listed: Vec<_> = uris.iter().map(|uri| json!({"uri": uri, "name": uri})).collect();
    result(seen, json!({"resources": listed}))
}

#[test]
fn a_list_that_fails_costs_itself() {
    let broken = |seen: &Seen| error(seen, 200, json!({"code": -32603, "message": "no database"}));
    let page = |_: &Seen| response(200, "text/html", "<p>no");
    type Resources = Box<dyn Fn(&Seen) -> Reply>;
    let rows: [(&str, Resources, &str); 5] = [
        ("refused", Box::new(broken), "upstream_refused"),
        ("hangs", Box::new(|_| Reply::Hang), "upstream_timeout"),
        ("lost", Box::new(|_| Reply::Lost), "upstream_unreachable"),
        ("page", Box::new(page), "upstream_not_mcp"),
        ("no list", Box::new(|seen| result(seen, json!({}))), "upstream_not_mcp"),
    ];
    for (name, fails, reason) in rows {
        let servers = Servers::default();
        servers.set("a", two_lists(fails));
        let net = servers.net();
        let upstreams = [behind("a")];
        let config = config(&upstreams);
        net.run(async {
            let served = serve(&gateway(&upstreams), &net, &config, Freshness::List).await.unwrap();
            assert_eq!(tools(&served), ["t"], "{name}");
            let UpstreamState::Partial(problems) = &served.backend.upstreams[0].state else {
                panic!("{name}: {:?}", served.backend.upstreams);
            };
            let found: Vec<_> = problems.iter().map(|problem| (&*problem.list, &*problem.reason)).collect();
            assert_eq!(found, [("resources/list", reason)], "{name}");
            assert!(served.notes[0].ends_with("; the other lists of `a` are served"), "{:?}", served.notes);
        });
    }
}

#[test]
fn a_list_that_fails_keeps_what_it_had_until_it_is_listed_again() {
    let servers = Servers::default();
    let up = |uris: &'static [&'static str]| two_lists(move |seen| resources(seen, uris));
    servers.set("a", up(&["u:1", "u:2"]));
    let net = servers.net();
    let upstreams = [config::Upstream { ttl_ms: 0, ..behind("a") }];
    let config = config(&upstreams);
    let listed = |served: &Served| names(&served.backend, Kind::Resource);
    net.run(async {
        let gateway = gateway(&upstreams);
        assert_eq!(listed(&serve(&gateway, &net, &config, Freshness::List).await.unwrap()), ["u:1", "u:2"]);
        servers.set("a", two_lists(|seen| error(seen, 500, json!({"code": -32603, "message": "down"}))));
        for attempt in 1..=3 {
            net.sleep(MAX_PAUSE_MS).await;
            let served = refreshed(&gateway, &net, &config).await;
            assert_eq!((listed(&served), tools(&served)), (vec!["u:1".into(), "u:2".into()], vec!["t".into()]));
            let state = format!("{:?}", served.backend.upstreams[0].state);
            assert!(state.contains("kept: true"), "{state}");
            let note = "upstreams: upstream `a` refused `resources/list`: down (-32603); the other lists of `a` are served";
            assert_eq!(served.notes, if attempt == 1 { vec![note] } else { vec![] }, "said once");
        }
        servers.set("a", up(&["u:3"]));
        net.sleep(MAX_PAUSE_MS).await;
        let served = refreshed(&gateway, &net, &config).await;
        assert_eq!((listed(&served), states(&served)), (vec!["u:3".to_owned()], vec!["a ok".to_owned()]));
        assert_eq!(served.notes[0], "upstreams: `a` can be listed again");
    });
}

#[test]
fn the_pages_before_a_failure_stay() {
    let servers = Servers::default();
    let pages = |seen: &Seen| match seen.body["params"].get("cursor") {
        None => result(seen, json!({"resources": [{"uri": "u:1", "name": "1"}], "nextCursor": "2"})),
        Some(_) => response(500, "text/plain", "oops"),
    };
    servers.set("a", two_lists(pages));
    let net = servers.net();
    let upstreams = [behind("a")];
    net.run(async {
        let served = serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap();
        assert_eq!(
            (names(&served.backend, Kind::Resource), tools(&served)),
            (vec!["u:1".into()], vec!["t".into()])
        );
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
