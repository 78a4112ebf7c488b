//! The information about upstream servers in responses, and how fresh a catalog each method requires.

use std::collections::BTreeMap;

use http::Method;
use mcp_sieve::catalog::{Lists, Source};
use mcp_sieve_gateway::{
    config::Config,
    host::Freshness,
    upstream::{Backend, Features, Outage, Status, UpstreamState},
};
use serde_json::{Map, Value, json};

use crate::{
    client::{Client, json_of, modern, request, send, send_as},
    host::World,
};

fn tools(names: &[&str]) -> String {
    let tools: Vec<Value> =
        names.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
    json!({"tools": tools}).to_string()
}

/// Returns a world with servers in these states and with these lists.
fn world(config: &Value, servers: &[(&str, &[&str], UpstreamState)]) -> World {
    world_offering(config, servers, |_| Features::default())
}

/// Like [`world`], with the features of each server.
fn world_offering(
    config: &Value,
    servers: &[(&str, &[&str], UpstreamState)],
    features: impl Fn(&str) -> Features,
) -> World {
    let lists: Vec<String> = servers.iter().map(|(_, names, _)| tools(names)).collect();
    let sources = std::iter::zip(servers, &lists)
        .map(|((server, ..), lists)| Source { server, lists: Lists::read(lists).unwrap() });
    let parsed = Config::parse(&config.to_string()).unwrap();
    let compiled = Backend::compile(sources.collect(), &parsed, Features::default());
    let upstreams = servers
        .iter()
        .map(|(name, _, state)| Status { name: (*name).to_owned(), state: state.clone() })
        .collect();
    let features = servers.iter().map(|(name, ..)| ((*name).to_owned(), features(name))).collect();
    let world = World::configured(config.clone());
    world.serve(Backend { upstreams, features, ..compiled });
    world
}

/// Returns an outage.
fn trouble() -> Outage {
    Outage { since: 1_790_000_000_999, reason: "upstream_unreachable".to_owned() }
}

/// Returns the status of the servers as reported to a team.
fn told(world: &World, team: &str) -> Value {
    let mut request = modern("tools/list", json!({}), &json!({}));
    request.headers_mut().insert("x-team", team.parse().unwrap());
    let result = json_of(send(world, &request).1);
    result.pointer("/result/_meta/dev.mcpsieve~1upstreams").cloned().unwrap_or_default()
}

#[test]
fn lists_say_how_each_server_stands() {
    let servers: [(&str, &[&str], UpstreamState); 3] = [
        ("a", &["x"], UpstreamState::Ok),
        ("b", &["x", "y"], UpstreamState::Stale(trouble())),
        ("c", &[], UpstreamState::Down(trouble())),
    ];
    let world = world(&json!({}), &servers);
    let since = "2026-09-21T14:13:20Z";
    let expected = json!([
        {"name": "a", "status": "ok"},
        {"name": "b", "status": "stale", "since": since, "reason": "upstream_unreachable",
            "leftOut": [{"kind": "tool", "id": "x", "keptOf": "a"}]},
        {"name": "c", "status": "down", "since": since, "reason": "upstream_unreachable"},
    ]);
    assert_eq!(told(&world, "any"), expected);
    let old = Client::of(world, "2025-11-25", &json!({}));
    let answer = old.ask("tools/list", json!({}));
    assert_eq!(
        answer["result"]["_meta"],
        json!({"dev.mcpsieve/upstreams": expected}),
        "sessions are told too"
    );
}

#[test]
fn the_only_server_is_worth_a_word_only_while_it_is_not_well() {
    assert_eq!(told(&world(&json!({}), &[("a", &["x"], UpstreamState::Ok)]), "any"), Value::Null);
    let stale = told(&world(&json!({}), &[("a", &["x"], UpstreamState::Stale(trouble()))]), "any");
    assert_eq!(stale[0]["status"], "stale");
}

