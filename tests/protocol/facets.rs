//! More groups than stand on a page.

use serde_json::json;

use crate::{exchange::Talk, host::World, row::Row};

/// `G-14`, `H-12`: a list that is too long for one page has more, and cursors of its own.
#[test]
fn a_thousand_groups_stand_on_a_page_and_the_rest_behind_its_cursor() {
    let groups: Vec<_> = (0..1002).map(|at| json!({"name": format!("g{at}")})).collect();
    let names = |from: usize, to: usize| (from..to).map(|at| format!("g{at}")).collect::<Vec<_>>();
    let mismatch = json!({"code": -32602, "message": "cursor: the cursor belongs to another list, filter or caller; start again without it",
        "data": {"reason": "cursor_filter_mismatch", "field": "cursor"}});
    let next = json!({"cursor": "$0:/result/nextCursor"});
    let row: Row = serde_json::from_value(json!({"name": "many groups", "world": "", "ids": [], "steps": [
        {"era": "2026-07-28", "method": "groups/list", "expect": {"status": 200, "names": names(0, 1000)}},
        {"era": "2025-11-25", "method": "groups/list", "params": next, "expect": {"status": 200, "names": names(1000, 1002), "absent": ["/result/nextCursor"]}},
        {"era": "2025-11-25", "method": "groups/list", "params": {"cursor": "$0:/result/nextCursor", "counts": true}, "expect": {"status": 200, "error": mismatch}},
        {"era": "2025-11-25", "method": "tags/list", "params": next, "expect": {"status": 200, "error": mismatch}}]}))
    .unwrap();
    let world = World::configured(json!({"groups": groups}));
    let mut talk = Talk::new(&world);
    for step in &row.steps {
        talk.step(step).unwrap();
    }
}
