//! The experiment "deterministic groups": its twelve server checks, applied to an example shop, and its four vectors
//! for canonical JSON.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{client::ask, host::World};

const KEY: &str = "experimental/deterministic-groups";
const LIST: &str = "experimental/groups/list";
const EXPAND: &str = "experimental/groups/expand";
/// Two groups that share one tool.
const TOOLS: [(&str, &[&str]); 3] =
    [("weigh", &["kitchen"]), ("ring_up", &["till"]), ("read_clock", &["kitchen", "till"])];

fn tool((name, groups): (&str, &[&str])) -> Value {
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object", "additionalProperties": false},
        "annotations": {"readOnlyHint": true}, "groups": groups})
}

fn tools() -> Vec<Value> {
    TOOLS.map(tool).to_vec()
}

/// Returns a world in which a caller may use only `allowed`, or all tools if it is empty.
fn serving(tools: &[Value], allowed: &[&str], on: bool) -> World {
    let show = match allowed {
        [] => "name:*".to_owned(),
        names => names.iter().map(|name| format!("name:{name}")).collect::<Vec<_>>().join(" or "),
    };
    let config = json!({
        "groups": [{"name": "kitchen", "description": "Weighing and timing"}, {"name": "till", "title": "The till"}],
        "policies": [{"name": "allowed", "show": show}],
        "drafts": {"deterministicGroups": on},
    });
    World::listing(json!({"tools": tools}), config.as_object().unwrap().clone())
}

/// Returns a world with all tools.
fn shop() -> World {
    serving(&tools(), &[], true)
}

/// Sends a request and returns its result.
fn result(world: &World, method: &str, params: Value) -> Value {
    let answer = ask(world, method, params);
    assert!(answer.get("error").is_none(), "{method}: {answer}");
    answer["result"].clone()
}

/// Sends a request and returns its error, which must be `-32602`.
fn error(world: &World, method: &str, params: Value) -> Value {
    let answer = ask(world, method, params);
    assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
    answer["error"].clone()
}

