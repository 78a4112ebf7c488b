//! A server whose primitives are all hidden from a caller does not exist for that caller, whatever it declares.

use mcp_sieve::{Filter, Kind, filter::Selection};
use mcp_sieve_gateway::{
    Config,
    host::{Caller, Freshness, Revision},
    upstream::Backend,
};
use serde_json::{Value, json};

use crate::{
    declared::seen,
    gateway::{Servers, gateway, serve},
    random::Random,
    server::{modern, result},
};

const NAMES: [&str; 4] = ["one", "two", "three", "four"];

/// Returns some of the names.
fn some(random: &mut Random) -> Vec<&'static str> {
    NAMES.into_iter().filter(|_| random.one_in(2)).collect()
}

/// Returns declarations of a server, and tools that use such names. Its texts contain the server's name.
fn server(name: &str, random: &mut Random) -> Value {
    let groups: Vec<Value> = some(random)
        .into_iter()
        .map(|group| {
            let parent = NAMES[random.below(NAMES.len())];
            json!({"name": group, "title": format!("{group} of {name}"), "_meta": {"dev.mcpsieve/parent": parent}})
        })
        .collect();
    let tags: Vec<Value> = some(random)
        .into_iter()
        .map(|tag| json!({"name": tag, "description": format!("{tag} of {name}")}))
        .collect();
    let concerns: Vec<Value> = some(random)
        .into_iter()
        .map(|concern| json!({"name": concern, "values": ["low", name], "default": name}))
        .collect();
    let tools: Vec<Value> = (0..1 + random.below(3))
        .map(|at| {
            let values = some(random).into_iter().map(|concern| (concern.to_owned(), json!("low")));
            let meta = json!({"concerns": Value::Object(values.collect())});
            json!({"name": format!("{name}{at}"), "inputSchema": {"type": "object"}, "groups": some(random),
                "tags": some(random), "_meta": meta})
        })
        .collect();
    json!({"tools": tools, "groups": groups, "tags": tags, "concerns": concerns})
}

/// Returns everything that a caller sees: groups, tags, concerns, the visible members of each group, and the hash of
/// the view.
fn world(servers: &[(&str, &Value)], config: &Value) -> String {
    let network = Servers::default();
    for (name, of) in servers {
        let of = (*of).clone();
        let capabilities =
            json!({"tools": {}, "filtering": {"groups": {}, "tags": {}}, "concerns": of["concerns"]});
        network.set(
            name,
            modern(capabilities, move |request| match request.method() {
                "tools/list" => result(request, json!({"tools": of["tools"]})),
                "groups/list" => result(request, json!({"groups": of["groups"]})),
                _ => result(request, json!({"tags": of["tags"]})),
            }),
        );
    }
    let mut file = config.clone();
    let upstream = |(name, _): &(&str, &Value)| json!({"name": name, "url": format!("http://{name}/mcp")});
    file["upstreams"] = servers.iter().map(upstream).collect();
    let config = Config::parse(&file.to_string()).unwrap();
    let net = network.net();
    net.run(async {
        let keeper = gateway(&config.upstreams);
        let served = serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        described(&served.backend, &config)
    })
}

fn described(backend: &Backend, config: &Config) -> String {
    let headers = http::HeaderMap::new();
    let view = backend.guarded.view(&Caller::new(&headers, Revision::V2026_07_28, "groups/list"));
    let tools = backend.guarded.catalog().kind_index(Kind::Tool);
    // Every group by which a filter can select visible tools, including ancestors of the declared ones.
    let members = NAMES.iter().map(|name| {
        let filter = format!(r#"{{"groups": ["{name}"]}}"#);
        let filter = Filter::parse(&filter).unwrap().filter;
        let settled =
            filter.settle(&view, &config.engine.concerns, config.engine.on_invalid_concern, vec![]).unwrap();
        let mut selection = Selection::default();
        view.select(&settled.narrowing, Kind::Tool, &mut selection);
        let names: Vec<_> = selection.bits().iter().filter_map(|index| tools.id(index)).collect();
        format!("{name} {names:?}")
    });
    let members: Vec<_> = members.collect();
    format!("{:?} {members:?} {:032x}", seen(backend, config), view.hash())
}

#[test]
fn what_a_hidden_server_declares_changes_nothing() {
    let (mut described, mut silent) = (0, 0);
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let (hidden, other) = (server("a", random), server("b", random));
        let mut config = json!({"policies": [{"name": "no a", "show": "-server:a"}]});
        if random.one_in(2) {
            config["groups"] = json!([{"name": "one"}, {"name": "two", "parent": "one"}]);
            config["tags"] = json!([{"name": "one"}]);
            config["concerns"] = json!([{"name": "one", "values": ["low", "b"]}]);
        }
        // The hidden server stands first, so that its declarations would take precedence.
        let mut servers = vec![("a", &hidden), ("b", &other)];
        if random.one_in(4) {
            servers.reverse();
        }
        // In the comparison, a server without lists and declarations takes its place.
        let nothing = json!({"tools": [], "groups": [], "tags": [], "concerns": []});
        let absent: Vec<_> =
            servers.iter().map(|(name, of)| (*name, if *name == "a" { &nothing } else { *of })).collect();
        let (with, without) = (world(&servers, &config), world(&absent, &config));
        assert_eq!(with, without, "seed {seed}");
        assert!(!with.contains(" of a") && !with.contains("\"a"), "seed {seed}: {with}");
        if with.contains(" of b") { described += 1 } else { silent += 1 }
    }
    assert!(described > 100 && silent > 10, "{described} {silent}");
}