#[test]
fn a_caller_is_told_nothing_of_what_it_may_not_see() {
    let policies = json!({"policies": [{"name": "p", "show": "-server:b or header.x-team:blue"}]});
    let servers: [(&str, &[&str], UpstreamState); 3] = [
        ("a", &["x"], UpstreamState::Ok),
        ("b", &["y"], UpstreamState::Stale(trouble())),
        ("c", &["x", "y", "z"], UpstreamState::Ok),
    ];
    let world = world(&policies, &servers);
    let left_out = |told: &Value, at: usize| told[at]["leftOut"].clone();
    let outside = told(&world, "red");
    let names = |told: &Value| {
        told.as_array()
            .unwrap()
            .iter()
            .map(|server| server["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&outside), ["a", "c"]);
    assert_eq!(left_out(&outside, 1), json!([{"kind": "tool", "id": "x", "keptOf": "a"}]));
    let inside = told(&world, "blue");
    assert_eq!(names(&inside), ["a", "b", "c"]);
    assert_eq!(left_out(&inside, 2).as_array().unwrap().len(), 2);
}

/// Requests about a server that is hidden, down or empty get the same response as for one that does not exist.
#[test]
fn a_hidden_server_is_not_told_from_one_that_does_not_exist() {
    let visible: (&str, &[&str], UpstreamState) = ("a", &["x"], UpstreamState::Ok);
    let hidden: [(&str, &[&str], UpstreamState); 4] = [
        ("secret", &["y"], UpstreamState::Ok),
        ("secret", &["y"], UpstreamState::Stale(trouble())),
        ("secret", &[], UpstreamState::Ok),
        ("secret", &[], UpstreamState::Down(trouble())),
    ];
    let hiding = [
        json!({"policies": [{"name": "p", "show": "-server:secret"}]}),
        json!({"rules": [{"match": "server:secret", "hide": true}]}),
        json!({"presets": [{"name": "a", "when": "-header.x-team:blue", "filter": {"where": "name:x"}}]}),
    ];
    for config in &hiding {
        for state in [UpstreamState::Ok, UpstreamState::Stale(trouble())] {
            let alone = [(visible.0, visible.1, state)];
            let expected = told(&world(config, &alone), "red");
            for server in &hidden {
                let both = [alone[0].clone(), server.clone()];
                assert_eq!(told(&world(config, &both), "red"), expected, "{config} {server:?}");
            }
        }
    }
    // If nothing is hidden, every server is named. A caller who sees a part of a server also sees its status.
    let down = [visible.clone(), hidden[3].clone()];
    assert_eq!(told(&world(&json!({}), &down), "red")[1]["status"], "down");
    let stale = [visible, hidden[1].clone()];
    assert_eq!(told(&world(&hiding[2], &stale), "blue")[1]["status"], "stale");
}

#[test]
fn what_lists_is_fresh_and_what_calls_may_be_a_little_older() {
    use Freshness::{List, Route, Unknown};
    let policies = json!({"policies": [{"name": "p", "show": "-name:hidden"}]});
    let servers: [(&str, &[&str], UpstreamState); 1] = [("a", &["x", "hidden"], UpstreamState::Ok)];
    let world = world(&policies, &servers);
    let rows: [(&str, Value, &[Freshness]); 10] = [
        ("tools/list", json!({}), &[List]),
        ("groups/list", json!({}), &[List]),
        ("server/discover", json!({}), &[Route]),
        ("tools/call", json!({"name": "x"}), &[Route]),
        // Missing and hidden primitives both trigger a new listing, so that the time reveals no difference.
        ("tools/call", json!({"name": "no such"}), &[Route, Unknown]),
        ("tools/call", json!({"name": "hidden"}), &[Route, Unknown]),
        ("prompts/get", json!({"name": "no such"}), &[Route, Unknown]),
        ("resources/read", json!({"uri": "no:such"}), &[Route, Unknown]),
        ("completion/complete", json!({"ref": {"type": "ref/prompt", "name": "no such"}}), &[Route, Unknown]),
        ("no/such", json!({}), &[List]),
    ];
    for (method, params, expected) in rows {
        world.needs.borrow_mut().clear();
        let mut request = modern(method, params.clone(), &json!({}));
        if let Some(uri) = params["uri"].as_str() {
            request.headers_mut().insert("mcp-name", uri.parse().unwrap());
        }
        send(&world, &request);
        assert_eq!(*world.needs.borrow(), expected, "{method} {params}");
    }
    world.needs.borrow_mut().clear();
    let opening = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}});
    send(&world, &request(Method::POST, &[], &opening));
    assert_eq!(*world.needs.borrow(), [Route]);
}

