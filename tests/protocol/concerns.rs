//! Concerns over time: notifications after a change, and the lifetime of handles.

use http::Method;
use mcp_sieve_gateway::session::HANDLE_MS;
use serde_json::{Value, json};

use crate::{
    client::{Client, Frames, ask, json_of, modern, request, send},
    host::World,
};

/// Returns the methods of the pending notifications.
fn methods(client: &Client, frames: &mut Frames) -> Vec<String> {
    let mut methods = Vec::new();
    while let Some(frame) = client.ready(frames) {
        methods.extend(frame.data.and_then(|data| data["method"].as_str().map(str::to_owned)));
    }
    methods
}

fn update(concerns: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "updateConcerns", "params": {"concerns": concerns}})
}

/// `C-56`: a session that changes its concerns is notified of the lists that changed for it, and of no others.
#[test]
fn a_change_of_concerns_is_told_on_the_stream_of_the_session() {
    let client = Client::of(World::named("encryption"), "2025-11-25", &json!({}));
    let mut frames = client.get(None);
    let mut told = |concerns: Value| {
        client.post(&update(&concerns));
        methods(&client, &mut frames)
    };
    assert_eq!(
        told(json!({"cost": "unlimited"})),
        ["notifications/tools/list_changed", "notifications/prompts/list_changed"]
    );
    assert_eq!(told(json!({"cost": "unlimited"})), Vec::<String>::new());
    assert_eq!(told(json!({"cost": "unlimited", "mood": "good"})), Vec::<String>::new());
    assert_eq!(
        told(json!({"cost": "unlimited", "security": "low"})),
        ["notifications/tools/list_changed", "notifications/resources/list_changed"]
    );
}

/// C-56: the concerns of `notifications/initialized` end the initialization and announce nothing. An update that
/// repeats them changes no list.
#[test]
fn the_concerns_of_the_initialization_are_not_announced() {
    let client = Client::of(World::named("encryption"), "2025-11-25", &json!({}));
    let mut frames = client.get(None);
    let concerns = json!({"cost": "unlimited"});
    let initialized =
        json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"concerns": concerns}});
    assert_eq!(client.post(&initialized).0.status, 202);
    assert_eq!(methods(&client, &mut frames), [""; 0]);
    let (_, updated) = client.post(&update(&concerns));
    assert_eq!(json_of(updated)["result"], json!({"concerns": concerns}));
    assert_eq!(methods(&client, &mut frames), [""; 0]);
    client.post(&update(&json!({})));
    let changed = ["notifications/tools/list_changed", "notifications/prompts/list_changed"];
    assert_eq!(methods(&client, &mut frames), changed);
}

/// A handle is valid for a day, and for one version of the server.
#[test]
fn a_handle_expires() {
    let world = World::named("encryption");
    let request = modern("updateConcerns", json!({"concerns": {"security": "high"}}), &json!({}));
    let updated = json_of(send(&world, &request).1)["result"].clone();
    assert_eq!(updated["expiresAt"], "2027-01-16T08:00:00Z");
    let handle = updated["concernsRef"].clone();
    let ask = |world: &World| {
        let request = modern("tools/list", json!({"filter": {"concernsRef": handle}}), &json!({}));
        json_of(send(world, &request).1)
    };
    let names = |listed: Value| listed["result"]["tools"].as_array().map(Vec::len);
    world.clock.set(world.clock.get() + HANDLE_MS - 1);
    assert_eq!(names(ask(&world)), Some(4));
    world.clock.set(world.clock.get() + 1);
    let expired = json!({"code": -32602, "message": "filter.concernsRef: the handle has expired; ask `updateConcerns` again",
        "data": {"reason": "handle_expired", "field": "filter.concernsRef"}});
    assert_eq!(ask(&world)["error"], expired);
    let next = World::configured(json!({"server": {"version": "2"}}));
    assert_eq!(ask(&next)["error"], expired);
}

/// C-9: both are written from the same value, so a client may compare them byte by byte, with a session and without.
#[test]
fn list_concerns_returns_the_bytes_of_the_capability() {
    let world = World::configured(json!({"concerns": [
        {"name": "noise", "description": "How loud", "values": ["quiet", "loud"], "ordered": true, "default": "quiet"},
        {"name": "weight", "values": {"min": 1, "max": 9.5, "step": 0.5}, "default": 2.5},
    ]}));
    let text = |(_, body)| {
        let mcp_sieve_gateway::server::Body::Json(bytes) = body else { panic!("a whole body") };
        String::from_utf8(bytes).unwrap()
    };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let stateless = |method: &str| text(send(&world, &modern(method, json!({}), &json!({}))));
    let declared =
        [stateless("server/discover"), text(send(&world, &request(Method::POST, &[], &initialize)))];
    let session = Client::of(world.clone(), "2025-11-25", &json!({}));
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "listConcerns"});
    let listed = [stateless("listConcerns"), text(session.post(&list))];
    let declarations = listed[0].split("\"concerns\":").nth(1).unwrap().split("],\"").next().unwrap();
    assert!(declarations.starts_with("[{"), "{declarations}");
    // A declaration is in the capability of the proposal and in that of the extension.
    for (bodies, times) in [(&declared, 2), (&listed, 1)] {
        for body in bodies {
            assert_eq!(body.matches(&format!("\"concerns\":{declarations}]")).count(), times, "{body}");
        }
    }
}

/// The concerns in force are forwarded with a call, if the operator forwards them to a server: those of the request's
/// `_meta`, else those of the session. Undeclared ones and invalid ones are left out.
#[test]
fn a_call_has_the_concerns_in_force() {
    let tools = json!({"tools": [{"name": "sing", "inputSchema": {"type": "object"}}]});
    for (setting, is_forwarded) in [("forward", true), ("learn", false), ("ignore", false)] {
        let config = json!({
            "concerns": [{"name": "mood", "values": ["calm", "wild"]}],
            "upstream": {"url": "http://a.example/mcp", "concerns": setting},
        });
        let world = World::listing(tools.clone(), config.as_object().unwrap().clone());
        let expected = |concerns: &str| if is_forwarded { concerns.to_owned() } else { String::new() };
        let sent = |meta: Value| {
            let answered = ask(&world, "tools/call", json!({"name": "sing", "arguments": {}, "_meta": meta}));
            assert!(answered["result"].is_object(), "{answered}");
            world.forwarded_concerns.borrow_mut().pop().unwrap()
        };
        assert_eq!(sent(json!({})), "");
        assert_eq!(
            sent(json!({"concerns": {"mood": "wild", "colour": "red"}})),
            expected(r#"{"mood":"wild"}"#)
        );
        assert_eq!(sent(json!({"dev.mcpsieve/concerns": {"mood": "calm"}})), expected(r#"{"mood":"calm"}"#));
        assert_eq!(sent(json!({"concerns": {"mood": "odd"}})), "");
        assert_eq!(sent(json!({"concerns": 1})), "");

        let client = Client::of(
            World::listing(tools.clone(), config.as_object().unwrap().clone()),
            "2025-11-25",
            &json!({}),
        );
        client.post(&update(&json!({"mood": "wild"})));
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "sing", "arguments": {}}});
        assert!(json_of(client.post(&call).1)["result"].is_object());
        assert_eq!(*client.world.forwarded_concerns.borrow(), [expected(r#"{"mood":"wild"}"#)]);
    }
}
