//! A filter whose patterns take too long on a server's list is rejected in both eras.

use serde_json::{Map, Value, json};

use crate::{
    client::{Client, json_of, modern, send},
    host::World,
};

fn world() -> World {
    let text = "a".repeat(10_000);
    let tool = |at| json!({"name": format!("t{at}"), "inputSchema": {"type": "object"}, "description": text});
    World::listing(json!({"tools": (0..1_000).map(tool).collect::<Vec<Value>>()}), Map::new())
}

#[test]
fn patterns_that_take_too_long_are_refused() {
    let terms = vec![format!("description:*{}b*", "a".repeat(200)); 32].join(" or ");
    let expected = json!({"code": -32602, "reason": "filter_limit", "message":
        "filter.where: expected at most 268435456 steps to select from `tools`"});
    let told = |answer: &Value| {
        let error = &answer["error"];
        json!({"code": error["code"], "reason": error["data"]["reason"], "message": error["message"]})
    };
    let params = json!({"filter": {"where": terms}});
    let world = world();
    let answer = json_of(send(&world, &modern("tools/list", params.clone(), &json!({}))).1);
    assert_eq!(told(&answer), expected);
    let client = Client::of(world, "2025-06-18", &json!({}));
    assert_eq!(told(&client.ask("tools/list", params)), expected);
}
