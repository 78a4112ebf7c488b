//! Groups of Google's MCP Toolbox: `groups/list` and `groups/get` of its extension.

use std::{cell::Cell, rc::Rc};

use mcp_sieve::{
    Filter, Kind,
    filter::{Narrowing, Selection},
    policy::View,
};
use mcp_sieve_gateway::{
    Config,
    host::{Caller, Freshness, Revision},
    upstream::{Backend, Gateway, Served},
};
use serde_json::{Value, json};

use crate::{
    declared::seen as facets,
    gateway::{Servers, behind, gateway, serve},
    net::{Net, Reply, Seen},
    server::{error, legacy, modern, result},
};

const TOOLBOX: &str = "com.google.cloud/toolbox.v1";

/// Returns the answer to `groups/list` or `groups/get`, as the specification of the extension prints them.
fn toolbox(seen: &Seen) -> Reply {
    let meta = &seen.body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
    if !meta[TOOLBOX].is_object() {
        let message = format!("missing required client capability: method requires {TOOLBOX}");
        return error(seen, 400, json!({"code": -32021, "message": message}));
    }
    let group = |name: &str, tools: &[&str], prompts: &[&str]| {
        let tools: Vec<Value> = tools.iter().map(|name| tool(name)).collect();
        let prompts: Vec<Value> = prompts.iter().map(|name| json!({"name": name})).collect();
        result(
            seen,
            json!({"resultType": "complete", "name": name, "ttlMs": 300_000, "cacheScope": "public",
                "tools": tools, "prompts": prompts}),
        )
    };
    match (seen.method(), seen.body["params"]["name"].as_str()) {
        ("groups/list", None) => result(
            seen,
            json!({"resultType": "complete", "groups": [
                {"name": "admin", "description": "Administrative operations.",
                    "_meta": {"dev.mcpsieve/parent": "data_analyst"}},
                {"name": "data_analyst", "description": "Exploratory data analysis."},
                {"name": "", "description": "Everything."}]}),
        ),
        ("groups/get", Some("admin")) => group("admin", &["create_user", "list_users", "unlisted"], &[]),
        ("groups/get", Some("data_analyst")) => group("data_analyst", &["list_users"], &["summarize"]),
        ("groups/get", _) => error(seen, 400, json!({"code": -32602, "message": "invalid group name"})),
        _ => panic!("unexpected request: {}", seen.text),
    }
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

/// Returns a server with three tools and a prompt, which answers the methods of groups with `groups`.
fn server(groups: impl Fn(&Seen) -> Reply) -> impl Fn(&Seen) -> Reply {
    let capabilities = json!({"tools": {}, "prompts": {}, "extensions": {TOOLBOX: {}}});
    modern(capabilities, move |seen| match seen.method() {
        "tools/list" => {
            result(seen, json!({"tools": [tool("create_user"), tool("list_users"), tool("ping")]}))
        }
        "prompts/list" => result(seen, json!({"prompts": [{"name": "summarize"}, {"name": "greet"}]})),
        _ => groups(seen),
    })
}

/// Lists a server under a configuration.
fn served(groups: impl Fn(&Seen) -> Reply + 'static, file: &Value) -> (Net, Gateway, Config, Served) {
    let servers = Servers::default();
    servers.set("a", server(groups));
    let net = servers.net();
    let upstreams = vec![behind("a")];
    let config = Config { upstreams: upstreams.clone(), ..Config::parse(&file.to_string()).unwrap() };
    let gateway = gateway(&upstreams);
    let served = net.run(async { serve(&gateway, &net, &config, Freshness::List).await.unwrap() });
    (net, gateway, config, served)
}

fn view(backend: &Backend) -> View {
    let headers = http::HeaderMap::new();
    backend.guarded.view(&Caller::new(&headers, Revision::V2026_07_28, "tools/list"))
}

/// Returns the visible primitives of a kind that a filter selects.
fn names(backend: &Backend, kind: Kind, filter: &Value) -> Vec<String> {
    let (view, filter) = (view(backend), Filter::parse(&filter.to_string()).unwrap().filter);
    let (narrowing, mut selection) = (Narrowing::new(&view, &filter), Selection::default());
    let kind_index = view.catalog().kind_index(kind);
    let bits = view.select(&narrowing, kind, &mut selection);
    bits.iter().map(|index| kind_index.id(index).unwrap().to_owned()).collect()
}

fn problems(served: &Served) -> Vec<String> {
    served.backend.declared.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn filters_read_the_members_of_groups() {
    let (net, _, config, served) = served(toolbox, &json!({}));
    let backend = &served.backend;
    assert_eq!(problems(&served), [""; 0]);
    let admin = json!({"groups": ["admin"]});
    assert_eq!(names(backend, Kind::Tool, &admin), ["create_user", "list_users"]);
    assert_eq!(names(backend, Kind::Prompt, &admin), [""; 0]);
    let analyst = json!({"where": "group:data_*"});
    assert_eq!(names(backend, Kind::Tool, &analyst), ["list_users"]);
    assert_eq!(names(backend, Kind::Prompt, &analyst), ["summarize"]);
    // The server's own parents are not read: the groups of the extension have none.
    assert_eq!(
        facets(backend, &config)[0],
        [
            json!({"name": "admin", "description": "Administrative operations."}),
            json!({"name": "data_analyst", "description": "Exploratory data analysis."}),
        ]
    );
    let asked: Vec<_> = net.seen().iter().map(|seen| seen.method().to_owned()).collect();
    let expected =
        ["server/discover", "tools/list", "prompts/list", "groups/list", "groups/get", "groups/get"];
    assert_eq!(
        asked.iter().filter(|method| *method != "initialize").collect::<Vec<_>>(),
        expected.each_ref()
    );
    for seen in net.seen().iter().filter(|seen| seen.method() == "groups/get") {
        assert_eq!(seen.header("mcp-name"), seen.body["params"]["name"].as_str());
        assert_eq!(seen.header("mcp-method"), Some("groups/get"));
    }
    let list = net.last("tools/list").unwrap();
    let capabilities = &list.body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(*capabilities, json!({}), "the lists of tools are those of any client");
}

#[test]
fn clients_receive_the_groups_under_the_key_of_the_extension() {
    let definition = |file: &Value| {
        let (.., served) = served(toolbox, file);
        let catalog = served.backend.guarded.catalog();
        let kind_index = catalog.kind_index(Kind::Tool);
        (0..3)
            .map(|index| String::from_utf8(kind_index.bytes(index).unwrap().to_vec()).unwrap())
            .collect::<Vec<_>>()
    };
    let plain = |name: &str| tool(name).to_string();
    // The members of these objects are in the order of their names.
    let own = |name: &str, groups: Value| {
        let text = tool(name).to_string();
        format!(r#"{},"_meta":{{"{TOOLBOX}":{{"groups":{groups}}}}}}}"#, text.strip_suffix('}').unwrap())
    };
    assert_eq!(
        definition(&json!({})),
        [
            own("create_user", json!(["admin"])),
            own("list_users", json!(["admin", "data_analyst"])),
            plain("ping")
        ]
    );
    let silent = [plain("create_user"), plain("list_users"), plain("ping")];
    assert_eq!(definition(&json!({"filtering": {"mirror": false}})), silent);
    assert_eq!(definition(&json!({"groupsFrom": []})), silent);
}

#[test]
fn policies_read_the_members_only_where_the_file_names_the_source() {
    let restricted = json!({"policies": [{"name": "p", "show": "-group:admin"}],
        "rules": [{"match": "group:data_analyst", "tags": ["analysis"]}]});
    let (.., before) = served(toolbox, &restricted);
    let everything = json!({});
    assert_eq!(names(&before.backend, Kind::Tool, &everything), ["create_user", "list_users", "ping"]);
    assert_eq!(names(&before.backend, Kind::Prompt, &json!({"tags": ["analysis"]})), [""; 0]);
    let mut named = restricted.clone();
    named["groupsFrom"] = json!([TOOLBOX]);
    let (.., after) = served(toolbox, &named);
    assert_eq!(names(&after.backend, Kind::Tool, &everything), ["ping"]);
    assert_eq!(names(&after.backend, Kind::Prompt, &json!({"tags": ["analysis"]})), ["summarize"]);
    let catalog = after.backend.guarded.catalog();
    let prompt: Value = serde_json::from_slice(catalog.kind_index(Kind::Prompt).bytes(0).unwrap()).unwrap();
    assert_eq!(prompt["groups"], json!(["data_analyst"]), "like a group that the server declares");
}

#[test]
fn a_failure_keeps_the_last_groups_and_opens_nothing() {
    let works = Rc::new(Cell::new(true));
    let now = Rc::clone(&works);
    let groups = move |seen: &Seen| match now.get() || seen.method() == "groups/list" {
        true => toolbox(seen),
        false => error(seen, 200, json!({"code": -32603, "message": "broken"})),
    };
    let file = json!({"groupsFrom": [TOOLBOX], "policies": [{"name": "p", "show": "-group:admin"}]});
    let (net, gateway, config, first) = served(groups.clone(), &file);
    assert_eq!(names(&first.backend, Kind::Tool, &json!({})), ["ping"]);
    works.set(false);
    gateway.expire_server("a");
    let second = net.run(async { serve(&gateway, &net, &config, Freshness::List).await.unwrap() });
    assert_eq!(names(&second.backend, Kind::Tool, &json!({})), ["ping"]);
    let problem = "server `a`: groups: upstream `a` refused `groups/get`: broken (-32603)";
    assert_eq!(problems(&second), [problem]);
    // Without earlier groups, the policy cannot be evaluated.
    let (.., third) = served(groups.clone(), &file);
    assert_eq!(names(&third.backend, Kind::Tool, &json!({})), [""; 0]);
    assert_eq!(names(&third.backend, Kind::Prompt, &json!({})), [""; 0]);
    let hidden = "server `a`: hidden until its groups can be listed, because `groupsFrom` names them";
    assert_eq!(problems(&third), [problem, hidden]);
    // Filters alone do without.
    let (.., open) = served(groups, &json!({"policies": [{"name": "p", "show": "-group:admin"}]}));
    assert_eq!(names(&open.backend, Kind::Tool, &json!({})), ["create_user", "list_users", "ping"]);
    assert_eq!(problems(&open), [problem]);
}

#[test]
fn a_group_that_is_gone_costs_no_other() {
    let (.., served) = served(
        |seen| match seen.method() {
            "groups/list" => result(
                seen,
                json!({"groups": [{"name": "gone"}, {"name": "admin"}, {"title": "nameless"}, 7]}),
            ),
            _ => toolbox(seen),
        },
        &json!({}),
    );
    assert_eq!(
        names(&served.backend, Kind::Tool, &json!({"groups": ["admin"]})),
        ["create_user", "list_users"]
    );
    assert_eq!(problems(&served), [""; 0]);
}

#[test]
fn an_extension_without_groups_has_none() {
    let refuse = |seen: &Seen| error(seen, 404, json!({"code": -32601, "message": "invalid method"}));
    let (net, .., served) = served(refuse, &json!({}));
    assert_eq!(names(&served.backend, Kind::Tool, &json!({})), ["create_user", "list_users", "ping"]);
    assert_eq!(problems(&served), [""; 0]);
    assert!(net.last("groups/get").is_none());
}

#[test]
fn groups_are_bounded() {
    let many = |count: usize| {
        move |seen: &Seen| match seen.method() {
            "groups/list" => {
                let groups: Vec<Value> = (0..count).map(|at| json!({"name": format!("g{at}")})).collect();
                result(seen, json!({"groups": groups}))
            }
            _ => result(seen, json!({"tools": [tool("ping")], "prompts": []})),
        }
    };
    let (net, .., most) = served(many(256), &json!({}));
    assert_eq!(problems(&most), [""; 0]);
    assert_eq!(net.seen().iter().filter(|seen| seen.method() == "groups/get").count(), 256);
    assert_eq!(names(&most.backend, Kind::Tool, &json!({"groups": ["g127"]})), ["ping"]);
    let (net, .., over) = served(many(257), &json!({}));
    assert_eq!(problems(&over), ["server `a`: groups: upstream `a` lists more than 256 groups"]);
    assert!(net.last("groups/get").is_none());
}

#[test]
fn renames_apply_to_the_groups() {
    let servers = Servers::default();
    servers.set("a", server(toolbox));
    let net = servers.net();
    let file = json!({"upstreams": [{"name": "a", "url": "http://a/mcp",
        "groups": {"admin": "operators", "data_analyst": null}}]});
    let config = Config::parse(&file.to_string()).unwrap();
    let gateway = gateway(&config.upstreams);
    let served = net.run(async { serve(&gateway, &net, &config, Freshness::List).await.unwrap() });
    let backend = &served.backend;
    assert_eq!(names(backend, Kind::Tool, &json!({"groups": ["operators"]})), ["create_user", "list_users"]);
    assert_eq!(names(backend, Kind::Prompt, &json!({"where": "group:*"})), [""; 0]);
}

#[test]
fn servers_with_sessions_are_not_asked() {
    let servers = Servers::default();
    let capabilities = json!({"tools": {}, "extensions": {TOOLBOX: {}}});
    servers.set(
        "a",
        legacy(capabilities, |seen| match seen.method() {
            "tools/list" => result(seen, json!({"tools": [tool("ping")]})),
            _ => panic!("unexpected request: {}", seen.text),
        }),
    );
    let net = servers.net();
    let upstreams = vec![behind("a")];
    let config = Config { upstreams: upstreams.clone(), ..Config::default() };
    let served =
        net.run(async { serve(&gateway(&upstreams), &net, &config, Freshness::List).await.unwrap() });
    assert_eq!(names(&served.backend, Kind::Tool, &json!({})), ["ping"]);
}
