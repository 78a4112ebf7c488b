//! Servers that list more primitives to clients with more capabilities.

use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog, Lists, Source},
};
use mcp_sieve_gateway::{
    config::{Capabilities, Config, Upstream as Settings},
    upstream::Upstream,
};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, drain, settings, show},
    net::{Net, Reply, Seen},
    server::{legacy_in, modern, response, result},
};

const KEY: &str = "io.modelcontextprotocol/requiredCapabilities";
const DECLARED: &str = "io.modelcontextprotocol/clientCapabilities";

fn capabilities(capabilities: &Value) -> Capabilities {
    let file = json!({"upstream": {"capabilities": capabilities}});
    Capabilities { relayed: false, ..Config::parse(&file.to_string()).unwrap().upstream.capabilities }
}

fn upstream(configured: &Value) -> Upstream {
    let settings = Settings { capabilities: capabilities(configured), ..settings() };
    Upstream::new(&settings, &|_| None).unwrap()
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

/// Returns the tools that a server lists to a client with these capabilities: one per capability, and one for two
/// together.
fn tools(declared: &Value) -> Value {
    let has = |path: &str| declared.pointer(path).is_some();
    let rows = [
        ("plain", true),
        ("samples", has("/sampling")),
        ("draws", has("/extensions/io.modelcontextprotocol~1ui")),
        ("both", has("/sampling") && has("/roots")),
    ];
    let shown = rows.into_iter().filter(|(_, shown)| *shown).map(|(name, _)| tool(name));
    json!({"tools": shown.collect::<Vec<_>>()})
}

/// Returns a server with the stateless revision.
fn stateless() -> Net {
    Net::new(modern(json!({"tools": {}}), |seen| match seen.method() {
        "tools/list" => result(seen, tools(&seen.body["params"]["_meta"][DECLARED])),
        _ => result(seen, json!({"content": []})),
    }))
}

/// Returns a server with sessions, one for each set of capabilities.
fn sessions() -> Net {
    let declared = std::cell::RefCell::new(Vec::<Value>::new());
    Net::new(move |seen: &Seen| {
        let names = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];
        if seen.method() == "initialize" {
            declared.borrow_mut().push(seen.body["params"]["capabilities"].clone());
            let name = names[declared.borrow().len() - 1];
            return legacy_in(json!({"tools": {}}), "2025-11-25", name, |_| Reply::Lost)(seen);
        }
        let session = names.iter().position(|name| seen.header("mcp-session-id") == Some(name));
        match (seen.method(), session) {
            ("tools/list", Some(session)) => result(seen, tools(&declared.borrow()[session])),
            ("tools/call", Some(session)) => {
                result(seen, json!({"content": [], "structuredContent": declared.borrow()[session]}))
            }
            ("notifications/initialized", _) => response(202, "text/plain", ""),
            _ => legacy_in(json!({"tools": {}}), "2025-11-25", "", |_| Reply::Lost)(seen),
        }
    })
}

/// Returns the tools of a listing, each with the capabilities that it requires.
fn listed(net: &Net, configured: &Value) -> Vec<(String, Value)> {
    let listing = net.run(async { upstream(configured).lists(net).await.unwrap() });
    let lists = Lists::read(&listing.lists).unwrap();
    let tools = lists
        .primitives(Kind::Tool)
        .into_iter()
        .map(|tool| serde_json::from_str::<Value>(tool.get()).unwrap());
    tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["_meta"][KEY].clone())).collect()
}

fn list_requests(net: &Net) -> usize {
    net.methods().iter().filter(|method| *method == "tools/list").count()
}

