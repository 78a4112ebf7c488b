//! Pages of tools (MCP Apps), which lists of resources need not mention, and tools that only applications may call.

use mcp_sieve::catalog::{Lists, NameRecord, Source};
use mcp_sieve_gateway::{
    config::Config,
    upstream::{Backend, Features},
};
use serde_json::{Value, json};

use crate::{
    client::{json_of, modern},
    host::World,
};

const PAGE: &str = "ui://a/page.html";

fn tool(name: &str, meta: Value) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}, "_meta": meta})
}

/// Returns a tool with a page.
fn opening(name: &str, uri: &str) -> Value {
    tool(name, json!({"ui": {"resourceUri": uri}}))
}

/// Returns the world of these servers.
pub fn serving(config: &Value, servers: &[(&str, Value)]) -> World {
    let world = World::configured(config.clone());
    let lists: Vec<String> = servers.iter().map(|(_, lists)| lists.to_string()).collect();
    let sources = std::iter::zip(servers, &lists)
        .map(|((server, _), lists)| Source { server, lists: Lists::read(lists).unwrap() });
    world.serve(Backend::compile(sources.collect(), &world.config, Features::default()));
    world
}

/// Returns the response to a request of a caller with this role, and the URIs and names that are sent to servers.
fn ask(world: &World, method: &str, params: Value, role: &str) -> (Value, Vec<String>) {
    let mut request = modern(method, params.clone(), &json!({}));
    for key in ["uri", "name"] {
        if let Some(name) = params[key].as_str() {
            let name = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, name);
            request.headers_mut().insert("mcp-name", format!("=?base64?{name}?=").parse().unwrap());
        }
    }
    world.forwarded.take();
    let claims = json!({"sub": "x", "role": role});
    let answer = json_of(world.run(world.handle(Ok(claims.as_object()), &request)).into_body());
    let sent = world.forwarded.take().into_iter().map(|params| {
        let params: Value = serde_json::from_str(&params).unwrap();
        params.get("uri").unwrap_or(&params["name"]).as_str().unwrap().to_owned()
    });
    (answer, sent.collect())
}

fn read(world: &World, uri: &str, role: &str) -> Vec<String> {
    ask(world, "resources/read", json!({"uri": uri}), role).1
}

fn two_upstreams() -> Value {
    json!([{"name": "a", "url": "http://127.0.0.1:1/mcp"}, {"name": "b", "url": "http://127.0.0.1:2/mcp"}])
}

/// The page is not in `resources/list`.
#[test]
fn the_page_of_a_visible_tool_is_readable_whatever_the_file_restricts() {
    let flat = tool("open_flat", json!({"ui/resourceUri": "ui://flat/page.html?v=2"}));
    let lists = json!({"tools": [opening("open", PAGE), flat], "resources": []});
    let other = json!({"tools": [tool("other", json!({}))]});
    for config in [
        json!({}),
        json!({"policies": [{"name": "p", "show": "-name:secret"}]}),
        json!({"policies": [{"name": "p", "show": "name:open*"}]}),
        json!({"policies": [{"name": "p", "show": "tag:ok"}], "rules": [{"match": "name:open*", "tags": ["ok"]}]}),
        json!({"policies": [{"name": "p", "show": "group:ok"}],
            "rules": [{"match": "kind:tool name:open*", "groups": ["ok"]}]}),
        json!({"policies": [{"name": "p", "show": "kind:tool and name:open*", "kinds": ["tool"]}]}),
        json!({"policies": [{"name": "p", "show": "server:a or server:upstream"}]}),
        json!({"presets": [{"name": "p", "when": "claim.role:user", "filter": {"groups": ["ok"]}}],
            "rules": [{"match": "name:open*", "groups": ["ok"]}]}),
        json!({"presets": [{"name": "p", "when": "claim.role:user", "filter": {"where": "name:open*"}}]}),
        json!({"rules": [{"match": "name:other", "hide": true}]}),
        json!({"rules": [{"match": "-name:open*", "hide": true}]}),
        json!({"enforce": true}),
        json!({"upstream": {"unlisted": false}}),
    ] {
        let mut several = config.clone();
        several["upstreams"] = two_upstreams();
        several.as_object_mut().unwrap().remove("upstream");
        for world in [
            World::listing(lists.clone(), config.as_object().unwrap().clone()),
            serving(&several, &[("b", other.clone()), ("a", lists.clone())]),
        ] {
            for uri in [PAGE, "ui://flat/page.html?v=2"] {
                assert_eq!(read(&world, uri, "user"), [uri], "{config}");
            }
            assert_eq!(read(&world, "UI://a/page.html", "user"), [PAGE], "{config}");
        }
    }
}

