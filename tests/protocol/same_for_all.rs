//! Responses that a host may cache, because every caller gets the same.

use http::Request;
use serde_json::{Value, json};

use crate::{
    client::{Client, modern},
    host::World,
};

fn world(config: &Value) -> World {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    World::listing(json!({"tools": [tool("read"), tool("write")]}), config.as_object().unwrap().clone())
}

/// Returns whether the host may cache the response to a caller with these claims.
fn is_kept(world: &World, request: &Request<Vec<u8>>, claims: Option<&Value>) -> bool {
    let before = world.same_for_all.get();
    world.run(world.handle(Ok(claims.and_then(Value::as_object)), request));
    world.same_for_all.get() > before
}

fn list(params: Value) -> Request<Vec<u8>> {
    modern("tools/list", params, &json!({}))
}

#[test]
fn lists_that_depend_on_no_caller_may_be_kept() {
    let rules = json!({"rules": [{"match": "name:read", "groups": ["g"]}]});
    let policy = json!({"policies": [{"name": "p", "show": "name:read"}]});
    for config in
        [json!({}), rules, policy, json!({"pageSize": 1}), json!({"drafts": {"definitionTags": true}})]
    {
        let world = world(&config);
        for params in
            [json!({}), json!({"filter": {"groups": ["g"]}}), json!({"filter": {"fields": ["name"]}})]
        {
            assert!(is_kept(&world, &list(params.clone()), None), "{config} {params}");
        }
        for method in ["resources/list", "resources/templates/list", "prompts/list"] {
            assert!(is_kept(&world, &modern(method, json!({}), &json!({})), None), "{config} {method}");
        }
    }
}

#[test]
fn answers_that_depend_on_their_caller_may_not() {
    let show =
        |condition: &str| json!({"policies": [{"name": "p", "show": format!("name:read or {condition}")}]});
    for config in [
        show("header.x-role:writer"),
        show("header.user-agent:writer"),
        show("claim.role:writer"),
        show("client.name:writer"),
        show("capability.sampling=true"),
        show("request.meta.role=writer"),
        json!({"presets": [{"name": "p", "when": "header.x-role:writer", "filter": {"groups": ["g"]}}]}),
        json!({"checks": [{"name": "c", "require": "-header.user-agent:unknown", "message": "no"}]}),
        json!({"disclosure": {"clients": [{"when": "client.name:c", "mode": "search"}]}}),
        json!({"log": true}),
    ] {
        assert!(!is_kept(&world(&config), &list(json!({})), None), "{config}");
    }
    let (open, claims) = (world(&json!({})), json!({"sub": "alice"}));
    assert!(!is_kept(&open, &list(json!({})), Some(&claims)));
    for params in [
        json!({"filter": {"query": "read"}}),
        json!({"filter": {"concernsRef": "handle"}}),
        json!({"concerns": {"cost": ["low"]}}),
        json!({"filter": {"groups": 1}}),
        json!({"cursor": "of another server"}),
    ] {
        assert!(!is_kept(&open, &list(params.clone()), None), "{params}");
    }
    let mut concerned = list(json!({}));
    let mut body: Value = serde_json::from_slice(concerned.body()).unwrap();
    body["params"]["_meta"]["dev.mcpsieve/concerns"] = json!({"cost": ["low"]});
    *concerned.body_mut() = body.to_string().into_bytes();
    assert!(!is_kept(&open, &concerned, None));
    let mut narrowed = list(json!({}));
    narrowed.headers_mut().insert("x-mcp-tools", "read".parse().unwrap());
    assert!(!is_kept(&open, &narrowed, None));
    for method in ["server/discover", "groups/list", "dev.mcpsieve/explain"] {
        assert!(!is_kept(&open, &modern(method, json!({}), &json!({})), None), "{method}");
    }
}

#[test]
fn lists_of_sessions_and_batches_may_not() {
    let client = Client::open("2025-03-26", &json!({}));
    let before = client.world.same_for_all.get();
    let list = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
    client.post(&list(1));
    client.post(&json!([list(2), list(3)]));
    assert_eq!(client.world.same_for_all.get(), before);
}
