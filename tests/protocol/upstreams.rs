//! The information about upstream servers in responses, and how fresh a catalog each method requires.

use http::Method;
use mcp_sieve::catalog::{Lists, Source};
use mcp_sieve_gateway::{
    config::Config,
    host::Freshness,
    upstream::{Backend, Outage, Status, UpstreamState},
};
use serde_json::{Value, json};

use crate::{
    client::{Client, json_of, modern, request, send},
    host::World,
};

fn tools(names: &[&str]) -> String {
    let tools: Vec<Value> =
        names.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
    json!({"tools": tools}).to_string()
}

/// Returns a world with servers in these states and with these lists.
fn world(config: &Value, servers: &[(&str, &[&str], UpstreamState)]) -> World {
    let lists: Vec<String> = servers.iter().map(|(_, names, _)| tools(names)).collect();
    let sources = std::iter::zip(servers, &lists)
        .map(|((server, ..), lists)| Source { server, lists: Lists::read(lists).unwrap() });
    let parsed = Config::parse(&config.to_string()).unwrap();
    let compiled = Backend::compile(sources.collect(), &parsed, Vec::new());
    let upstreams = servers
        .iter()
        .map(|(name, _, state)| Status { name: (*name).to_owned(), state: state.clone() })
        .collect();
    let world = World::configured(config.clone());
    world.serve(Backend { upstreams, ..compiled });
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
