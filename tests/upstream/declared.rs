//! Groups, tags and concerns that upstream servers declare.

use std::{cell::Cell, collections::BTreeMap, rc::Rc};

use mcp_sieve::{Kind, concern::Configuration};
use mcp_sieve_gateway::{
    Config,
    config::Upstream,
    host::{Caller, Freshness, Revision},
    upstream::{Backend, Gateway, Listing, MAX_ABOVE, MAX_DECLARED, MAX_DECLARED_BYTES, Served},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    gateway::{Servers, behind, gateway, serve},
    net::{Net, Piece, Reply, Seen},
    server::{error, legacy, modern, result},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The behaviors that the row proves.
    #[serde(rename = "ids", default)]
    _ids: Vec<String>,
    config: Value,
    /// The renames that apply to every server.
    #[serde(default)]
    renames: Map<String, Value>,
    servers: Vec<Server>,
    #[serde(default)]
    groups: Vec<Value>,
    #[serde(default)]
    tags: Vec<Value>,
    #[serde(default)]
    concerns: Vec<Value>,
    /// Whether defaults apply to a caller that configures another concern.
    #[serde(default)]
    applied: bool,
    /// The tools as they are sent to callers.
    tools: Option<Value>,
    #[serde(default)]
    problems: Vec<[String; 2]>,
    /// The requests that the servers receive once they are known.
    requested: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    name: String,
    #[serde(default)]
    sessions: bool,
    capabilities: Value,
    answers: BTreeMap<String, Value>,
}

/// Makes a server return these answers from now on.
fn start(servers: &Servers, server: &Server) {
    let answers = server.answers.clone();
    let mut capabilities = server.capabilities.clone();
    capabilities["tools"] = json!({});
    let rest = move |seen: &Seen| match answers.get(seen.method()) {
        Some(answer) if answer["error"].is_object() => error(seen, 200, answer["error"].clone()),
        Some(answer) => result(seen, answer.clone()),
        None => error(seen, 200, json!({"code": -32601, "message": "unexpected"})),
    };
    match server.sessions {
        true => servers.set(&server.name, legacy(capabilities, rest)),
        false => servers.set(&server.name, modern(capabilities, rest)),
    }
}

/// Returns the groups, tags and concerns that a caller sees.
pub fn seen(backend: &Backend, config: &Config) -> [Vec<Value>; 3] {
    let headers = http::HeaderMap::new();
    let caller = Caller::new(&headers, Revision::V2026_07_28, "groups/list");
    let view = backend.guarded.view(&caller);
    let text = |object: &mut Map<String, Value>, key: &str, text: Option<&str>| {
        text.into_iter().for_each(|text| _ = object.insert(key.to_owned(), text.into()));
    };
    let meta = |object: &mut Map<String, Value>, meta: Option<&str>| {
        let meta = meta.map(|meta| serde_json::from_str(meta).unwrap());
        meta.into_iter().for_each(|meta: Value| _ = object.insert("_meta".to_owned(), meta));
    };
    let groups = view.groups().into_iter().map(|group| {
        let mut object = Map::from_iter([("name".to_owned(), group.name.as_str().into())]);
        text(&mut object, "title", group.title.as_deref());
        text(&mut object, "description", group.description.as_deref());
        meta(&mut object, group.meta.as_deref());
        if !group.parents.is_empty() {
            object.insert("parents".to_owned(), json!(group.parents));
        }
        object.into()
    });
    let tags = view.tags().into_iter().map(|tag| {
        let mut object = Map::from_iter([("name".to_owned(), tag.name.as_str().into())]);
        text(&mut object, "description", Some(&tag.description));
        meta(&mut object, tag.meta.as_deref());
        object.into()
    });
    let concerns = backend.declared.concerns(config, &view);
    [groups.collect(), tags.collect(), concerns.iter().map(|concern| json!(concern)).collect()]
}

/// Returns the problems with declarations, each with its server.
fn problems(backend: &Backend) -> Vec<[String; 2]> {
    backend.declared.problems().iter().map(|one| [one.server.clone(), one.problem.clone()]).collect()
}

