//! The capability that a server declares.

use std::rc::Rc;

use http::Method;
use serde_json::{Value, json};

use super::{
    caller::{Caller, EXTENSION, ids, world},
    events::{done, progress},
};
use crate::{
    client::{json_of, request, send_as},
    host::World,
    store::Store,
};

#[test]
fn what_is_served_is_what_is_advertised() {
    let (world, store) = world("few-criteria");
    let capabilities = |world: &World| {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        json_of(send_as(world, None, &request(Method::POST, &[], &body)).1)["result"]["capabilities"].clone()
    };
    let filter = json!({"status": true, "createdAt": {"before": true}, "order": {"by": ["createdAt"], "direction": []}});
    let calls = json!({"tools": {"call": {}}});
    assert_eq!(
        capabilities(&world)["tasks"],
        json!({"list": {"filter": filter}, "cancel": {}, "requests": calls})
    );
    let caller = Caller::legacy(&world, "2025-11-25", None);
    // The task that was created first is the one that was updated last.
    let begun = [caller.begin("report"), {
        world.advance(1_000);
        caller.begin("import")
    }];
    world.advance(1_000);
    progress(&world, &store, &begun[0]);
    let filter = json!({"taskIds": [begun[0]], "createdAfter": "2030-01-01", "order": "asc", "orderBy": "lastUpdatedAt",
        "methods": ["x"], "status": ["working"]});
    let reply = caller.list(json!({"filter": filter}));
    assert_eq!(ids(&reply), begun, "{reply}");
    let newest_first = [&begun[1], &begun[0]];
    for (criteria, expected) in [
        (json!({}), begun.each_ref()),
        (json!({"order": "asc"}), begun.each_ref()),
        (json!({"orderBy": "lastUpdatedAt", "order": "asc"}), begun.each_ref()),
        (json!({"orderBy": "createdAt"}), newest_first),
        (json!({"orderBy": "createdAt", "order": "asc"}), newest_first),
    ] {
        let listed = caller.listed(json!({"filter": criteria}));
        assert_eq!(listed.iter().collect::<Vec<_>>(), expected, "T-33: {criteria}");
    }
    let ignored = &reply["result"]["_meta"]["dev.mcpsieve/filter"]["ignored"];
    let fields: Vec<_> =
        ignored.as_array().unwrap().iter().map(|part| part["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["methods", "taskIds", "createdAfter", "orderBy", "order"]);
    let whole = World::named("tasks");
    whole.store.replace(None);
    assert_eq!(capabilities(&whole)["tasks"], Value::Null, "T-3: no tasks, no capability");
    whole.store.replace(Some(Rc::default()));
    let both = json!({"before": true, "after": true});
    let order = json!({"by": ["createdAt", "lastUpdatedAt"], "direction": ["asc", "desc"]});
    assert_eq!(
        capabilities(&whole)["tasks"]["list"]["filter"],
        json!({"methods": ["tools/call"], "taskIds": true,
        "status": true, "createdAt": both, "lastUpdatedAt": both, "order": order}),
        "T-1, T-3"
    );
    let found = Caller::modern(&whole, None).ask("server/discover", json!({}));
    let capabilities = &found["result"]["capabilities"];
    assert_eq!((&capabilities["tasks"], &capabilities["extensions"][EXTENSION]), (&Value::Null, &json!({})));
    assert_eq!(capabilities["extensions"]["dev.mcpsieve/tasks"]["method"], "dev.mcpsieve/tasks/query");
}

/// T-5: each criterion is declared, or missing or `false`, by itself, and is applied exactly if it is declared. T-6:
/// one that is not declared is ignored and reported, and the others still apply.
#[test]
fn each_criterion_is_supported_by_itself() {
    const BEGIN: &str = "2027-01-15T08:00:00Z";
    const SECOND: &str = "2027-01-15T08:00:01Z";
    const LAST: &str = "2027-01-15T08:00:02Z";
    let sides = json!({"before": true, "after": true});
    let all = json!({"methods": ["tools/call"], "taskIds": true, "status": true, "createdAt": sides,
        "lastUpdatedAt": sides, "order": {"by": ["createdAt", "lastUpdatedAt"], "direction": ["asc", "desc"]}});
    // Two tasks: `first` is created before `second`, and completed after that.
    let begin = |support: &Value| {
        let worlds: Value =
            serde_json::from_str(include_str!("../../fixtures/protocol-worlds.json")).unwrap();
        let config = serde_json::Map::from_iter([("tasks".to_owned(), json!({"filter": support}))]);
        let (world, store) =
            (World::listing(worlds["tasks"]["lists"].clone(), config), Rc::<Store>::default());
        world.store.replace(Some(Rc::clone(&store)));
        let caller = Caller::legacy(&world, "2025-11-25", None);
        let first = caller.begin("report");
        world.advance(1_000);
        let second = caller.begin("import");
        world.advance(1_000);
        store.clock.set(world.clock.get());
        store.happen("report", done("done", false)).unwrap();
        let session = caller.session.clone();
        (world, session, first, second)
    };
    // The path of the flag, the criterion, and the tasks that it selects, by their numbers.
    let criteria: [(&str, &str, Value, &[usize]); 9] = [
        ("/methods", "methods", json!(["x"]), &[]),
        ("/taskIds", "taskIds", Value::Null, &[0]),
        ("/status", "status", json!(["working"]), &[1]),
        ("/createdAt/before", "createdBefore", json!(SECOND), &[0]),
        ("/createdAt/after", "createdAfter", json!(BEGIN), &[1]),
        ("/lastUpdatedAt/before", "lastUpdatedBefore", json!(LAST), &[1]),
        ("/lastUpdatedAt/after", "lastUpdatedAfter", json!(SECOND), &[0]),
        ("/order/by", "orderBy", json!("createdAt"), &[1, 0]),
        ("/order/direction", "order", json!("asc"), &[1, 0]),
    ];
    for (path, criterion, value, selected) in criteria {
        let flag = all.pointer(path).unwrap();
        let (parent, key) = path.rsplit_once('/').unwrap();
        let mut supports = vec![(all.clone(), true)];
        let mut only = json!({});
        match parent {
            "" => only[key] = flag.clone(),
            parent => only[&parent[1..]] = json!({key: flag}),
        }
        supports.push((only, true));
        let mut without = all.clone();
        without.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
        supports.push((without.clone(), false));
        if flag == true {
            without.pointer_mut(parent).unwrap()[key] = json!(false);
            supports.push((without, false));
        }
        for (support, supported) in supports {
            let (world, session, first, second) = begin(&support);
            let caller = Caller { world: &world, token: None, session, member: false };
            let value = if value.is_null() { json!([first]) } else { value.clone() };
            let tasks = [&first, &second];
            let listed = |filter: Value| {
                let reply = caller.list(json!({ "filter": filter }));
                let ignored = reply["result"]["_meta"]["dev.mcpsieve/filter"]["ignored"].clone();
                let fields: Vec<String> =
                    ignored.as_array().unwrap().iter().map(|part| part["field"].to_string()).collect();
                let places =
                    ids(&reply).iter().map(|id| tasks.iter().position(|task| *task == id).unwrap()).collect();
                (places, fields.join(" "))
            };
            let (found, ignored): (Vec<usize>, String) = listed(json!({criterion: value}));
            if supported {
                assert_eq!(found, selected, "{criterion} {support}");
                assert!(!ignored.contains(&format!("\"{criterion}\"")), "{criterion} {support}: {ignored}");
                continue;
            }
            assert_eq!((found, ignored), (vec![0, 1], format!("\"{criterion}\"")), "{criterion} {support}");
            let (rest, kept) = if criterion == "taskIds" {
                (json!({"taskIds": value, "status": ["working"]}), 1)
            } else {
                (json!({criterion: value, "taskIds": [second]}), 1)
            };
            assert_eq!(listed(rest).0, [kept], "T-6: the rest applies without {criterion}");
        }
    }
}

/// T-32: of several methods, those that the capability does not list select nothing and are reported. The applied
/// filter has them, like an unknown status: without them it would select every task.
#[test]
fn the_capability_limits_the_methods_of_a_filter() {
    let (world, _) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let begun = caller.begin("report");
    let listed = |methods: Value| {
        let reply = caller.list(json!({"filter": {"methods": methods}}));
        let report = &reply["result"]["_meta"]["dev.mcpsieve/filter"];
        (ids(&reply), report["applied"]["methods"].clone(), report["ignored"].clone())
    };
    let not_served = |field: &str| json!([{"field": field, "reason": "not served"}]);
    let (calls, both, prompts) =
        (json!(["tools/call"]), json!(["prompts/get", "tools/call"]), json!(["prompts/get"]));
    assert_eq!(listed(calls.clone()), (vec![begun.clone()], calls, json!([])));
    assert_eq!(listed(json!(["tools/call", "prompts/get"])), (vec![begun], both, not_served("methods[1]")));
    assert_eq!(listed(prompts.clone()), (vec![], prompts, not_served("methods[0]")));
}

/// The capability printed in the proposal is the default of a server without configuration.
#[test]
fn the_printed_capability_is_the_default() {
    let (world, _) = world("tasks");
    let rows = crate::proposals::row::of("002");
    let row = rows.iter().find(|row| row.name == "002 server capability").unwrap();
    let Some(printed) = crate::proposals::printed_json() else { return };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let reply = json_of(send_as(&world, None, &request(Method::POST, &[], &body)).1);
    let [declared, printed] =
        [&reply["result"], &printed[&row.sha256]].map(|side| side["capabilities"]["tasks"]["list"].clone());
    assert_eq!(declared, printed);
}