/// A server announces its features to callers who may know of it alone.
#[test]
fn features_of_hidden_servers_are_not_announced() {
    let servers: [(&str, &[&str], UpstreamState); 2] =
        [("a", &["open"], UpstreamState::Ok), ("b", &["secret"], UpstreamState::Ok)];
    let hiding = json!({"policies": [{"name": "secret", "show": "-name:secret or header.x-team:ours"}]});
    for (config, team, expected) in
        [(&hiding, "any", false), (&hiding, "ours", true), (&json!({}), "any", true)]
    {
        let features = |server: &str| if server == "b" { Features::of_host() } else { Features::default() };
        let world = world_offering(config, &servers, features);
        let mut request = modern("server/discover", json!({}), &json!({}));
        request.headers_mut().insert("x-team", team.parse().unwrap());
        let result = json_of(send(&world, &request).1);
        let capabilities = &result["result"]["capabilities"];
        let extension = "/extensions/io.modelcontextprotocol~1tasks";
        for pointer in ["/logging", "/tools/listChanged", extension] {
            assert_eq!(capabilities.pointer(pointer).is_some(), expected, "{team}: {pointer}");
        }
    }
}

/// A server forbids shared caches to store a list with its primitives.
#[test]
fn lists_of_a_private_server_are_private_for_those_who_see_it() {
    let servers: [(&str, &[&str], UpstreamState); 2] =
        [("a", &["open"], UpstreamState::Ok), ("b", &["secret"], UpstreamState::Ok)];
    let features = |private: &'static str| {
        move |server: &str| Features { private: server == private, ..Features::default() }
    };
    let hidden = json!({"policies": [{"name": "secret", "show": "-name:secret"}]});
    for (config, private, expected) in [
        (&json!({}), "neither", "public"),
        (&json!({}), "b", "private"),
        (&hidden, "a", "private"),
        (&hidden, "b", "public"),
    ] {
        let world = world_offering(config, &servers, features(private));
        let answer = json_of(send(&world, &modern("tools/list", json!({}), &json!({}))).1);
        assert_eq!(answer["result"]["cacheScope"], expected, "{config} {private}");
    }
}

/// A client that nothing identifies is told to open a session where a server keeps state by session.
#[test]
fn only_revisions_with_sessions_are_listed_where_a_server_keeps_sessions() {
    let all = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
    let tokens =
        BTreeMap::from([("alice-token".to_owned(), Map::from_iter([("sub".to_owned(), json!("alice"))]))]);
    let hidden = json!({"policies": [{"name": "members", "show": "-name:stateful or claim.sub:*"}]});
    for (config, keeps_sessions, token, expected) in [
        (json!({}), false, None, &all[..]),
        (json!({}), true, None, &all[1..]),
        (json!({}), true, Some("alice-token"), &all[..]),
        // A server that the caller may not know of leaves no trace.
        (hidden.clone(), true, None, &all[..]),
    ] {
        let Value::Object(settings) = config.clone() else { panic!("an object") };
        let world = World::with_tokens(json!({"tools": []}), settings, tokens.clone());
        let lists = [tools(&["stateless"]), tools(&["stateful"])];
        let sources = ["a", "b"].iter().zip(&lists);
        let sources = sources.map(|(server, lists)| Source { server, lists: Lists::read(lists).unwrap() });
        let compiled = Backend::compile(sources.collect(), &world.config, Features::default());
        let keeping = Features { keeps_sessions, ..Features::default() };
        let features = vec![("a".to_owned(), Features::default()), ("b".to_owned(), keeping)];
        world.serve(Backend { features, ..compiled });
        let ask = |request: http::Request<Vec<u8>>| json_of(send_as(&world, token, &request).1);
        let described = ask(modern("server/discover", json!({}), &json!({})));
        assert_eq!(described["result"]["supportedVersions"], json!(expected), "{config} {token:?}");
        // Stateless requests are served all the same.
        let listed = ask(modern("tools/list", json!({}), &json!({})));
        assert!(listed["result"]["tools"].is_array(), "{listed}");
        // All calls over stdio come from one client.
        let piped = world.over_stdio();
        let described = json_of(send(&piped, &modern("server/discover", json!({}), &json!({}))).1);
        assert_eq!(described["result"]["supportedVersions"], json!(all));
        // What a client may speak is all revisions.
        let mut unknown = modern("tools/list", json!({}), &json!({}));
        let body = String::from_utf8(unknown.body().clone()).unwrap().replace("2026-07-28", "2199-01-01");
        *unknown.body_mut() = body.into_bytes();
        unknown.headers_mut().insert("mcp-protocol-version", "2199-01-01".parse().unwrap());
        assert_eq!(ask(unknown)["error"]["data"]["supported"], json!(all));
    }
}
