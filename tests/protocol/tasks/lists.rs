//! Filters and pages of lists.

use http::Method;
use mcp_sieve_gateway::tasks::MAX_LOOKED;
use mcp_sieve_gateway::tasks::Task;
use serde_json::{Value, json};

use super::{
    caller::{Caller, ids, world},
    events::progress,
};
use crate::client::{json_of, request, send_as};

/// T-34, and T-27, in the stateless revision: concerns come with each request, by each of its channels.
#[test]
fn a_stateless_list_of_tasks_is_filtered_by_the_concerns_of_its_request() {
    let (world, _) = world("concern-tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let [report, import, job] = ["report", "import", "job"].map(|tool| {
        world.advance(1_000);
        caller.begin(tool)
    });
    assert_eq!(caller.listed(json!({})), [&*job, &import, &report]);
    let (low, high) = ([&*job, &report], [&*job, &import]);
    assert_eq!(caller.listed(json!({"filter": {"concerns": {"cost": "low"}}})), low);
    assert_eq!(caller.listed(json!({"_meta": {"concerns": {"cost": "high"}}})), high);
    let updated = caller.ask("updateConcerns", json!({"concerns": {"cost": "high"}}));
    let reference = &updated["result"]["concernsRef"];
    assert!(reference.is_string(), "{updated}");
    assert_eq!(caller.listed(json!({"filter": {"concernsRef": reference}})), high);
    assert_eq!(caller.listed(json!({})), [&*job, &import, &report], "no request changes the next");
    let late = caller.list(json!({"filter": {"createdAfter": "yesterday"}}));
    let malformed = json!({"reason": "time_format", "field": "filter.createdAfter"});
    assert_eq!((&late["error"]["code"], &late["error"]["data"]), (&json!(-32602), &malformed));
}

/// T-21: a client filters the tasks of its server. `tests/wrap-tasks.test.mjs` tests the other direction.
#[test]
fn lists_are_filtered_as_asked_in_pages_that_belong_together() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let mut begun = Vec::new();
    for tool in ["report", "import", "report", "import", "report"] {
        begun.push(caller.begin(tool));
        world.advance(1_000);
    }
    let newest: Vec<String> = begun.iter().rev().cloned().collect();
    let all = |filter: Value| {
        let (mut found, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let mut params = filter.clone();
            cursor.iter().for_each(|cursor| params["cursor"] = json!(cursor));
            let page = caller.list(params);
            let listed = ids(&page);
            assert!(listed.len() <= 2);
            found.extend(listed);
            match page["result"]["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => return found,
            }
        }
    };
    assert_eq!(all(json!({})), newest, "T-18");
    // T-23: a client without task filters receives the whole list, and no report of a filter.
    let whole = caller.list(json!({}));
    assert_eq!(ids(&whole), newest[..2]);
    for first in [Value::Null, json!("")] {
        assert_eq!(caller.list(json!({"cursor": first}))["result"]["tasks"], whole["result"]["tasks"]);
    }
    let rest = caller.list(json!({"cursor": whole["result"]["nextCursor"]}));
    assert_eq!((ids(&rest), &rest["result"]["_meta"]), (newest[2..4].to_vec(), &Value::Null));
    assert_eq!(all(json!({"orderBy": "createdAt", "order": "asc"})), begun);
    let at = |second: u32| format!("2027-01-15T09:00:0{second}+01:00");
    assert_eq!(all(json!({"filter": {"createdAfter": at(1), "order": "asc"}})), begun[2..]);
    assert_eq!(all(json!({"filter": {"createdAfter": at(1), "createdBefore": at(3)}})), begun[2..3]);
    assert!(all(json!({"filter": {"createdAfter": at(3), "createdBefore": at(1)}})).is_empty(), "T-29");
    assert_eq!(
        all(json!({"filter": {"concerns": {"cost": "high"}}})),
        [begun[3].as_str(), &begun[1]],
        "T-34"
    );
    assert_eq!(
        all(json!({"filter": {"where": "group:office createdAt<2027-01-15T08:00:01Z"}})),
        [begun[0].as_str()]
    );
    assert_eq!(all(json!({"filter": {"methods": ["tools/call", "x"], "status": []}})), newest, "T-26");
    assert!(all(json!({"filter": {"methods": ["prompts/get"]}})).is_empty(), "T-25");
    assert!(all(json!({"filter": {"status": ["sleeping"]}})).is_empty(), "T-25");

    // A task that changes meanwhile counts as new, and is on no later page.
    let first = caller.list(json!({"order": "asc"}));
    assert_eq!(ids(&first), begun[..2]);
    let cursor = first["result"]["nextCursor"].clone();
    world.advance(1_000);
    progress(&world, &store, &begun[2]);
    assert_eq!(ids(&caller.list(json!({"order": "asc", "cursor": cursor}))), begun[3..]);
    // T-31: a cursor belongs to its order and its filter.
    let filtered = json!({"order": "asc", "filter": {"methods": ["tools/call"]}, "cursor": cursor});
    for other in [json!({"order": "desc", "cursor": cursor}), filtered] {
        let error = &caller.list(other.clone())["error"];
        let expected = (&json!(-32602), &json!("cursor_filter_mismatch"));
        assert_eq!((&error["code"], &error["data"]["reason"]), expected, "{other}");
    }
    assert_eq!(ids(&caller.list(json!({})))[0], begun[2], "T-38: the latest change first");
    let spoilt = caller.list(json!({"cursor": "x"}));
    assert_eq!(spoilt["error"]["data"]["reason"], "invalid_cursor");
    let twice = caller.list(json!({"order": "asc", "filter": {"order": "desc"}}));
    assert_eq!(twice["error"]["data"]["reason"], "filter_type", "T-20");
    assert_eq!(caller.list(json!({"order": "asc", "filter": {"order": "asc"}}))["error"], Value::Null);
    let late = caller.list(json!({"filter": {"createdAfter": "yesterday"}}));
    let malformed = json!({"reason": "time_format", "field": "filter.createdAfter"});
    assert_eq!((&late["error"]["code"], &late["error"]["data"]), (&json!(-32602), &malformed), "T-27");
}

