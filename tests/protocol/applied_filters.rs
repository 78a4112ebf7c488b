//! Filters cached by a view: a list has the same bytes whether or not its filter was applied before, whatever was
//! requested in between.

use http::Request;
use serde_json::{Map, Value, json};

use crate::{
    client::{json_of, modern, send},
    host::World,
    random::Random,
};

const REQUESTS: usize = 1_500;
const METHODS: [&str; 3] = ["tools/list", "resources/list", "prompts/list"];
/// Query strings of the URL.
const QUERIES: [&str; 5] =
    ["", "groups=group-0", "tags=tag-1&page=2", "concerns.cost=low", "where=tag:tag-2"];
/// Values of the filter header; `None` sends no header.
const TOOLSETS: [Option<&str>; 3] = [None, None, Some("group-1")];

/// Returns more filters than a view caches.
fn filters() -> Vec<Value> {
    let mut filters = vec![
        Value::Null,
        json!({}),
        json!({"concerns": {"cost": ["high"]}}),
        json!({"concerns": {"cost": null}}),
        json!({"applyDefaults": true}),
        json!({"not": {"tags": ["tag-0"]}}),
        json!({"fields": ["description"]}),
        json!({"limit": {"items": 3}}),
        json!({"query": "thing number"}),
        json!({"where": "tag:tag-1 -group:group-2"}),
        json!({"groups": ["nothing"]}),
        json!({"unknown": true}),
    ];
    filters.extend((0..4).map(|group| json!({"groups": [format!("group-{group}")]})));
    filters
        .extend((0..4).map(|tag| json!({"tags": [format!("tag-{tag}")], "groups": ["group-1", "group-2"]})));
    filters
}

fn lists() -> Value {
    let of = |at: usize| {
        let cost = ["low", "high"][at % 2];
        json!({
            "description": format!("Thing number {at}."),
            "groups": [format!("group-{}", at % 4)],
            "tags": [format!("tag-{}", at % 3), format!("tag-{}", at % 5)],
            "_meta": {"concerns": {"cost": cost}},
        })
    };
    let with = |at: usize, members: Value| {
        let (Value::Object(mut item), Value::Object(more)) = (of(at), members) else { panic!("objects") };
        item.extend(more);
        Value::Object(item)
    };
    json!({
        "tools": (0..70).map(|at| with(at, json!({"name": format!("tool_{at}"), "inputSchema": {"type": "object"}})))
            .collect::<Vec<_>>(),
        "resources": (0..9).map(|at| with(at, json!({"uri": format!("s://{at}"), "name": format!("r{at}")})))
            .collect::<Vec<_>>(),
        "prompts": (0..5).map(|at| with(at, json!({"name": format!("prompt_{at}")}))).collect::<Vec<_>>(),
    })
}

fn world(config: &Value) -> World {
    let Value::Object(config) = config else { panic!("a configuration is an object") };
    World::listing(lists(), config.clone())
}

/// Returns a random request, the claims of its caller, and a description of the choices.
fn drawn(random: &mut Random, filters: &[Value]) -> (Request<Vec<u8>>, Map<String, Value>, String) {
    let mut params = json!({});
    let filter = random.pick(filters);
    if !filter.is_null() {
        params["filter"] = filter.clone();
    }
    let (method, query) = (*random.pick(&METHODS), *random.pick(&QUERIES));
    let mut request = modern(method, params, &json!({}));
    let mut body: Value = serde_json::from_slice(request.body()).unwrap();
    body["id"] = random.below(1_000).into();
    let concerns = random.one_in(6).then_some("high");
    if let Some(cost) = concerns {
        body["params"]["_meta"]["dev.mcpsieve/concerns"] = json!({"cost": [cost]});
    }
    *request.body_mut() = body.to_string().into_bytes();
    *request.uri_mut() = format!("http://127.0.0.1/mcp?{query}").trim_end_matches('?').parse().unwrap();
    let toolsets = *random.pick(&TOOLSETS);
    if let Some(toolsets) = toolsets {
        request.headers_mut().insert("x-mcp-toolsets", toolsets.parse().unwrap());
    }
    let role = *random.pick(&["reader", "writer", "guest"]);
    let claims = json!({"sub": format!("u{}", random.below(3)), "role": role});
    let Value::Object(claims) = claims else { panic!("claims are an object") };
    let case = format!("{method} {filter} ?{query} {toolsets:?} {concerns:?} {role}");
    (request, claims, case)
}

/// Returns the response without the cursor of the next page, which is sealed anew each time.
fn answer(world: &World, request: &Request<Vec<u8>>, claims: &Map<String, Value>) -> String {
    let mut answer = json_of(world.run(world.handle(Ok(Some(claims)), request)).into_body());
    if let Some(result) = answer["result"].as_object_mut() {
        result.remove("nextCursor");
    }
    answer.to_string()
}

#[test]
fn a_filter_that_was_applied_before_gives_the_same_list() {
    let policies = json!([
        {"name": "writers", "show": "tag:tag-0 or claim.role:writer"},
        {"name": "not-for-guests", "show": "-group:group-3 or -claim.role:guest"},
    ]);
    let concerns =
        json!([{"name": "cost", "values": ["low", "high"], "default": "low", "applyDefault": true}]);
    let configs = [
        json!({}),
        json!({"concerns": concerns, "policies": policies}),
        json!({"concerns": concerns, "policies": policies, "pageSize": 7, "enforce": true}),
        json!({"policies": policies, "disclosure": {"mode": "search"}, "drafts": {"definitionTags": true}}),
    ];
    let filters = filters();
    for config in &configs {
        let (random, warm) = (&mut Random::new(7), world(config));
        for turn in 0..REQUESTS / configs.len() {
            let (request, claims, case) = drawn(random, &filters);
            let fresh = answer(&world(config), &request, &claims);
            let first = answer(&warm, &request, &claims);
            assert_eq!(first, fresh, "turn {turn}, {config}: {case}");
            assert_eq!(answer(&warm, &request, &claims), fresh, "again, turn {turn}, {config}: {case}");
        }
    }
}

#[test]
fn a_filter_that_was_applied_before_takes_the_id_of_its_request() {
    let world = world(&json!({}));
    for id in [1, 2, 3] {
        let mut request = modern("tools/list", json!({"filter": {"groups": ["group-1"]}}), &json!({}));
        let mut body: Value = serde_json::from_slice(request.body()).unwrap();
        body["id"] = id.into();
        *request.body_mut() = body.to_string().into_bytes();
        let answer = json_of(send(&world, &request).1);
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(18));
    }
}
