//! What the operator is told of refusals, and what not.

use http::{Method, Request};
use mcp_sieve::mcp::{Failure, MAX_AUDIT_TEXT, handle};
use serde_json::{Value, json};

use crate::{
    client::{modern, request, send_as},
    host::World,
};

/// The operator's log behind one request: who, method, kind, reason.
fn logged(world: &World, token: Option<&str>, request: &Request<Vec<u8>>) -> Vec<[String; 4]> {
    send_as(world, token, request);
    lines(world)
}

fn lines(world: &World) -> Vec<[String; 4]> {
    let told = world.operations.take().into_iter().map(|operation| {
        assert_eq!(operation.at, world.clock.get());
        [
            operation.who.unwrap_or_default(),
            operation.method,
            operation.kind.unwrap_or_default(),
            operation.reason,
        ]
    });
    told.collect()
}

/// `Q-26`, `Q-28`, `Q-29`: who asks for what is hidden hears that it does not exist; the operator hears more.
#[test]
fn the_operator_is_told_of_what_was_hidden_and_never_of_names() {
    let world = World::named("doors");
    let call = |method: &str, key: &str, id: &str| {
        let mut request = modern(method, json!({key: id}), &json!({}));
        request.headers_mut().insert("mcp-name", id.parse().unwrap());
        request
    };
    for (request, expected) in [
        (call("tools/call", "name", "locked_door"), Some("tool")),
        (call("tools/call", "name", "removed_door"), Some("tool")),
        (call("tools/call", "name", "no_door"), None),
        (call("prompts/get", "name", "locked_letter"), Some("prompt")),
        (call("resources/read", "uri", "room://locked"), Some("resource")),
        (call("resources/read", "uri", "room://removed"), Some("resource")),
        (call("tools/call", "name", "open_door"), None),
    ] {
        let body = String::from_utf8_lossy(request.body()).into_owned();
        let method = request.headers()["mcp-method"].to_str().unwrap().to_owned();
        let expected: Vec<_> = expected
            .map(|kind| [String::new(), method, kind.to_owned(), "hidden".to_owned()])
            .into_iter()
            .collect();
        assert_eq!(logged(&world, None, &request), expected, "{body}");
    }
    assert_eq!(
        logged(&world, Some("alice-token"), &call("tools/call", "name", "locked_door")),
        [] as [[String; 4]; 0]
    );
    let removed = logged(&world, Some("alice-token"), &call("tools/call", "name", "removed_door"));
    assert_eq!(removed, [["alice", "tools/call", "tool", "hidden"]]);
}

#[test]
fn the_operator_is_told_of_callers_that_are_turned_away() {
    let world = World::named("checked");
    assert_eq!(
        logged(&world, None, &modern("tools/list", json!({}), &json!({}))),
        [["", "tools/list", "", "check"]]
    );
    let mut page = modern("tools/list", json!({}), &json!({}));
    page.headers_mut().insert("origin", "https://elsewhere.example".parse().unwrap());
    assert_eq!(logged(&world, None, &page), [["", "POST", "", "origin"]]);
    let session = request(Method::GET, &[("mcp-session-id", "made-up")], &Value::Null);
    assert_eq!(logged(&world, None, &session), [["", "GET", "", "session_invalid"]]);
    let refused =
        Failure::request(http::StatusCode::UNAUTHORIZED, "unauthorized", "no").denied("unauthorized");
    world.run(handle(&world.config, &world, Err(refused), &page));
    assert_eq!(lines(&world), [["", "POST", "", "origin"]], "one refusal is one line");
}

#[test]
fn what_callers_make_up_is_cut() {
    let world = World::named("checked");
    let method = "é".repeat(MAX_AUDIT_TEXT);
    let mut request = modern("tools/list", json!({}), &json!({}));
    *request.body_mut() = String::from_utf8_lossy(request.body()).replace("tools/list", &method).into_bytes();
    request.headers_mut().remove("mcp-method");
    send_as(&world, None, &request);
    let told = lines(&world);
    assert!(told.iter().flatten().all(|text| text.len() <= MAX_AUDIT_TEXT), "{told:?}");
}