#[test]
fn nothing_opens_with_a_page() {
    let lists = json!({
        "tools": [opening("open", PAGE), opening("made", "ui://b/{id}"), opening("file", "file:///etc/passwd"),
            opening("up", "ui://c/../d"), opening("web", "https://a.example/page")],
        "resourceTemplates": [],
    });
    let config = json!({"policies": [{"name": "p", "show": "-name:secret"}]});
    let world = World::listing(lists, config.as_object().unwrap().clone());
    for uri in [
        "ui://a/page.htm",
        "ui://a/page.html/",
        "ui://a/page.html/x",
        "ui://a/page.html?x",
        "ui://a/page.html#x",
        "ui://a/PAGE.html",
        "ui://A/page.html",
        "ui://a/x/../page.html",
        "ui://a/./page.html",
        "ui://a/%2e/page.html",
        "ui://a//page.html",
        "ui://a/page%2ehtml",
        "ui://a\\page.html",
        "ui://a/other.html",
        "ui://a",
        "ui://a/",
        "ui://b/7",
        "ui://b/{id}",
        "ui://b/%7Bid%7D",
        "file:///etc/passwd",
        "ui://d",
        "ui://c/../d",
        "https://a.example/page",
    ] {
        let (answer, sent) = ask(&world, "resources/read", json!({"uri": uri}), "");
        assert_eq!(
            (&answer["error"]["message"], sent),
            (&json!(format!("Resource not found: {uri}")), vec![])
        );
    }
    assert_eq!(read(&world, PAGE, ""), [PAGE]);
}

/// A caller that does not see the tool gets the same response as for a page that does not exist.
#[test]
fn a_page_is_hidden_with_its_tool_and_by_its_own_address() {
    let listed = json!([{"uri": PAGE, "name": "page"}]);
    let secret = json!([{"uri": PAGE, "name": "secret page"}]);
    for (config, resources, shown) in [
        (json!({"policies": [{"name": "p", "show": "-name:open or claim.role:admin"}]}), json!([]), false),
        (
            json!({"policies": [{"name": "p", "show": "-name:open or claim.role:admin"}]}),
            listed.clone(),
            false,
        ),
        (json!({"policies": [{"name": "p", "show": "-uri:ui://a/* or claim.role:admin"}]}), json!([]), false),
        (
            json!({"policies": [{"name": "p", "show": "-uri:ui://a/* or claim.role:admin"}]}),
            listed.clone(),
            false,
        ),
        (
            json!({"policies": [{"name": "p", "show": "-kind:resource or claim.role:admin"}]}),
            json!([]),
            false,
        ),
        (json!({"policies": [{"name": "p", "show": "kind:tool or claim.role:admin"}]}), json!([]), false),
        (
            json!({"policies": [{"name": "p", "kinds": ["resource"], "show": "claim.role:admin"}]}),
            json!([]),
            false,
        ),
        (
            json!({"policies": [{"name": "p", "kinds": ["resource"], "show": "claim.role:admin"}]}),
            listed.clone(),
            false,
        ),
        (
            json!({"policies": [{"name": "p", "show": "-name:*secret* or claim.role:admin"}]}),
            secret.clone(),
            false,
        ),
        (
            json!({"presets": [{"name": "p", "when": "-claim.role:admin", "filter": {"where": "-uri:ui://*"}}]}),
            json!([]),
            false,
        ),
        // What a policy or preset leaves out only because it lacks what the tool has is the tool's page still.
        (json!({"policies": [{"name": "p", "show": "name:open or claim.role:admin"}]}), listed.clone(), true),
        (
            json!({"policies": [{"name": "p", "show": "tag:ok"}], "rules": [{"match": "kind:tool", "tags": ["ok"]}]}),
            listed.clone(),
            true,
        ),
        (
            json!({"presets": [{"name": "p", "when": "-claim.role:admin", "filter": {"tags": ["ok"]}}],
            "rules": [{"match": "kind:tool", "tags": ["ok"]}]}),
            listed.clone(),
            true,
        ),
    ] {
        let lists = json!({"tools": [opening("open", PAGE)], "resources": resources});
        let world = World::listing(lists, config.as_object().unwrap().clone());
        let (answer, sent) = ask(&world, "resources/read", json!({"uri": PAGE}), "");
        assert_eq!(read(&world, PAGE, "admin"), [PAGE], "{config}");
        assert_eq!(!sent.is_empty(), shown, "{config}");
        if !shown {
            let (missing, _) = ask(&world, "resources/read", json!({"uri": "ui://z/page.html"}), "");
            let expected = missing.to_string().replace("ui://z/", "ui://a/");
            assert_eq!(answer.to_string(), expected, "{config}");
        }
    }
    for rules in [
        json!([{"match": "uri:ui://a/*", "hide": true}]),
        json!([{"match": "kind:resource", "hide": true}]),
        json!([{"match": "name:open", "hide": true}]),
    ] {
        for resources in [json!([]), listed.clone()] {
            let lists =
                json!({"tools": [opening("open", PAGE), tool("x", json!({}))], "resources": resources});
            let config = json!({"rules": rules});
            let world = World::listing(lists, config.as_object().unwrap().clone());
            assert_eq!(read(&world, PAGE, ""), Vec::<String>::new(), "{config}");
        }
    }
}

