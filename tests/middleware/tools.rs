//! The ranking of tools does not depend on their order.

use futures_executor::block_on;
use mcp_sieve_gateway::middleware::Registry;
use serde_json::{Value, json};

use super::world::{World, value};

/// Returns every permutation of some items.
pub fn orders<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|order| [vec![first.clone()], order].concat()));
    }
    all
}

/// Returns the metadata of `tool_filter` for these tools and this request.
fn suggested(tools: &[&str], request: &str) -> Value {
    let arguments = json!({"availableTools": tools}).to_string();
    let context = json!([{"type": "text", "text": request}]).to_string();
    let world = World::from_row(&Value::Null);
    let answer = block_on(Registry::built_in().invoke("tool_filter", Some(&arguments), &context, &world));
    value(&answer.unwrap())["metadata"].clone()
}

#[test]
fn tools_are_ranked_alike_in_every_order() {
    let request = "Look up my travel receipts from yesterday for the expense report";
    let tools = ["search_files", "search_mail", "search_calendar", "convert_currency", "delete_mail"];
    let all = orders(&tools);
    assert_eq!(all.len(), 120);
    for order in all {
        let found = suggested(&order, request);
        let expected = json!(["search_files", "search_mail", "search_calendar"]);
        assert_eq!(found["suggestedToolSet"], expected, "{order:?}");
        let scores: Vec<&Value> =
            found["relevantTools"].as_array().unwrap().iter().map(|tool| &tool["score"]).collect();
        assert_eq!(scores, [0.12, 0.063, 0.031], "{order:?}");
    }
}

/// Tools that match a request equally have equal scores and are sorted by name, whatever their order.
#[test]
fn equal_tools_have_equal_scores_in_every_order() {
    for order in orders(&["search_mail", "search_films", "calculate"]) {
        let found = suggested(&order, "Search for the lamp");
        assert_eq!(found["suggestedToolSet"], json!(["search_films", "search_mail"]), "{order:?}");
        assert_eq!(found["relevantTools"][0]["score"], found["relevantTools"][1]["score"]);
    }
}
