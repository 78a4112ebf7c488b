//! Resources that no list mentions, and subscriptions to them.

use futures_util::StreamExt;
use mcp_sieve_gateway::{
    config::{self, Config},
    error::RpcError,
    host::Freshness,
    streams::{Change, SubscriptionFilter},
    upstream::Gateway,
};
use serde_json::{Value, json};

use super::servers::{Servers, behind, config, forward, gateway, serve};
use crate::{
    net::{Piece, Reply, Seen},
    server::{error, event, modern, result, stream},
};

/// Returns a server with one unlisted resource, which answers requests for others with an error of its own.
fn secretive(uri: &'static str) -> impl Fn(&Seen) -> Reply {
    modern(json!({}), move |seen| match seen.body["params"]["uri"] == uri {
        true => result(seen, json!({"contents": [{"uri": uri, "text": seen.url}]})),
        false => error(seen, 200, json!({"code": -32602, "message": "no such thing"})),
    })
}

#[test]
fn resources_that_no_list_mentions_are_asked_of_those_that_may_have_some() {
    let servers = Servers::default();
    servers.set("a", secretive("x:a"));
    servers.set("b", secretive("x:b"));
    servers.set("c", secretive("x:c"));
    let net = servers.net();
    let may = |name: &str| config::Upstream { unlisted: Some(true), ..behind(name) };
    let read = async |(gateway, config): &(Gateway, Config), uri: &str| {
        let unlisted = serve(gateway, &net, config, Freshness::Route).await.unwrap().backend.unlisted.clone();
        forward(&net, gateway, &unlisted, "resources/read", json!({"uri": uri})).await
    };
    let gateway = |upstreams: &[config::Upstream]| (gateway(upstreams), config(upstreams));
    net.run(async {
        let several = gateway(&[may("a"), behind("b"), may("c")]);
        assert_eq!(read(&several, "x:a").await["contents"][0]["text"], "http://a/mcp");
        assert_eq!(read(&several, "x:c").await["contents"][0]["text"], "http://c/mcp");
        assert_eq!(read(&several, "x:b").await["message"], "no such thing");
        let asked = |seen: &Seen| seen.url == "http://b/mcp" && seen.method() == "resources/read";
        assert!(!net.seen().iter().any(asked), "asked of a server that may not");
        servers.down("a");
        assert_eq!(read(&several, "x:c").await["contents"][0]["text"], "http://c/mcp");

        let neither = gateway(&[behind("a"), behind("b")]);
        let expected = RpcError::relayed(-32602, "Resource not found: x:b", Some(json!({"uri": "x:b"})));
        assert_eq!(read(&neither, "x:b").await, expected.to_json());
        let only = gateway(&[behind("b")]);
        assert_eq!(read(&only, "x:b").await["contents"][0]["text"], "http://b/mcp");
    });
}

/// Returns a server that lists one resource and sends one notification about it and one about its lists.
fn telling(uri: &'static str, template: &'static str) -> impl Fn(&Seen) -> Reply {
    let note =
        |method: &str, params: Value| event(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    modern(json!({"resources": {}}), move |seen| match seen.method() {
        "resources/list" => result(seen, json!({"resources": [{"uri": uri, "name": uri}], "ttlMs": 60_000})),
        "resources/templates/list" => {
            result(seen, json!({"resourceTemplates": [{"uriTemplate": template, "name": template}]}))
        }
        _ => stream(vec![
            note("notifications/resources/updated", json!({"uri": uri})),
            note("notifications/resources/list_changed", json!({})),
            Piece::Hang,
        ]),
    })
}

#[test]
fn every_server_is_watched_for_its_own_resources_and_its_lists_are_due_when_they_change() {
    let servers = Servers::default();
    servers.set("a", telling("x:a", "t:{+path}"));
    servers.set("b", telling("x:b", "t:docs/{name}"));
    let net = servers.net();
    let upstreams = [behind("a"), config::Upstream { unlisted: Some(true), ..behind("b") }];
    let config = config(&upstreams);
    let listed = |host: &str| {
        let url = format!("http://{host}/mcp");
        net.seen().iter().filter(|seen| seen.url == url && seen.method() == "resources/list").count()
    };
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        let resources = ["x:a", "x:b", "y:unlisted", "t:docs/1", "t:other/1"].map(str::to_owned).into();
        let wanted = SubscriptionFilter { lists: vec![Change::Resources], resources };
        let mut told: Vec<Change> = gateway
            .watch(&net, &wanted, || futures_util::stream::empty().boxed_local())
            .take(4)
            .collect()
            .await;
        told.sort_by_key(|change| format!("{change:?}"));
        let resource = |uri: &str| Change::Resource(uri.to_owned());
        assert_eq!(told, [resource("x:a"), resource("x:b"), Change::Resources, Change::Resources]);
        let asked = |host: &str| {
            let url = format!("http://{host}/mcp");
            let seen = net
                .seen()
                .into_iter()
                .find(|seen| seen.url == url && seen.method() == "subscriptions/listen");
            seen.unwrap().body["params"]["notifications"].clone()
        };
        // The template that was listed first has the URI.
        let subscribed = |host: &str| asked(host)["resourceSubscriptions"].clone();
        assert_eq!(subscribed("a"), json!(["t:docs/1", "t:other/1", "x:a"]));
        assert_eq!(subscribed("b"), json!(["x:b", "y:unlisted"]));
        assert_eq!(asked("a")["resourcesListChanged"], true);

        assert_eq!((listed("a"), listed("b")), (1, 1));
        serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        assert_eq!((listed("a"), listed("b")), (2, 2), "due, whatever for");
    });
}