/// T-31 in the stateless revision.
#[test]
fn pages_without_a_session_belong_together_too() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let begun = ["report", "import", "report"].map(|tool| {
        world.advance(1_000);
        caller.begin(tool)
    });
    let filter = json!({"status": ["working"], "orderBy": "createdAt", "order": "asc"});
    let first = caller.list(json!({"filter": filter}));
    assert_eq!(ids(&first), begun[..2]);
    let cursor = &first["result"]["nextCursor"];
    let second = caller.list(json!({"filter": filter, "cursor": cursor}));
    assert_eq!((ids(&second), second["result"].get("nextCursor")), (begun[2..].to_vec(), None));
    for (member, value) in [
        ("status", json!(["working", "failed"])),
        ("createdAfter", json!("2027-01-01")),
        ("orderBy", json!("lastUpdatedAt")),
        ("order", json!("desc")),
    ] {
        let mut other = filter.clone();
        other[member] = value;
        let error = &caller.list(json!({"filter": other, "cursor": cursor}))["error"];
        let expected = (&json!(-32602), &json!("cursor_filter_mismatch"));
        assert_eq!((&error["code"], &error["data"]["reason"]), expected, "{member}");
    }
}

/// C-55: concerns are declared at initialization, and both lists are filtered by the session's concerns, with values
/// from an internal mapping (`plain`) and from `_meta.concerns` (`report`, `import`). C-43: `tasks/list` as well. C-17:
/// an update applies to both lists at once.
#[test]
fn a_session_filters_tools_and_tasks_by_its_concerns() {
    let (world, _) = world("concern-tasks");
    let mut caller = Caller::modern(&world, None);
    let post = |caller: &Caller<'_>, message: &Value| {
        let session: Vec<(&str, &str)> =
            caller.session.iter().map(|session| ("mcp-session-id", session.as_str())).collect();
        send_as(&world, None, &request(Method::POST, &session, message))
    };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let (head, body) = post(&caller, &initialize);
    let declared = json!([{"name": "cost", "values": ["low", "high"]}]);
    assert_eq!(json_of(body)["result"]["capabilities"]["concerns"], declared);
    caller.session = Some(head.headers["mcp-session-id"].to_str().unwrap().to_owned());

    let tools = |caller: &Caller<'_>| -> Vec<String> {
        let reply = caller.ask("tools/list", json!({}));
        let tools = reply["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let everything = tools(&caller);
    let without = |left_out: &[&str]| -> Vec<String> {
        everything.iter().filter(|name| !left_out.contains(&name.as_str())).cloned().collect()
    };
    let [report, import, plain, job] = ["report", "import", "plain", "job"].map(|tool| {
        world.advance(1_000);
        caller.begin(tool)
    });
    assert_eq!(caller.listed(json!({})), [&*job, &plain, &import, &report]);

    let configured = json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"concerns": {"cost": "low"}}});
    post(&caller, &configured);
    assert_eq!(tools(&caller), without(&["import", "plain"]));
    assert_eq!(caller.listed(json!({})), [&*job, &report]);

    caller.ask("updateConcerns", json!({"concerns": {"cost": "high"}}));
    assert_eq!(tools(&caller), without(&["report"]));
    assert_eq!(caller.listed(json!({})), [&*job, &plain, &import]);
    assert_eq!(
        caller.listed(json!({"filter": {"concerns": {"cost": null}}})),
        [&*job, &plain, &import, &report]
    );
}