#[test]
fn what_servers_declare_is_served() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("../fixtures/declared.json")).unwrap();
    for row in rows {
        let servers = Servers::default();
        row.servers.iter().for_each(|server| start(&servers, server));
        let net = servers.net();
        let mut file = row.config.clone();
        file["upstreams"] = row
            .servers
            .iter()
            .map(|Server { name, .. }| {
                let mut upstream = row.renames.clone();
                upstream.insert("name".to_owned(), name.as_str().into());
                upstream.insert("url".to_owned(), format!("http://{name}/mcp").into());
                upstream.insert("capabilities".to_owned(), json!({}));
                Value::Object(upstream)
            })
            .collect();
        let config = Config::parse(&file.to_string()).unwrap();
        net.run(async {
            let keeper = gateway(&config.upstreams);
            let served = serve(&keeper, &net, &config, Freshness::List).await.unwrap();
            let expected = [row.groups, row.tags, row.concerns];
            let backend = &served.backend;
            assert_eq!(seen(backend, &config), expected, "{}", row.name);
            assert_eq!(problems(backend), row.problems, "{}", row.name);
            let notes = served.notes.iter().filter(|note| note.starts_with("declarations: ")).count();
            assert_eq!(notes, row.problems.len(), "{}: {:?}", row.name, served.notes);
            let tools = backend.guarded.catalog().kind_index(Kind::Tool);
            if let Some(expected) = row.tools {
                let sent: Vec<Value> = (0..tools.len())
                    .map(|at| serde_json::from_slice(tools.bytes(at).unwrap()).unwrap())
                    .collect();
                assert_eq!(Value::from(sent), expected, "{}", row.name);
            }
            if let Some(requested) = row.requested {
                let first = ["initialize", "notifications/initialized", "server/discover"];
                let seen = net.seen();
                let seen = seen.iter().map(Seen::method).filter(|method| !first.contains(method));
                assert_eq!(seen.collect::<Vec<_>>(), requested, "{}", row.name);
            }
            let view = backend.guarded.view(&Caller::new(
                &http::HeaderMap::new(),
                Revision::V2026_07_28,
                "tools/list",
            ));
            let concerns = backend.declared.concerns(&config, &view);
            let mut configuration = Configuration::default();
            configuration.set("another", None);
            concerns.apply_server_defaults(&mut configuration, &Configuration::default());
            let applied = concerns.iter().any(|concern| configuration.names(&concern.name));
            assert_eq!(applied, row.applied, "{}", row.name);

            // Another process serves the same, and so does one that has only the lists.
            let taker = gateway(&config.upstreams);
            let adopted = taker.adopt(keeper.share(net.now(), None).unwrap(), &config).unwrap();
            assert_eq!(seen(&adopted.served.backend, &config), expected, "{}", row.name);
            assert_eq!(adopted.served.backend.hash(), backend.hash(), "{}", row.name);
            for (_, listing) in keeper.listings() {
                assert_eq!(Listing::read(&listing.to_bytes()).unwrap(), *listing, "{}", row.name);
            }
        });
    }
}

/// Returns a gateway to a server with one tool in the group `g`, which answers other requests with `answer`.
fn declaring_server(answer: impl Fn(&Seen) -> Reply + 'static) -> (Net, Config) {
    let servers = Servers::default();
    let tools = json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}, "groups": ["g"]}]});
    servers.set(
        "a",
        modern(json!({"tools": {}, "filtering": {"groups": {}}}), move |seen| match seen.method() {
            "tools/list" => result(seen, tools.clone()),
            _ => answer(seen),
        }),
    );
    let upstreams = [Upstream { list_timeout_ms: 600, ..behind("a") }];
    (servers.net(), crate::gateway::config(&upstreams))
}

fn served(net: &Net, config: &Config) -> (Gateway, Served) {
    let gateway = gateway(&config.upstreams);
    let served = net.run(async { serve(&gateway, net, config, Freshness::List).await.unwrap() });
    (gateway, served)
}

/// Returns the only problem, and asserts that the tool is served all the same.
fn only_problem(served: &Served) -> String {
    assert_eq!(served.backend.guarded.catalog().kind_index(Kind::Tool).len(), 1, "the tools are lost");
    let problems = problems(&served.backend);
    let [[_, problem]] = &problems[..] else { panic!("{problems:?}") };
    problem.clone()
}

#[test]
fn pages_without_end_cost_no_tool() {
    let page = Rc::new(Cell::new(0));
    let (net, config) = declaring_server(move |seen| {
        page.set(page.get() + 1);
        result(
            seen,
            json!({"groups": [{"name": format!("g{}", page.get())}], "nextCursor": page.get().to_string()}),
        )
    });
    let (_, served) = served(&net, &config);
    assert_eq!(only_problem(&served), "groups: upstream `a` has more than 4 pages of `groups/list`");
}

