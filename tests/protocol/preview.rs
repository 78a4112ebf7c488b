//! The preview of a disclosure mode, compared with the actual list.

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, Source},
    discovery::Preview,
    policy::View,
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

use crate::{
    client::{json_of, modern, send},
    host::World,
};

fn view_of(lists: &Value) -> View {
    let lists = lists.to_string();
    let source = Source { server: "", lists: Lists::read(&lists).unwrap() };
    View::everything(Catalog::compile(&[source], &Config::default().engine.assignments))
}

#[test]
fn a_preview_is_the_list_that_the_gateway_sends() {
    let tool = |name: &str| json!({"name": name, "description": format!("Does {name}"), "inputSchema": {"type": "object"}});
    let many: Vec<Value> = (0..30).map(|at| tool(&format!("tool_{at}"))).collect();
    let own = [many.clone(), vec![tool("call_tool")]].concat();
    for tools in [json!(many), json!(own), json!([])] {
        let lists = json!({"tools": tools});
        let view = view_of(&lists);
        for always in [None, Some("name:tool_1*"), Some("name:call_tool")] {
            let expr = always.map(|always| always.parse().unwrap());
            for preview in Preview::of_modes(&view, view.bits(Kind::Tool), expr.as_ref()) {
                let mut disclosure = json!({"mode": preview.mode.name()});
                if let Some(always) = always {
                    disclosure["always"] = always.into();
                }
                let config = json!({"disclosure": disclosure});
                let world = World::listing(lists.clone(), config.as_object().unwrap().clone());
                let listed = json_of(send(&world, &modern("tools/list", json!({}), &json!({}))).1);
                let sent = view_of(&json!({"tools": listed["result"]["tools"]}));
                let everything = sent.bits(Kind::Tool);
                assert_eq!(preview.tools, everything.count(), "{preview:?}, {always:?}: {listed}");
                let tokens = sent.catalog().tokens(Kind::Tool, everything).count;
                // The client writes the members of a tool in another order, which changes an estimate slightly.
                let differs = preview.tokens.count.abs_diff(tokens);
                assert!(differs * 50 <= tokens, "{preview:?}, {always:?}: {tokens} tokens");
            }
        }
    }
}