#[test]
fn what_only_a_capability_shows_is_marked_with_it() {
    let ui = json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}});
    let all = json!({"sampling": {}, "roots": {"listChanged": true},
        "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}});
    let row = |name: &str, required: Value| (name.to_owned(), required);
    type Row = (Value, Vec<(String, Value)>, usize);
    let rows: [Row; 4] = [
        (json!({}), vec![row("plain", Value::Null)], 1),
        (ui.clone(), vec![row("plain", Value::Null), row("draws", ui.clone())], 2),
        (json!({"elicitation": {}, "roots": {}}), vec![row("plain", Value::Null)], 2),
        (
            all.clone(),
            vec![
                row("plain", Value::Null),
                row("samples", json!({"sampling": {}})),
                row("draws", ui),
                row("both", all),
            ],
            6,
        ),
    ];
    for (configured, expected, requests) in rows {
        for (net, times) in [(stateless(), 1), (sessions(), 1)] {
            assert_eq!(listed(&net, &configured), expected, "{configured}");
            assert_eq!(list_requests(&net), requests * times, "{configured}");
        }
    }
}

#[test]
fn a_tool_that_states_what_it_requires_keeps_it() {
    let stated =
        json!({"name": "draws", "inputSchema": {"type": "object"}, "_meta": {KEY: {"roots": {}}, "a": 1}});
    let tool = stated.clone();
    let net = Net::new(modern(json!({"tools": {}}), move |seen| {
        let declared = &seen.body["params"]["_meta"][DECLARED];
        result(
            seen,
            json!({"tools": if declared["roots"].is_object() { vec![tool.clone()] } else { vec![] }}),
        )
    }));
    let listing = net.run(async { upstream(&json!({"roots": {}})).lists(&net).await.unwrap() });
    assert_eq!(listing.lists, format!("[{{\"dev.mcpsieve/conditional\":true,\"tools\":[{stated}]}}]"));
}

#[test]
fn of_two_definitions_that_differ_in_metadata_alone_the_one_with_more_is_shown() {
    let other = json!({"name": "a", "description": "draws", "inputSchema": {"type": "object"}});
    for (without, with, shown, reports) in [
        (tool("a"), json!({"name": "a", "inputSchema": {"type": "object"}, "_meta": {"ui": 1}}), "_meta", 0),
        (tool("a"), other, "", 1),
    ] {
        let net = Net::new(modern(json!({"tools": {}}), move |seen| {
            let declared = &seen.body["params"]["_meta"][DECLARED];
            result(seen, json!({"tools": [if declared["roots"].is_object() { &with } else { &without }]}))
        }));
        let listing = net.run(async { upstream(&json!({"roots": {}})).lists(&net).await.unwrap() });
        let lists = Lists::read(&listing.lists).unwrap();
        let tools = lists.primitives(Kind::Tool);
        assert_eq!((tools.len(), tools[0].get().contains(shown)), (1, true));
        let reports_of =
            Catalog::compile(&[Source { server: "s", lists }], &Assignments::default()).reports().len();
        assert_eq!(reports_of, reports, "{}", listing.lists);
    }
}

#[test]
fn of_more_sets_of_required_capabilities_than_the_limit_the_last_are_left_out() {
    let tools: Vec<_> = (0..=64)
        .map(|at| {
            let required = json!({"experimental": {format!("n{at}"): {}}});
            json!({"name": format!("t{at}"), "inputSchema": {"type": "object"}, "_meta": {KEY: required}})
        })
        .collect();
    let lists = json!({"tools": tools}).to_string();
    let compiled = |hide_incapable: Vec<String>| {
        let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
        let catalog = Catalog::compile(&[source], &Assignments { hide_incapable, ..Default::default() });
        let problems = catalog.reports().iter().map(|report| report.problem.clone());
        (catalog.kind_index(Kind::Tool).len(), problems.collect::<Vec<_>>())
    };
    let problem = |done: &str| vec![format!("`_meta.{KEY}` is one more than 64 different ones, {done}")];
    assert_eq!(compiled(vec!["s".to_owned()]), (64, problem("left out")));
    assert_eq!(compiled(Vec::new()), (65, problem("not evaluated")));
}

#[test]
fn a_call_declares_the_configured_extensions_that_its_client_declares() {
    let configured = json!({"roots": {}, "extensions": {"a/x": {"on": true}, "b/y": {}}});
    let declared =
        json!({"sampling": {"tools": {}}, "extensions": {"a/x": {"on": true, "more": 1}, "c/z": {}}});
    let net = sessions();
    let asker = Asker { capabilities: declared, accepts_requests: true, ..Asker::legacy() };
    let said = net.run(async {
        let answer = asker.ask(&net, &upstream(&configured), "tools/call", r#"{"name":"plain"}"#).await;
        drain(&net, answer).await.iter().map(|(_, event)| show(event)).collect::<String>()
    });
    let sent = json!({"sampling": {"tools": {}}, "extensions": {"a/x": {"on": true}}});
    assert_eq!(said, format!("result {}", json!({"content": [], "structuredContent": sent})));
}