#[test]
fn a_cursor_that_returns_ends_the_list() {
    let (net, config) = declaring_server(|seen| {
        result(seen, json!({"groups": [{"name": "g", "title": "G"}], "nextCursor": "x"}))
    });
    let (_, served) = served(&net, &config);
    assert_eq!(only_problem(&served), "groups: upstream `a` repeats a cursor of `groups/list` on page 2");
    assert_eq!(seen(&served.backend, &config)[0], [json!({"name": "g", "title": "G"})]);
}

#[test]
fn a_list_that_never_ends_costs_half_of_the_time() {
    let (net, config) = declaring_server(|_| Reply::Response {
        status: 200,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: vec![Piece::Wait(10_000)],
    });
    let (_, served) = served(&net, &config);
    assert_eq!(only_problem(&served), "groups: `groups/list` did not end within 300 ms");
}

#[test]
fn more_groups_than_are_kept_are_left_out() {
    let (net, config) = declaring_server(|seen| {
        let groups: Vec<Value> = (0..100_000).map(|at| json!({"name": format!("g{at}")})).collect();
        result(seen, json!({"groups": groups}))
    });
    let (gateway, served) = served(&net, &config);
    let problem = format!("groups: more than {MAX_DECLARED} are declared, the others are left out");
    assert_eq!(only_problem(&served), problem);
    assert_eq!(gateway.listings()[0].1.declared.groups.items.len(), MAX_DECLARED);
}

#[test]
fn longer_declarations_than_are_kept_are_left_out() {
    let (net, config) = declaring_server(|seen| {
        let long = "x".repeat(MAX_DECLARED_BYTES / 2);
        let groups = ["g", "h", "i"].map(|name| json!({"name": name, "title": long}));
        result(seen, json!({"groups": groups}))
    });
    let (_, served) = served(&net, &config);
    let problem =
        format!("groups: more than {MAX_DECLARED_BYTES} bytes are declared, the others are left out");
    assert_eq!(only_problem(&served), problem);
}

#[test]
fn a_group_stands_below_so_many_others_at_most() {
    let above = |count: usize| {
        move |seen: &Seen| {
            let parents: Vec<String> = (0..count).map(|at| format!("p{at}")).collect();
            let mut groups: Vec<Value> = parents.iter().map(|name| json!({"name": name})).collect();
            groups.push(json!({"name": "g", "_meta": {"dev.mcpsieve/parent": parents}}));
            result(seen, json!({"groups": groups}))
        }
    };
    let (net, config) = declaring_server(above(MAX_ABOVE));
    assert!(problems(&served(&net, &config).1.backend).is_empty());
    let (net, config) = declaring_server(above(MAX_ABOVE + 1));
    let problem = "the group `g`: `p16` is not its parent: it would be below more than 16 groups";
    assert_eq!(only_problem(&served(&net, &config).1), problem);
}

#[test]
fn a_long_line_of_groups_is_cut() {
    let (net, config) = declaring_server(|seen| {
        let group = |at: usize| json!({"name": format!("g{at}"), "_meta": {"dev.mcpsieve/parent": format!("g{}", at + 1)}});
        let mut groups: Vec<Value> = (0..900).map(group).collect();
        groups.push(json!({"name": "g900"}));
        result(seen, json!({"groups": groups}))
    });
    let (_, served) = served(&net, &config);
    let catalog = served.backend.guarded.catalog();
    assert_eq!(catalog.groups().len(), 902, "the group of the tool is not declared");
    assert!(!problems(&served.backend).is_empty());
}

#[test]
fn a_change_of_declarations_replaces_the_catalog_and_a_failure_keeps_them() {
    let title = Rc::new(Cell::new(Some("one")));
    let now = Rc::clone(&title);
    let (net, config) = declaring_server(move |seen| match now.get() {
        Some(title) => result(seen, json!({"groups": [{"name": "g", "title": title}]})),
        None => error(seen, 200, json!({"code": -32603, "message": "broken"})),
    });
    let (gateway, first) = served(&net, &config);
    assert_eq!(seen(&first.backend, &config)[0], [json!({"name": "g", "title": "one"})]);
    let again = || {
        gateway.expire_server("a");
        net.run(async { serve(&gateway, &net, &config, Freshness::List).await.unwrap() })
    };
    assert!(!again().replaced);
    title.set(Some("two"));
    let second = again();
    assert!(second.replaced);
    assert_eq!(seen(&second.backend, &config)[0], [json!({"name": "g", "title": "two"})]);
    title.set(None);
    let third = again();
    assert_eq!(seen(&third.backend, &config)[0], [json!({"name": "g", "title": "two"})]);
    assert_eq!(only_problem(&third), "groups: broken");
}