/// The concerns of a URL apply to tasks as to any other list, and its other fields do not.
#[test]
fn the_concerns_of_a_url_narrow_lists_of_tasks() {
    let (world, _) = world("concern-tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let [report, import, plain, job] = ["report", "import", "plain", "job"].map(|tool| {
        world.advance(1_000);
        caller.begin(tool)
    });
    let session = caller.session.clone().unwrap();
    let listed = |query: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tasks/list", "params": params});
        let mut sent = request(Method::POST, &[("mcp-session-id", &session)], &body);
        *sent.uri_mut() = format!("http://127.0.0.1/mcp?{query}").parse().unwrap();
        ids(&json_of(send_as(&world, None, &sent).1))
    };
    assert_eq!(listed("concern.cost=low", json!({})), [&*job, &report]);
    assert_eq!(listed("concern.cost=high", json!({})), [&*job, &plain, &import]);
    assert_eq!(listed("concern.cost=high", json!({"filter": {"concerns": {"cost": "low"}}})), [&*job]);
    assert_eq!(listed("groups=none&tags=none", json!({})), [&*job, &plain, &import, &report]);
}

/// T-36: a condition that must read tasks reads a limited number per page, and the next page continues after them.
#[test]
fn a_page_reads_a_limited_number_of_tasks() {
    let (world, store) = world("concern-tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("report");
    let ((owner, _), task) =
        store.tasks.borrow().first_key_value().map(|(key, task)| (key.clone(), task.clone())).unwrap();
    let copies = (0..MAX_LOOKED + 500).map(|at| {
        let id = format!("copy-{at:05}");
        ((owner.clone(), id.clone()), Task { id, created: task.created - at as u64 - 1, ..task.clone() })
    });
    store.tasks.borrow_mut().extend(copies);
    // Only the oldest task matches the filter.
    let oldest = store.tasks.borrow().values().min_by_key(|task| task.created).cloned().unwrap();
    store.tasks.borrow_mut().get_mut(&(owner, oldest.id.clone())).unwrap().name = "plain".to_owned();
    let filter = json!({"where": "name:plain", "orderBy": "createdAt"});
    let first = caller.list(json!({"filter": filter}));
    assert_eq!(ids(&first), [] as [&str; 0], "{id} is none of them");
    let next = first["result"]["nextCursor"].clone();
    assert!(next.is_string(), "{first}");
    let second = caller.list(json!({"filter": filter, "cursor": next}));
    assert_eq!((ids(&second), second["result"].get("nextCursor")), (vec![oldest.id], None));
}
