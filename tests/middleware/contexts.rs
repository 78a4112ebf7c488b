//! Contexts: texts in items are found and counted, and all other bytes stay unchanged.

use futures_executor::block_on;
use mcp_sieve_gateway::middleware::Registry;
use serde_json::{Value, json};

use super::{
    shout::shouting,
    world::{NoStore, value},
};

/// M-10: unchanged items keep their original bytes.
#[test]
fn bytes_stay_as_they_came() {
    let items = [
        r#"{ "type" : "hologram", "n": 1.50, "n": 2, "name":"\ud83d\ude00" }"#,
        r#"{"type":"image","data":"AA\/\/","mimeType":"image\/png"}"#,
        r#"{"type":"text","text":"keep me","_meta":{"x":1e3}}"#,
        r#"{"type":"resource","resource":{"blob":"AA==","uri":"a:b"}}"#,
    ];
    let context = format!("[{}]", items.join(","));
    let outcome = block_on(shouting().invoke("shout", Some(r#"{"keep":"keep me"}"#), &context, &NoStore));
    assert_eq!(outcome.unwrap().content.to_json(), context);
}

/// M-11: tool calls and tool results are content, and every text in them is found.
#[test]
fn texts_are_found_where_they_stand() {
    let context = r#"[{"type":"tool_use","id":"a","name":"n","input":{"q":["x",{"k":"y"}],"n":1.0}},
        {"type":"tool_result","toolUseId":"a","content":[{"type":"text","text":"z"},{"type":"image","data":"aa"}],
         "structuredContent":{"s":"w"}},
        {"type":"dev.mcpsieve/tool_call","name":"n","arguments":{"q":"x"}},
        {"type":"dev.mcpsieve/tool_result","content":"v"},
        {"type":"resource","resource":{"uri":"u:u","text":"t"}},{"type":"resource_link","uri":"u","name":"l"}]"#;
    let outcome = block_on(shouting().invoke("shout", None, context, &NoStore)).unwrap();
    let found: Value = serde_json::from_str(&outcome.content.to_json()).unwrap();
    assert_eq!(
        found,
        json!([
            {"type":"tool_use","id":"a","name":"n","input":{"q":["X",{"k":"Y"}],"n":1.0}},
            {"type":"tool_result","toolUseId":"a","content":[{"type":"text","text":"Z"},{"type":"image","data":"aa"}],
             "structuredContent":{"s":"W"}},
            {"type":"dev.mcpsieve/tool_call","name":"n","arguments":{"q":"X"}},
            {"type":"dev.mcpsieve/tool_result","content":"V"},
            {"type":"resource","resource":{"uri":"u:u","text":"T"}},{"type":"resource_link","uri":"u","name":"l"}
        ])
    );
    assert!(outcome.content.to_json().contains("1.0"));
}

/// Searching for quotations is bounded, and the rest is reported as unchecked.
#[test]
fn what_is_not_searched_is_counted_and_not_flagged() {
    let given = "what was given ".repeat(70_000);
    let (quoted, named) = ("\"words that were never given\" ".repeat(100), "`no_tool`".to_owned());
    let arguments = json!({"given": [given], "tools": [], "checks": ["quotations", "tools"]}).to_string();
    let context = json!([{"type": "text", "text": quoted + &named}]).to_string();
    let registry = Registry::built_in();
    let outcome = block_on(registry.invoke("hallucination_check", Some(&arguments), &context, &NoStore));
    let metadata = &value(&outcome.unwrap())["metadata"];
    assert_eq!(metadata["findings"].as_array().unwrap().len(), 63);
    assert_eq!([&metadata["unchecked"], &metadata["rerun"]], [&json!(38), &json!(true)]);
}
