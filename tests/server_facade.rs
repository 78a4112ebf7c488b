//! The entry point for Rust programs that are servers: calls judged, several servers, lists of groups and tags,
//! capabilities and discovery.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_sieve::{Caller, Config, Discovered, ErrorKind, Filter, Kind, Sieve, View, policy::DisclosureMode};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

fn view(lists: &Value, config: &Value) -> View {
    let config = Config::parse(&config.to_string()).unwrap();
    Sieve::compile(&lists.to_string(), &config).unwrap().view(&Caller::anonymous())
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_call_is_allowed_as_the_lists_show() {
    let lists = json!({
        "tools": [tool("read"), tool("purge")],
        "prompts": [{"name": "greet"}, {"name": "part"}],
        "resources": [{"uri": "file:///notes", "name": "n"}, {"uri": "file:///secret/key", "name": "k"}],
        "resourceTemplates": [{"uriTemplate": "page://{name}", "name": "p"}, {"uriTemplate": "raw://{name}", "name": "r"}],
    });
    let policies = json!({"policies": [
        {"name": "p", "show": "-name:purge -name:part -uri:file:///secret/* -uri:raw:*"}]});
    let view = view(&lists, &policies);
    for (kind, name, allowed) in [
        (Kind::Tool, "read", true),
        (Kind::Tool, "purge", false),
        (Kind::Tool, "none", false),
        (Kind::Tool, "greet", false),
        (Kind::Prompt, "greet", true),
        (Kind::Prompt, "part", false),
        (Kind::Template, "page://{name}", true),
        (Kind::Template, "raw://{name}", false),
        (Kind::Resource, "file:///notes", true),
        (Kind::Resource, "FILE:///notes", true),
        (Kind::Resource, "page://home", true),
        (Kind::Resource, "raw://home", false),
        (Kind::Resource, "file:///secret/key", false),
        (Kind::Resource, "file:///%73ecret/key", false),
        (Kind::Resource, "file:///a//../../secret/key", false),
        (Kind::Resource, "file:///other", false),
        (Kind::Resource, " file:///notes", false),
        (Kind::Resource, "", false),
    ] {
        assert_eq!(view.allows(kind, name), allowed, "{kind:?} {name}");
    }
    // Filters decide about lists only, unless the view is narrowed.
    let filter: Filter = r#"{"namePatterns":["greet"]}"#.parse().unwrap();
    assert!(view.tools(&filter).unwrap().is_empty() && view.allows(Kind::Tool, "read"));
    let narrow = view.within(&filter).unwrap();
    assert!(!narrow.allows(Kind::Tool, "read") && narrow.allows(Kind::Prompt, "greet"));
    assert!(narrow.tools(&Filter::default()).unwrap().is_empty());
}

/// The page of a tool is as visible as the tool, whether or not a list names it.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_visible_tool_allows_its_page() {
    let page = |name: &str| {
        let ui = json!({"ui": {"resourceUri": format!("ui://{name}/page.html")}});
        json!({"name": name, "inputSchema": {"type": "object"}, "_meta": ui})
    };
    let lists = json!({"tools": [page("map"), page("admin")]});
    let view = view(&lists, &json!({"policies": [{"name": "p", "show": "-name:admin"}]}));
    assert!(view.allows(Kind::Resource, "ui://map/page.html"));
    assert!(!view.allows(Kind::Resource, "ui://admin/page.html"));
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn several_servers_have_names_of_their_own() {
    let forge =
        json!({"tools": [tool("search"), tool("open")], "resources": [{"uri": "issue://1", "name": "i"}]})
            .to_string();
    let wiki = json!({"tools": [tool("search"), tool("edit")], "resourceTemplates": [{"uriTemplate": "page://{name}", "name": "p"}]}).to_string();
    let servers = [("forge", forge.as_str()), ("wiki", wiki.as_str())];
    let compiled = |config: &str| Sieve::compile_servers(&servers, &Config::parse(config).unwrap());
    let names = |config: &str| {
        let tools = compiled(config).unwrap().view(&Caller::anonymous()).tools(&Filter::default()).unwrap();
        tools.names().map(str::to_owned).collect::<Vec<_>>()
    };
    let prefixed = r#"{"upstreams":[{"name":"forge","prefix":"f_"},{"name":"wiki","prefix":"w_"}]}"#;
    let always = r#"{"upstreams":[{"name":"forge"},{"name":"wiki","prefix":"w_","prefixAll":true}]}"#;
    assert_eq!(names(prefixed), ["f_search", "open", "w_search", "edit"]);
    assert_eq!(names(always), ["search", "open", "w_search", "w_edit"]);
    // Without prefixes, neither gets the calls that may be meant for the other.
    assert_eq!(names("{}"), ["open", "edit"]);
    let reports = compiled("{}").unwrap().reports().to_vec();
    assert!(reports.iter().all(|report| report.name == "search") && !reports.is_empty(), "{reports:?}");

    let view = compiled(prefixed).unwrap().view(&Caller::anonymous());
    for (kind, name, origin) in [
        (Kind::Tool, "f_search", Some(("forge", "search"))),
        (Kind::Tool, "search", None),
        (Kind::Tool, "w_search", Some(("wiki", "search"))),
        (Kind::Tool, "edit", Some(("wiki", "edit"))),
        (Kind::Tool, "w_edit", None),
        (Kind::Resource, "issue://1", Some(("forge", "issue://1"))),
        (Kind::Resource, "page://home", Some(("wiki", "page://home"))),
        (Kind::Resource, "issue://2", None),
    ] {
        let found = view.origin(kind, name);
        assert_eq!(found.as_ref().map(|found| (found.server, &*found.name)), origin, "{name}");
    }
    let hidden = r#"{"policies":[{"name":"p","show":"-server:wiki"}]}"#;
    let view = compiled(hidden).unwrap().view(&Caller::anonymous());
    assert!(view.allows(Kind::Tool, "open") && !view.allows(Kind::Tool, "edit"));
    assert!(!view.allows(Kind::Resource, "page://home"));
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn servers_that_cannot_be_told_apart_are_refused() {
    let refused = |servers: &[(&str, &str)], config: &str| {
        let error = Sieve::compile_servers(servers, &Config::parse(config).unwrap()).unwrap_err();
        (error.kind(), error.to_string())
    };
    let configured = r#"{"upstreams":[{"name":"forge"},{"name":"wiki"}]}"#;
    for (servers, config, kind, message) in [
        (
            &[("a", r#"{"tools":[]}"#), ("a", "{}")][..],
            "{}",
            ErrorKind::Config,
            "[1].server: `a` occurs twice, expected each server once",
        ),
        (
            &[("wikki", "{}")],
            configured,
            ErrorKind::Config,
            "[0].server: `wikki` is no server of the configuration, expected `forge` or `wiki`",
        ),
        (&[("a", r#"{"tools":[]}"#), ("b", "{")], "{}", ErrorKind::Json, "[1].lists"),
        (&[("a", r#"{"tools":[]}"#), ("b", r#"{"tools":1}"#)], "{}", ErrorKind::Catalog, "[1].lists"),
    ] {
        let (found, text) = refused(servers, config);
        assert_eq!(found, kind, "{text}");
        assert!(text.starts_with(message), "{text}");
    }
    for (config, message) in [
        (
            r#"{"upstreams":[{"name":"a"},{"name":"b","prefix":"no space"}]}"#,
            "upstreams[1].prefix: expected 1 to 64",
        ),
        (r#"{"upstreams":[{"name":"a","prefixAll":1}]}"#, "upstreams[0].prefixAll: "),
    ] {
        let error = Config::parse(config).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn groups_and_tags_are_those_that_the_caller_sees() {
    let config = json!({
        "groups": [
            {"name": "mail", "title": "Mail", "_meta": {"com.example/icon": "m"}},
            {"name": "outbox", "parent": "mail"},
            {"name": "admin"},
        ],
        "tags": [{"name": "slow", "description": "Takes a while."}],
        "rules": [
            {"match": "name:send", "groups": ["outbox"], "tags": ["slow"]},
            {"match": "name:purge", "groups": ["admin"]},
        ],
        "policies": [{"name": "p", "show": "-group:admin"}],
    });
    let view = view(&json!({"tools": [tool("send"), tool("purge")]}), &config);
    let groups = |params: &str| parse(&view.groups_list(params).unwrap())["groups"].clone();
    let [mail, outbox] = [
        json!({"name": "mail", "title": "Mail", "_meta": {"com.example/icon": "m"}}),
        json!({"name": "outbox", "_meta": {"dev.mcpsieve/parent": "mail"}}),
    ];
    assert_eq!(groups(""), json!([mail, outbox]));
    assert_eq!(groups(r#"{"parent":null}"#), json!([mail]));
    assert_eq!(groups(r#"{"dev.mcpsieve/parent":"mail"}"#), json!([outbox]));
    let size = &groups(r#"{"counts":true}"#)[1]["_meta"]["dev.mcpsieve/size"];
    assert_eq!(*size, json!({"tools": 1}));
    let tags = parse(&view.tags_list(r#"{"counts":true,"parent":7}"#).unwrap());
    let slow = json!({"name": "slow", "description": "Takes a while.", "_meta": {"dev.mcpsieve/size": {"tools": 1}}});
    assert_eq!(tags, json!({"tags": [slow]}));
    for (params, kind) in [
        ("[]", ErrorKind::FilterType),
        ("{", ErrorKind::Json),
        (r#"{"counts":1}"#, ErrorKind::FilterType),
        (r#"{"parent":1}"#, ErrorKind::FilterType),
    ] {
        assert_eq!(view.groups_list(params).unwrap_err().kind(), kind, "{params}");
    }
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn capabilities_name_what_the_caller_can_filter() {
    let concerns = json!([{"name": "cost", "values": ["low", "high"], "ordered": true, "default": "low"}]);
    let lists = json!({"tools": [tool("a")], "resources": [{"uri": "file:///a", "name": "a"}]});
    let view =
        view(&lists, &json!({"concerns": concerns, "policies": [{"name": "p", "show": "-kind:resource"}]}));
    assert_eq!(parse(&view.concerns_list()), json!({"concerns": concerns}));
    let capabilities = parse(&view.capabilities());
    assert_eq!(capabilities["concerns"], concerns);
    assert_eq!(capabilities["filtering"]["groups"], json!({"listChanged": false}));
    assert_eq!(capabilities["resources"], Value::Null);
    let supported = &capabilities["tools"]["filtering"]["supported"];
    assert_eq!(supported[0], "namePatterns");
    let filtering = &capabilities["extensions"]["dev.mcpsieve/filtering"];
    assert_eq!(filtering["methods"], json!(["tools/list", "groups/list", "tags/list"]));
    assert!(filtering["fields"].as_array().unwrap().contains(&json!("concerns")));
    assert_eq!(filtering["limits"]["values"], 100);
    let announced = &capabilities["extensions"]["dev.mcpsieve/concerns"];
    assert_eq!((&announced["concerns"], &announced["defaults"]), (&concerns, &json!("advisory")));
    assert_eq!(announced["channels"], json!(["param"]));
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_model_finds_reads_and_calls_tools() {
    let lists = json!({"tools": [
        {"name": "find_hotels", "inputSchema": {"type": "object", "required": ["city"],
            "properties": {"city": {"type": "string"}}}, "annotations": {"readOnlyHint": true}},
        tool("rent_car"), tool("purge"),
        {"name": "click", "inputSchema": {"type": "object"}, "_meta": {"ui": {"visibility": ["app"]}}},
    ]});
    let view = view(
        &lists,
        &json!({
        "groups": [{"name": "travel"}],
        "rules": [{"match": "name:find_* or name:rent_*", "groups": ["travel"]}],
        "policies": [{"name": "p", "show": "-name:purge"}]}),
    );
    let tools = view.tools(&Filter::default()).unwrap();
    let discovery = tools.discovery(DisclosureMode::Search);
    let listed = |mode: DisclosureMode| {
        let tools = parse(&tools.discovery(mode).json())["tools"].clone();
        tools
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        listed(DisclosureMode::Search),
        ["search_tools", "describe_tools", "call_read_only_tool", "call_tool"]
    );
    assert_eq!(listed(DisclosureMode::Groups)[..2], ["list_tool_groups", "open_tool_group"]);
    // The application's own tool is none for models.
    assert_eq!(listed(DisclosureMode::Flat), ["find_hotels", "rent_car"]);
    assert_eq!(tools.discovery(DisclosureMode::Auto).mode(), DisclosureMode::Flat);
    assert!(discovery.instructions().contains("travel (2)"), "{}", discovery.instructions());

    let result = |name: &str, arguments: &str| match discovery.call(name, arguments) {
        Discovered::Result(result) => parse(&result),
        call @ Discovered::Call { .. } => panic!("{call:?}"),
    };
    let found = result("search_tools", r#"{"query":"a hotel"}"#);
    assert_eq!(found["structuredContent"]["tools"][0]["name"], "find_hotels");
    let described = result("describe_tools", r#"{"names":["find_hotels","purge","click"]}"#);
    assert_eq!(described["structuredContent"]["tools"][0]["inputSchema"]["required"], json!(["city"]));
    assert_eq!(described["structuredContent"]["tools"].as_array().unwrap().len(), 1);
    for (name, arguments) in [
        ("purge", "{}"),
        ("call_tool", r#"{"name":"purge"}"#),
        ("call_read_only_tool", r#"{"name":"rent_car"}"#),
        ("call_tool", r#"{"name":"find_hotels","arguments":{"city":7}}"#),
        ("search_tools", "{"),
    ] {
        assert_eq!(result(name, arguments)["isError"], true, "{name} {arguments}");
    }
    let called = |name: &str, arguments: &str| match discovery.call(name, arguments) {
        Discovered::Call { name, arguments } => (name, arguments),
        Discovered::Result(result) => panic!("{result}"),
    };
    let arguments = r#"{"city":"Ghent"}"#;
    let through = format!(r#"{{"name":"find_hotels","arguments":{arguments}}}"#);
    for (name, written) in
        [("find_hotels", arguments), ("call_tool", &through), ("call_read_only_tool", &through)]
    {
        assert_eq!(called(name, written), ("find_hotels".to_owned(), arguments.to_owned()));
    }
    assert_eq!(called("rent_car", ""), ("rent_car".to_owned(), "{}".to_owned()));
    // Tools alone are found.
    let prompts = view.prompts(&Filter::default()).unwrap().discovery(DisclosureMode::Search);
    assert_eq!(prompts.json(), r#"{"tools":[]}"#);
}

/// As at the gateway: a value in the URL is one that the caller asks for.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_default_gives_way_to_the_filter_of_the_url() {
    let lists = json!({"tools": [tool("drill"), tool("file"), tool("tape")]});
    let view = view(
        &lists,
        &json!({
        "concerns": [{"name": "noise", "values": ["quiet", "loud"], "default": "quiet", "applyDefault": true}],
        "concernMapping": {"drill": {"noise": "loud"}, "file": {"noise": "quiet"}}}),
    );
    let listed = |view: &View| {
        let tools = view.list_request(Kind::Tool, "").unwrap();
        (tools.names().map(str::to_owned).collect::<Vec<_>>(), tools.report())
    };
    assert_eq!(listed(&view).0, ["file", "tape"]);
    let url = Filter::from_query("concern.noise=loud").unwrap().filter;
    assert_eq!(listed(&view.within(&url).unwrap()), (vec!["drill".to_owned(), "tape".to_owned()], None));
    let other = Filter::from_query("namePatterns=*").unwrap().filter;
    assert_eq!(listed(&view.within(&other).unwrap()).0, ["file", "tape"]);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_list_request_is_read_and_reported() {
    let view = view(&json!({"tools": [tool("a"), tool("b"), tool("c")]}), &json!({}));
    let report = |params: &str| {
        let tools = view.list_request(Kind::Tool, params).unwrap();
        (tools.len(), tools.report().map(|report| parse(&report)))
    };
    for params in ["", "{}", r#"{"filter":{}}"#, r#"{"filter":null,"cursor":"x"}"#] {
        assert_eq!(report(params), (3, None), "{params}");
    }
    let params = r#"{"dev.mcpsieve/filter":{"namePatterns":["a","b"],"limit":{"count":1},"colour":1}}"#;
    let (count, found) = report(params);
    let found = found.unwrap();
    assert_eq!(
        (count, &found["total"], &found["matched"], &found["limited"]),
        (1, &json!(3), &json!(2), &json!(1))
    );
    assert_eq!(
        (&found["ignored"][0]["field"], &found["applied"]["limit"]),
        (&json!("colour"), &json!({"count": 1}))
    );
    for (params, kind) in [
        ("[]", ErrorKind::FilterType),
        (r#"{"filter":[]}"#, ErrorKind::FilterType),
        (r#"{"filter":{"where":"("}}"#, ErrorKind::Expression),
    ] {
        assert_eq!(view.list_request(Kind::Tool, params).unwrap_err().kind(), kind, "{params}");
    }
}