/// Returns the addresses of the tools' pages in a list, in the form of each.
fn pages(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    tools.filter_map(|tool| tool["_meta"]["ui"]["resourceUri"].as_str()).collect()
}

#[test]
fn the_same_address_of_two_servers_leads_to_the_page_of_each() {
    let lists = |name: &str, listed: bool| {
        let resources =
            if listed { json!([{"uri": PAGE, "name": "page", "mimeType": "text/html"}]) } else { json!([]) };
        let meta =
            json!({"ui": {"resourceUri": PAGE, "prefersBorder": true}, "ui/resourceUri": PAGE, "x": [1]});
        json!({"tools": [tool(name, meta)], "resources": resources})
    };
    for (prefix, expected) in [(Some("forge_"), "ui://forge_a/page.html"), (None, "ui://b/a/page.html")] {
        for listed in [[false, false], [true, true], [true, false]] {
            let mut upstreams = two_upstreams();
            if let Some(prefix) = prefix {
                upstreams[1]["prefix"] = json!(prefix);
            }
            let config = json!({"upstreams": upstreams, "policies": [{"name": "p", "show": "-name:two or claim.role:x"}]});
            let parsed = Config::parse(&config.to_string()).unwrap();
            let servers = [("a", lists("one", listed[0])), ("b", lists("two", listed[1]))];
            let world = serving(&config, &servers);
            let (answer, _) = ask(&world, "tools/list", json!({}), "x");
            assert_eq!(pages(&answer), [PAGE, expected], "{answer}");
            let second = &answer["result"]["tools"][1]["_meta"];
            let ui = json!({"resourceUri": expected, "prefersBorder": true});
            assert_eq!(*second, json!({"ui": ui, "ui/resourceUri": expected, "x": [1]}));
            let (answer, _) = ask(&world, "resources/list", json!({}), "x");
            let uris: Vec<_> =
                answer["result"]["resources"].as_array().unwrap().iter().map(|one| &one["uri"]).collect();
            let both = [(listed[0], PAGE), (listed[1], expected)];
            let both: Vec<_> = both.iter().filter(|(listed, _)| *listed).map(|(_, uri)| *uri).collect();
            assert_eq!(uris, both, "{config}");
            assert_eq!(read(&world, expected, "x"), [PAGE], "the server's own address");
            assert_eq!(read(&world, expected, ""), Vec::<String>::new(), "with its tool");
            assert_eq!(read(&world, PAGE, ""), [PAGE]);
            // The same holds for a catalog that another process stored, and after servers changed places.
            let texts = servers.each_ref().map(|(_, lists)| lists.to_string());
            let source =
                |at: usize| Source { server: servers[at].0, lists: Lists::read(&texts[at]).unwrap() };
            let mut record = NameRecord::default();
            let assignments = &parsed.engine.assignments;
            let prefixes = &parsed.engine.prefixes;
            let merge = |order: [usize; 2], record: &NameRecord| {
                mcp_sieve::catalog::Catalog::merge_recorded(
                    &order.map(source),
                    prefixes,
                    assignments,
                    Some(record),
                )
            };
            let catalog = merge([0, 1], &record);
            catalog.record_names(&mut record);
            for catalog in [merge([1, 0], &record), catalog] {
                let catalog = mcp_sieve::catalog::Catalog::restore(catalog.snapshot()).unwrap();
                let number = catalog.find_page(expected).unwrap();
                assert_eq!(catalog.page(number), Some(("b", expected, PAGE)));
                assert_eq!(catalog.page(catalog.find_page(PAGE).unwrap()), Some(("a", PAGE, PAGE)));
            }
        }
    }
}