fn names(list: &Value) -> Vec<&str> {
    let mut names: Vec<_> =
        list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

fn ids(directory: &Value) -> Vec<&str> {
    directory["groups"].as_array().unwrap().iter().map(|group| group["id"].as_str().unwrap()).collect()
}

/// Expands a group of the current revision.
fn expand(world: &World, id: &str) -> Value {
    let revision = result(world, LIST, json!({}))["revision"].clone();
    result(world, EXPAND, json!({"id": id, "revision": revision}))
}

/// Asserts that an entry has the digest and length of the definition as sent, but no schema and no description.
fn is_entry_of(entry: &Value, tool: &Value) {
    // The keys are sorted, as serde_json keeps them.
    let canonical = tool.to_string();
    let digest: String = Sha256::digest(&canonical).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(entry["digest"], format!("sha256:{digest}"));
    assert_eq!((&entry["size"], &entry["name"]), (&json!(canonical.len()), &tool["name"]));
    assert!(entry.get("inputSchema").is_none() && entry.get("description").is_none(), "{entry}");
}

#[test]
fn authorized_set() {
    let world = shop();
    let listed = result(&world, "tools/list", json!({}))["tools"].clone();
    let entries = result(&world, "tools/manifest", json!({}))["entries"].clone();
    assert_eq!(names(&listed), ["read_clock", "ring_up", "weigh"]);
    assert_eq!(names(&entries), names(&listed));
    let names: Vec<_> = entries.as_array().unwrap().iter().map(|entry| entry["name"].clone()).collect();
    let described = result(&world, "tools/describe", json!({"names": names}))["tools"].clone();
    for ((entry, described), listed) in
        entries.as_array().unwrap().iter().zip(described.as_array().unwrap()).zip(listed.as_array().unwrap())
    {
        is_entry_of(entry, described);
        assert_eq!(described, listed);
    }
}

#[test]
fn selective_expansion() {
    let world = shop();
    let directory = result(&world, LIST, json!({}));
    let revision = directory["revision"].clone();
    let groups = json!([
        {"id": "kitchen", "description": "Weighing and timing", "count": 2},
        {"id": "till", "description": "The till", "count": 2}
    ]);
    assert_eq!(directory["groups"], groups);
    let expanded = expand(&world, "kitchen");
    assert_eq!(expanded["revision"], revision);
    assert_eq!(names(&expanded["entries"]), ["read_clock", "weigh"]);
    let listed = result(&world, "tools/list", json!({}))["tools"].clone();
    for entry in expanded["entries"].as_array().unwrap() {
        is_entry_of(
            entry,
            listed.as_array().unwrap().iter().find(|tool| tool["name"] == entry["name"]).unwrap(),
        );
    }
    let described = result(&world, "tools/describe", json!({"names": ["read_clock", "weigh"]}));
    assert_eq!(
        (&described["tools"][0]["name"], &described["tools"][1]["name"]),
        (&json!("read_clock"), &json!("weigh"))
    );
    // The groups in the definition agree with the contents of the groups.
    assert_eq!(described["tools"][0]["_meta"][KEY]["groups"], json!(["kitchen", "till"]));
}

#[test]
fn shared_identity() {
    let world = shop();
    let of = |group: &str| {
        let expanded = expand(&world, group);
        expanded["entries"].as_array().unwrap().iter().find(|entry| entry["name"] == "read_clock").cloned()
    };
    assert!(of("kitchen").is_some());
    assert_eq!(of("kitchen"), of("till"));
}

#[test]
fn describe_errors() {
    let world = shop();
    let data = |names: Value| error(&world, "tools/describe", json!({"names": names}))["data"].clone();
    assert_eq!(data(json!([])), json!({"reason": "empty"}));
    assert_eq!(data(json!(["weigh", "missing"])), json!({"unknownNames": ["missing"]}));
    assert_eq!(data(json!(vec!["weigh"; 51]))["maxNames"], 50);
}

#[test]
fn hidden_groups() {
    let world = serving(&tools(), &["weigh"], true);
    let directory = result(&world, LIST, json!({}));
    assert_eq!(ids(&directory), ["kitchen"]);
    assert_eq!(directory["groups"][0]["count"], 1);
    assert_eq!(names(&result(&world, "tools/list", json!({}))["tools"]), ["weigh"]);
    assert_eq!(names(&result(&world, "tools/manifest", json!({}))["entries"]), ["weigh"]);
    for name in ["ring_up", "missing"] {
        assert_eq!(
            error(&world, "tools/describe", json!({"names": [name]}))["data"],
            json!({"unknownNames": [name]})
        );
    }
    let refused = |id: &str| error(&world, EXPAND, json!({"id": id, "revision": directory["revision"]}));
    assert_eq!(refused("till"), refused("missing"));
    assert_eq!(refused("till")["data"], json!({"reason": "unknownGroup"}));
}

/// Asserts that a revision from before a change is stale, and that the group has its current tools.
fn stale(after: &World, left: &[&str]) {
    let before = result(&shop(), LIST, json!({}))["revision"].clone();
    let refused = error(after, EXPAND, json!({"id": "kitchen", "revision": before}));
    assert_eq!(refused["data"], json!({"reason": "staleView"}));
    assert_eq!(names(&expand(after, "kitchen")["entries"]), left);
}

#[test]
fn stale_membership() {
    let mut tools = tools();
    tools[0]["groups"] = json!(["till"]);
    stale(&serving(&tools, &[], true), &["read_clock"]);
}

#[test]
fn stale_schema() {
    let mut tools = tools();
    tools[0]["inputSchema"]["description"] = json!("Changed");
    stale(&serving(&tools, &[], true), &["read_clock", "weigh"]);
}

#[test]
fn stale_authorization() {
    stale(&serving(&tools(), &["read_clock"], true), &["read_clock"]);
}

#[test]
fn unavailable_call() {
    let mut tools = tools();
    tools[0]["_meta"] = json!({KEY: {"callable": false}});
    let world = serving(&tools, &[], true);
    let described = result(&world, "tools/describe", json!({"names": ["weigh"]}));
    assert_eq!(described["tools"][0]["_meta"][KEY], json!({"callable": false, "groups": ["kitchen"]}));
    assert_eq!(result(&world, "tools/call", json!({"name": "weigh", "arguments": {}}))["isError"], true);
    assert!(world.forwarded.borrow().is_empty(), "no server is asked");
}

#[test]
fn revoked_call() {
    result(&shop(), "tools/describe", json!({"names": ["weigh"]}));
    let world = serving(&tools(), &["read_clock"], true);
    let refused = error(&world, "tools/call", json!({"name": "weigh", "arguments": {}}));
    assert_eq!(refused["data"], json!({"unknownNames": ["weigh"]}));
    let called = result(&world, "tools/call", json!({"name": "read_clock", "arguments": {}}));
    assert!(called.get("isError").is_none(), "{called}");
}

#[test]
fn reconnect_view() {
    let first = result(&shop(), LIST, json!({}))["revision"].clone();
    let world = serving(&tools(), &["weigh"], true);
    let directory = result(&world, LIST, json!({}));
    assert_ne!(directory["revision"], first);
    assert_eq!(ids(&directory), ["kitchen"]);
    let refused = error(&world, EXPAND, json!({"id": "kitchen", "revision": first}));
    assert_eq!(refused["data"], json!({"reason": "staleView"}));
}

#[test]
fn legacy_list() {
    let world = serving(&tools(), &[], false);
    let capabilities = result(&world, "server/discover", json!({}))["capabilities"].clone();
    assert!(capabilities["tools"].get("manifest").is_none() && capabilities.get("experimental").is_none());
    let listed = result(&world, "tools/list", json!({}))["tools"].clone();
    assert_eq!(names(&listed), ["read_clock", "ring_up", "weigh"]);
    assert!(listed[0]["_meta"].get(KEY).is_none());
    let called = result(&world, "tools/call", json!({"name": "weigh", "arguments": {}}));
    assert!(called.get("isError").is_none(), "{called}");
    assert_eq!(ask(&world, LIST, json!({}))["error"]["code"], -32601);
}

#[test]
fn the_experiment_is_announced() {
    let capabilities = result(&shop(), "server/discover", json!({}))["capabilities"].clone();
    assert_eq!(capabilities["experimental"], json!({KEY: {"version": 1}}));
    assert_eq!(capabilities["tools"]["manifest"], true);
}

/// The length of an entry is that of the canonical form, so it depends on that form. The cases are an empty schema,
/// unsorted keys at every depth, escaped characters, and numbers.
#[test]
fn canonical_vectors() {
    for (schema, canonical) in [
        (r#"{}"#, r#"{}"#),
        (r#"{"b":{"d":1,"c":[{"f":2,"e":3}]},"a":null}"#, r#"{"a":null,"b":{"c":[{"e":3,"f":2}],"d":1}}"#),
        (r#"{"text":"a\"b\\c\u0008\n\u001f\/"}"#, r#"{"text":"a\"b\\c\b\n\u001f/"}"#),
        (r#"{"n":[1.0,-0,1e3,0.50,1E-7]}"#, r#"{"n":[1,0,1000,0.5,1e-7]}"#),
    ] {
        let lists = format!(
            r#"{{"tools":[{{"name":"t","inputSchema":{{"type":"object"}},"_meta":{{"x":{schema}}}}}]}}"#
        );
        let config = json!({"drafts": {"manifest": true}}).as_object().unwrap().clone();
        let world = World::listing(serde_json::from_str(&lists).unwrap(), config);
        let entry = result(&world, "tools/manifest", json!({}))["entries"][0].clone();
        let whole =
            format!(r#"{{"_meta":{{"x":{canonical}}},"inputSchema":{{"type":"object"}},"name":"t"}}"#);
        let digest: String = Sha256::digest(&whole).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(entry, json!({"name": "t", "size": whole.len(), "digest": format!("sha256:{digest}")}));
    }
}
