//! Groups and tags: their pages, and their place in primitives.

use serde_json::{Value, json};

use crate::{
    client::{json_of, modern, send},
    exchange::Talk,
    host::World,
    row::Row,
};

/// `G-14`, `H-12`: a list of groups or tags that is too long for one page has more pages, with cursors of its own.
#[test]
fn a_thousand_groups_or_tags_stand_on_a_page_and_the_rest_behind_its_cursor() {
    for (kind, other) in [("groups", "tags"), ("tags", "groups")] {
        let declared: Vec<_> =
            (0..1002).map(|at| json!({"name": format!("n{at}"), "description": ""})).collect();
        let names = |from: usize, to: usize| (from..to).map(|at| format!("n{at}")).collect::<Vec<_>>();
        let mismatch = json!({"code": -32602, "message": "cursor: the cursor belongs to another list, filter or caller; start again without it",
            "data": {"reason": "cursor_filter_mismatch", "field": "cursor"}});
        let next = json!({"cursor": "$0:/result/nextCursor"});
        let (list, others) = (format!("{kind}/list"), format!("{other}/list"));
        let row: Row = serde_json::from_value(json!({"name": "many", "world": "", "ids": [], "steps": [
            {"era": "2026-07-28", "method": list, "expect": {"status": 200, "names": names(0, 1000)}},
            {"era": "2025-11-25", "method": list, "params": next, "expect": {"status": 200, "names": names(1000, 1002), "absent": ["/result/nextCursor"]}},
            {"era": "2025-11-25", "method": list, "params": {"cursor": "$0:/result/nextCursor", "counts": true}, "expect": {"status": 200, "error": mismatch}},
            {"era": "2025-11-25", "method": others, "params": next, "expect": {"status": 200, "error": mismatch}}]}))
        .unwrap();
        let world = World::configured(json!({kind: declared}));
        let mut talk = Talk::new(&world);
        for step in &row.steps {
            talk.step(step).unwrap_or_else(|error| panic!("{kind}: {error}"));
        }
    }
}

/// Without the mirror, a primitive has its groups and tags only at the top level, whether a rule or its server assigns
/// them. `_meta` stays the server's own, and concerns are written if they are exposed.
#[test]
fn rules_give_what_the_proposal_prints_without_a_mirror() {
    let lists = json!({"tools": [
        {"name": "add", "inputSchema": {"type": "object"}, "_meta": {"vendor/a": 1}},
        {"name": "sub", "inputSchema": {"type": "object"}, "groups": ["sums"], "description": "old"},
        {"name": "div", "inputSchema": {"type": "object"}}]});
    let rules = json!([{"match": "name:add", "groups": ["sums"], "tags": ["stable"]}, {"match": "name:sub", "description": "new"}]);
    let listed = |more: Value| {
        let mut config = json!({"filtering": {"mirror": false}, "rules": rules});
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let world = World::listing(lists.clone(), config.as_object().unwrap().clone());
        let (_, body) = send(&world, &modern("tools/list", json!({}), &json!({})));
        json_of(body)["result"]["tools"].clone()
    };
    let add = json!({"name": "add", "inputSchema": {"type": "object"}, "_meta": {"vendor/a": 1}, "groups": ["sums"], "tags": ["stable"]});
    let sub =
        json!({"name": "sub", "inputSchema": {"type": "object"}, "groups": ["sums"], "description": "new"});
    let mut div = json!({"name": "div", "inputSchema": {"type": "object"}});
    assert_eq!(listed(json!({})), json!([add, sub, div]));
    let mapping = json!({"exposeConcerns": true, "concernMapping": {"div": {"cost": "low"}}});
    div["_meta"] = json!({"concerns": {"cost": "low"}, "dev.mcpsieve/concerns": {"cost": "low"}});
    assert_eq!(listed(mapping), json!([add, sub, div]));
}

/// The members of a concern are what the caller sees: neither hidden primitives nor values that only these have.
#[test]
fn members_of_a_concern_contain_nothing_hidden() {
    let lists = json!({"tools": [
        {"name": "add", "inputSchema": {"type": "object"}},
        {"name": "wipe", "inputSchema": {"type": "object"}}]});
    let config = json!({
        "concerns": [{"name": "cost", "values": ["low", "high"]}],
        "concernMapping": {"add": {"cost": "low"}, "wipe": {"cost": "high"}},
        "policies": [{"name": "no-wipe", "show": "-name=wipe"}]});
    let world = World::listing(lists, config.as_object().unwrap().clone());
    let (_, body) = send(&world, &modern("listConcerns", json!({"members": true}), &json!({})));
    let members = &json_of(body)["result"]["concerns"][0]["_meta"]["dev.mcpsieve/members"];
    assert_eq!(*members, json!({"low": {"tools": ["add"]}}));
}