#[test]
fn a_read_of_a_renamed_page_has_its_public_address() {
    let lists =
        |name: &str| json!({"tools": [opening(name, PAGE)], "resources": [{"uri": PAGE, "name": "page"}]});
    let world = serving(&json!({"upstreams": two_upstreams()}), &[("a", lists("one")), ("b", lists("two"))]);
    let (answer, _) = ask(&world, "resources/read", json!({"uri": "ui://b/a/page.html"}), "");
    if let Some(contents) = answer["result"]["contents"].as_array() {
        assert!(contents.iter().all(|content| content["uri"] == "ui://b/a/page.html"), "{answer}");
    }
}

/// Tools of applications alone are in flat lists, and applications call them in every mode.
#[test]
fn a_tool_of_applications_alone_never_reaches_a_model() {
    let app = |name: &str| {
        let mut app = tool(name, json!({"ui": {"resourceUri": PAGE, "visibility": ["app"]}}));
        app["description"] = json!("Submits an order of spare parts.");
        app["groups"] = json!(["orders"]);
        app
    };
    let shown = json!({"name": "list_orders", "description": "Lists orders.", "inputSchema": {"type": "object"},
        "groups": ["orders"]});
    let config =
        |mode: &str| json!({"disclosure": {"mode": mode, "budget": 100}, "filtering": {"mirror": false}});
    let world = |mode: &str, tools: Value| {
        World::listing(json!({"tools": tools}), config(mode).as_object().unwrap().clone())
    };
    let with = |mode: &str| world(mode, json!([app("submit_order"), shown, app("order_parts")]));
    let without = |mode: &str| world(mode, json!([shown]));
    let call = |world: &World, name: &str, arguments: Value| {
        ask(world, "tools/call", json!({"name": name, "arguments": arguments}), "")
    };
    let flat = ask(&with("flat"), "tools/list", json!({}), "").0;
    assert_eq!(flat["result"]["tools"], json!([app("submit_order"), shown, app("order_parts")]).clone());
    for mode in ["search", "groups"] {
        for (name, arguments) in [
            ("search_tools", json!({"query": "submit order"})),
            ("search_tools", json!({"query": "submit_order spare parts"})),
            ("search_tools", json!({"query": "order", "group": "orders"})),
            ("list_tool_groups", json!({})),
            ("open_tool_group", json!({"group": "orders"})),
            ("describe_tools", json!({"names": ["submit_order", "list_orders"]})),
            ("call_tool", json!({"name": "submit_order"})),
            ("call_tool", json!({"name": "order_parts", "arguments": {}})),
            ("call_read_only_tool", json!({"name": "submit_order"})),
        ] {
            let [found, expected] =
                [with(mode), without(mode)].map(|world| call(&world, name, arguments.clone()));
            assert_eq!(found, expected, "{name} {arguments} in {mode}");
        }
        let [found, expected] =
            [with(mode), without(mode)].map(|world| ask(&world, "tools/list", json!({}), "").0);
        assert_eq!(found, expected, "the first list in {mode}");
        let [found, expected] =
            [with(mode), without(mode)].map(|world| ask(&world, "server/discover", json!({}), "").0);
        assert_eq!(found["result"]["instructions"], expected["result"]["instructions"], "{mode}");
    }
    for mode in ["flat", "search", "groups", "auto"] {
        assert_eq!(call(&with(mode), "submit_order", json!({})).1, ["submit_order"], "{mode}");
    }
    // They take no part of the budget: many of them do not make a list long.
    let many: Vec<Value> = (0..50).map(|at| app(&format!("app_{at}"))).chain([shown.clone()]).collect();
    let auto = ask(&world("auto", json!(many)), "tools/list", json!({}), "").0;
    assert_eq!(auto["result"]["tools"].as_array().unwrap().len(), 51, "a flat list");
    // Alone they are no reason for discovery tools, so the list is flat.
    let alone = ask(&world("search", json!([app("submit_order")])), "tools/list", json!({}), "").0;
    assert_eq!(alone["result"]["tools"], json!([app("submit_order")]));
    // A limit is about what a model reads.
    for limit in [json!({"count": 1}), json!({"tokens": 200})] {
        let filter = json!({"filter": {"limit": limit}});
        let answer = ask(&with("flat"), "tools/list", filter, "").0;
        assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 3, "{answer}");
    }
}
