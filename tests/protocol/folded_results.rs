//! Tool searches merge equal tools of several servers into one result.

use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog, Lists, Source},
    discovery::{DiscoveryTool, Tools},
    expr::{Field, Subject},
    json::{Object, Raw},
    policy::{CallerContext, Guarded},
};
use serde_json::{Value, json};

/// A caller without any fields.
struct Anyone;

impl CallerContext for Anyone {}

impl Subject for Anyone {
    fn values(&self, _: &Field, _: &mut dyn FnMut(&str)) {}
}

/// Returns the results of a search among the tools of several servers, given as names and descriptions.
fn results(servers: &[(&str, &[(&str, &str)])], query: &str) -> Vec<Value> {
    let lists = servers.iter().map(|(server, tools)| {
        let tool = |(name, description): &(&str, &str)| {
            json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
        };
        (*server, json!({"tools": tools.iter().map(tool).collect::<Vec<_>>()}).to_string())
    });
    let texts: Vec<(&str, String)> = lists.collect();
    let sources: Vec<Source<'_>> =
        texts.iter().map(|(server, text)| Source { server, lists: Lists::read(text).unwrap() }).collect();
    let catalog = Catalog::compile(&sources, &Assignments::default());
    let view = Guarded::new(catalog, Vec::new()).view(&Anyone);
    let within = view.bits(Kind::Tool).clone();
    let given = json!({"query": query}).to_string();
    let tools = Tools::new(&view, &within);
    let given = Raw::parse(&given).unwrap();
    let answer = tools.answer(DiscoveryTool::SearchTools, Some(given), &|_, _| {}).unwrap();
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    answer.write(&mut object);
    object.close();
    let result: Value = serde_json::from_slice(&out).unwrap();
    result["structuredContent"]["tools"].as_array().unwrap().clone()
}

#[test]
fn identical_tools_of_several_servers_are_one_result() {
    let found = results(
        &[
            ("de", &[("de_send_invoice", "Sends an invoice."), ("de_ping", "Checks the server.")]),
            ("fr", &[("fr_send_invoice", "Sends an invoice."), ("fr_copy", "Copies an invoice.")]),
        ],
        "send an invoice",
    );
    let names: Vec<&Value> = found.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["de_send_invoice", "fr_copy"]);
    assert_eq!(found[0]["same"], json!([{"name": "fr_send_invoice", "server": "fr"}]));
    assert!(found[1]["same"].is_null(), "{found:?}");
    // An equal tool does not make the match uncertain.
    assert!(found[0]["score"].as_u64().unwrap() > 500 && found[0]["tied"].is_null(), "{found:?}");
}

#[test]
fn other_tools_stay_results_of_their_own() {
    // Two tools of one server differ in something that their definitions do not say.
    let found = results(
        &[("a", &[("send_one", "Sends an invoice."), ("send_two", "Sends an invoice.")])],
        "send an invoice",
    );
    assert_eq!(found.len(), 2, "{found:?}");
    // A tool with another description is another tool.
    let found = results(
        &[("a", &[("send_one", "Sends an invoice.")]), ("b", &[("send_two", "Sends an invoice by mail.")])],
        "send an invoice",
    );
    assert_eq!(found.len(), 2, "{found:?}");
    // A tool that the query names is a result, and others are merged into it.
    let servers: &[(&str, &[(&str, &str)])] =
        &[("a", &[("send_one", "Sends an invoice.")]), ("b", &[("send_two", "Sends an invoice.")])];
    let found = results(servers, "send_two");
    assert_eq!((&found[0]["name"], &found[0]["exact"]), (&json!("send_two"), &json!(true)));
    assert_eq!(found.len(), 1, "{found:?}");
}
