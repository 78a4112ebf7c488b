//! The self-descriptions of servers in responses: a caller receives only those of servers that it may see.

use http::Method;
use mcp_sieve::catalog::{Lists, Source};
use mcp_sieve_gateway::{
    config::{Config, Upstream},
    server::method_names,
    upstream::{Backend, Features, Introduction, MAX_INSTRUCTIONS, Status, UpstreamState},
};
use serde_json::{Map, Value, json};

use crate::{
    client::{json_of, modern, request, send},
    host::World,
};

/// A server: its name, its tools, and its self-description.
type Server<'a> = (&'a str, &'a [&'a str], Value);

/// Returns a world with these servers.
fn world(config: &Value, servers: &[Server<'_>]) -> World {
    let lists: Vec<String> = servers
        .iter()
        .map(|(_, names, _)| {
            let tools: Vec<Value> =
                names.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
            json!({"tools": tools}).to_string()
        })
        .collect();
    let sources = std::iter::zip(servers, &lists)
        .map(|((server, ..), lists)| Source { server, lists: Lists::read(lists).unwrap() });
    let compiled = Backend::compile(
        sources.collect(),
        &Config::parse(&config.to_string()).unwrap(),
        Features::default(),
    );
    let named = |name: &str| name.to_owned();
    let upstreams =
        servers.iter().map(|(name, ..)| Status { name: named(name), state: UpstreamState::Ok }).collect();
    let introductions = servers
        .iter()
        .map(|(name, _, says)| (named(name), Introduction::read(says.to_string().as_bytes())))
        .collect();
    let world = World::configured(config.clone());
    world.serve(Backend { upstreams, introductions, ..compiled });
    world
}

/// Returns the result of `server/discover` for a team.
fn discovered(world: &World, team: &str) -> Value {
    let mut request = modern("server/discover", json!({}), &json!({}));
    request.headers_mut().insert("x-team", team.parse().unwrap());
    json_of(send(world, &request).1)["result"].take()
}

/// Returns the result of `initialize`.
fn initialized(world: &World) -> Value {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    json_of(send(world, &request(Method::POST, &[], &body)).1)["result"].take()
}

fn server_info(result: &Value) -> &Value {
    &result["_meta"]["io.modelcontextprotocol/serverInfo"]
}

fn says(instructions: &str) -> Value {
    json!({"instructions": instructions, "serverInfo": {"name": "inner", "version": "9"}, "capabilities": {}})
}

fn servers(names: &[&str], config: Value) -> Value {
    let upstreams: Vec<Value> =
        names.iter().map(|name| json!({"name": name, "url": "https://x.example/mcp"})).collect();
    let mut whole = json!({"upstreams": upstreams});
    whole.as_object_mut().unwrap().extend(config.as_object().unwrap().clone());
    whole
}

/// Returns the policy that hides the tools of `b` from all teams but one.
fn hiding() -> Value {
    json!([{"name": "b", "show": "-server:b or header.x-team:in"}])
}

#[test]
fn instructions_follow_the_operators_under_the_names_of_their_servers() {
    let two: [Server<'_>; 2] = [("a", &["x"], says("Of a.")), ("b", &["y"], says("Of b."))];
    let rows = [
        (json!({"upstream": {}}), &two[..1], Some("Of a.")),
        (
            json!({"server": {"instructions": "Own."}, "upstream": {"name": "a"}}),
            &two[..1],
            Some("Own.\n\n## a\n\nOf a."),
        ),
        (servers(&["a", "b"], json!({})), &two[..], Some("## a\n\nOf a.\n\n## b\n\nOf b.")),
        (
            servers(&["a", "b"], json!({"server": {"instructions": "Own."}})),
            &two[..],
            Some("Own.\n\n## a\n\nOf a.\n\n## b\n\nOf b."),
        ),
        (json!({"upstream": {"name": "a", "instructions": "hide"}}), &two[..1], None),
        (
            servers(&["a", "b"], json!({"server": {"instructions": "Own."}, "policies": hiding()})),
            &two[..],
            Some("Own.\n\n## a\n\nOf a."),
        ),
        // The result is the same as without the other server: no heading reveals it.
        (servers(&["a", "b"], json!({"policies": hiding()})), &two[..], Some("Of a.")),
    ];
    for (config, servers, expected) in rows {
        let world = world(&config, servers);
        assert_eq!(discovered(&world, "out")["instructions"].as_str(), expected, "{config}");
        assert_eq!(initialized(&world)["instructions"].as_str(), expected, "{config}");
    }
    let world = world(&servers(&["a", "b"], json!({"policies": hiding()})), &two);
    assert_eq!(discovered(&world, "in")["instructions"], "## a\n\nOf a.\n\n## b\n\nOf b.");
}

#[test]
fn a_server_that_is_hidden_as_a_whole_says_nothing() {
    let secret = json!({"instructions": "Secret.", "serverInfo": {"name": "secret", "version": "9"},
        "capabilities": {"experimental": {"com.example/secret": {}}}});
    let config = json!({"policies": [{"name": "all", "show": "header.x-team:in"}],
        "upstream": {"name": "a", "passMethods": ["com.example/*"]}});
    let world = world(&config, &[("a", &["x"], secret)]);
    assert!(discovered(&world, "in").to_string().contains("com.example/secret"));
    let out = discovered(&world, "out");
    assert!(!out.to_string().to_lowercase().contains("secret"), "{out}");
    assert_eq!(server_info(&out)["name"], "mcp-sieve");
    let refused = json_of(send(&world, &modern("com.example/secret", json!({}), &json!({}))).1);
    assert_eq!(refused["error"]["code"], -32601);
}

#[test]
fn the_identity_of_a_single_server_passes_with_unknown_members() {
    let info = json!({"name": "inner", "version": "9", "title": "Inner", "com.example/mark": [1.50], "icons": [{"src": "data:,"}]});
    let intro = json!({"serverInfo": info, "capabilities": {}});
    let own = json!({"name": "gate", "version": env!("CARGO_PKG_VERSION")});
    let gateway = json!({"name": "mcp-sieve", "version": env!("CARGO_PKG_VERSION")});
    let with = |changes: Value| {
        let mut info = info.as_object().unwrap().clone();
        info.extend(changes.as_object().unwrap().clone());
        Value::Object(info)
    };
    let one: &[Server<'_>] = &[("a", &["x"], intro.clone())];
    let two: &[Server<'_>] = &[("a", &["x"], intro.clone()), ("b", &["y"], intro.clone())];
    let nameless: &[Server<'_>] = &[("a", &["x"], json!({"serverInfo": {"name": 1, "version": "9"}}))];
    let rows = [
        (json!({"upstream": {"name": "a"}}), one, info.clone()),
        (json!({"server": {"name": "gate"}}), one, own),
        (json!({"server": {"title": "T", "version": "2"}}), one, with(json!({"title": "T", "version": "2"}))),
        (servers(&["a", "b"], json!({})), two, gateway.clone()),
        (json!({}), nameless, gateway),
    ];
    for (config, servers, expected) in rows {
        let world = world(&config, servers);
        assert_eq!(*server_info(&discovered(&world, "any")), expected, "{config}");
        assert_eq!(initialized(&world)["serverInfo"], expected, "{config}");
    }
}

#[test]
fn capabilities_are_announced_if_their_methods_are_passed() {
    let says = json!({"capabilities": {
        "tools": {"mine": true}, "com.example/top": {"a": 1}, "other": {},
        "extensions": {"com.example/x": {"b": 1}, "org.example/y": {"c": 1}, "dev.mcpsieve/filtering": {"version": 9}, "io.modelcontextprotocol/ui": {}},
        "experimental": {"com.example/z": {}, "foo": {"d": 1}}}});
    let rows = [
        (json!([]), json!({})),
        (
            json!(["com.example/*"]),
            json!({"top": {"a": 1}, "extensions": {"com.example/x": {"b": 1}}, "experimental": {"com.example/z": {}}}),
        ),
        (
            json!([{"method": "org.example/y/run", "tool": "t"}, "foo/bar"]),
            json!({"extensions": {"org.example/y": {"c": 1}}, "experimental": {"foo": {"d": 1}}}),
        ),
    ];
    for (entries, expected) in rows {
        let config = json!({"upstream": {"name": "a", "passMethods": entries}});
        let world = world(&config, &[("a", &["x"], says.clone())]);
        for result in [discovered(&world, "any"), initialized(&world)] {
            let capabilities = &result["capabilities"];
            assert_eq!(capabilities["tools"].get("mine"), None);
            assert_eq!(capabilities.get("other"), None);
            assert_eq!(capabilities.get("com.example/top"), expected.get("top"), "{config}");
            assert_eq!(capabilities.get("experimental"), expected.get("experimental"), "{config}");
            let extensions = capabilities["extensions"].as_object().unwrap();
            assert_ne!(extensions["dev.mcpsieve/filtering"]["version"], 9, "Sieve speaks for itself");
            assert!(!extensions.contains_key("io.modelcontextprotocol/ui"));
            let own =
                |key: &str| key.starts_with("dev.mcpsieve/") || key.starts_with("io.modelcontextprotocol/");
            let foreign: Map<String, Value> =
                extensions.clone().into_iter().filter(|(key, _)| !own(key)).collect();
            let wanted = expected.get("extensions").cloned().unwrap_or_else(|| json!({}));
            assert_eq!(Value::Object(foreign), wanted, "{config}");
        }
    }
}

#[test]
fn long_instructions_are_cut_between_characters_and_together_they_are_bounded() {
    let long = "é".repeat(MAX_INSTRUCTIONS);
    let world_of = |count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!("s{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let tools: Vec<String> = names.iter().map(|name| format!("tool_{name}")).collect();
        let tools: Vec<[&str; 1]> = tools.iter().map(|tool| [tool.as_str()]).collect();
        let listed: Vec<Server<'_>> =
            std::iter::zip(&names, &tools).map(|(name, tools)| (*name, &tools[..], says(&long))).collect();
        let config = if count == 1 { json!({}) } else { servers(&names, json!({})) };
        discovered(&world(&config, &listed), "any")["instructions"].as_str().unwrap().to_owned()
    };
    let mark = format!("\n\n[Cut after {MAX_INSTRUCTIONS} of {} bytes.]", long.len());
    let cut = ["é".repeat(MAX_INSTRUCTIONS / 2), mark].concat();
    assert_eq!(world_of(1), cut);
    let fitting: String = (0..4).map(|at| format!("## s{at}\n\n{cut}\n\n")).collect();
    assert_eq!(world_of(5), fitting.trim_end(), "no text is cut in favour of another");
}

#[test]
fn every_method_that_is_handled_here_cannot_be_passed() {
    for name in method_names() {
        let config = json!({"upstream": {"passMethods": [name]}});
        assert!(Config::parse(&config.to_string()).is_err(), "{name}");
        if let Some((namespace, _)) = name.split_once('/') {
            let config = json!({"upstream": {"passMethods": [format!("{namespace}/*")]}});
            assert!(Config::parse(&config.to_string()).is_err(), "{namespace}/*");
        }
    }
    assert!(Upstream::default().pass_methods.is_empty());
}

/// Only the gateway names other servers in headings. All other headings are the server's own words.
#[test]
fn no_heading_in_a_text_is_the_name_of_another_server() {
    let text = "# a\n\n## b\n\nAsk a first.\r# b\r\n  ## b #\n###\tb\n#tag and #1\n    # d\n## About b\nb";
    let shown =
        "# a\n\n#### b\n\nAsk a first.\r### b\r\n#### b #\n#####\tb\n#tag and #1\n    # d\n## About b\nb";
    let two = [("a", &["x"][..], says(text)), ("b", &["y"][..], says("Of b."))];
    let both = format!("## a\n\n{shown}\n\n## b\n\nOf b.");
    assert_eq!(discovered(&world(&servers(&["a", "b"], json!({})), &two), "in")["instructions"], both);
    // A single text has no heading that another could look like.
    let one = world(&servers(&["a", "b"], json!({})), &two[..1]);
    assert_eq!(discovered(&one, "in")["instructions"], text);
    // A server that the caller sees nothing of changes nothing, so that its name is not found out.
    let own = servers(&["a", "b"], json!({"server": {"instructions": "Of all."}, "policies": hiding()}));
    let unseen = format!("Of all.\n\n## a\n\n{text}");
    assert_eq!(discovered(&world(&own, &two), "out")["instructions"], unseen);
}
