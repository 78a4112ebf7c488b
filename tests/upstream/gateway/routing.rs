//! One catalog of several servers, and calls to the right one.

use mcp_sieve_gateway::{
    config::{self, Config},
    host::{Freshness, ROUTE_MS},
    upstream::Fetch,
};
use serde_json::json;

use super::servers::{Servers, behind, config, forward, gateway, refreshed, serve, states, tools};

#[test]
fn servers_are_listed_side_by_side_in_one_catalog() {
    let servers = Servers::default();
    servers.lists("a", &["one", "two"], 300);
    servers.lists("b", &["two", "three"], 300);
    let net = servers.net();
    let upstreams = [behind("a"), config::Upstream { prefix: Some("b_".to_owned()), ..behind("b") }];
    net.run(async {
        let served = serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap();
        assert_eq!(tools(&served), ["one", "two", "b_two", "three"]);
        assert_eq!(states(&served), ["a ok", "b ok"]);
        assert_eq!(net.now(), 300, "one after the other");
        let note = "catalog: tool `b_two`: `two` of `b` is listed under its prefix, as `b_two`, because `a` lists the name as well";
        assert_eq!((served.notes, served.replaced), (vec![note.to_owned()], false));
    });
}

#[test]
fn a_call_goes_to_the_server_that_owns_it() {
    let servers = Servers::default();
    servers.lists("a", &["x"], 0);
    servers.lists("b", &["y"], 0);
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config(&upstreams), Freshness::List).await.unwrap();
        forward(&net, &gateway, &["b".to_owned()], "tools/call", json!({"name": "y"})).await;
        let last = net.seen().pop().unwrap();
        assert_eq!(
            (last.url.as_str(), last.method(), last.header("mcp-name")),
            ("http://b/mcp", "tools/call", Some("y"))
        );
    });
}

#[test]
fn a_server_that_may_be_hidden_is_not_named_before_anything_is_listed() {
    let servers = Servers::default();
    servers.down("secret");
    let (net, upstreams) = (servers.net(), [behind("secret")]);
    let open = config(&upstreams);
    let source = json!({"policies": [{"name": "p", "show": "claim.sub:*"}]}).to_string();
    let guarded = Config { upstreams: upstreams.to_vec(), ..Config::parse(&source).unwrap() };
    for (config, names) in [(open, true), (guarded, false)] {
        net.run(async {
            let failure = serve(&gateway(&upstreams), &net, &config, Freshness::List).await.unwrap_err();
            assert_eq!(failure.reason(), Some("upstream_unreachable"));
            assert_eq!(failure.message.contains("secret"), names);
        });
    }
}

#[test]
fn a_call_needs_no_list_anew_where_lists_are_stale_at_once() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    let listed = || net.methods().iter().filter(|method| *method == "tools/list").count();
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        net.sleep(ROUTE_MS - 1).await;
        serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        assert_eq!(listed(), 1);
        refreshed(&gateway, &net, &config).await;
        assert_eq!(listed(), 2, "a list is asked for every time");
        net.sleep(ROUTE_MS - 2).await;
        serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        assert_eq!(listed(), 2);
        net.sleep(1).await;
        refreshed(&gateway, &net, &config).await;
        assert_eq!(listed(), 3);
    });
}

#[test]
fn the_same_lists_are_the_same_catalog() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let one = serve(&gateway, &net, &config, Freshness::List).await.unwrap().backend;
        let same = serve(&gateway, &net, &config, Freshness::List).await.unwrap().backend;
        assert!(std::sync::Arc::ptr_eq(&one, &same), "compiled anew");
        net.sleep(1).await;
        servers.lists("a", &["one", "two"], 0);
        let other = refreshed(&gateway, &net, &config).await;
        assert_eq!((tools(&other).len(), other.replaced), (2, true));
    });
}
