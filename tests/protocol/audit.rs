//! The operator's audit log of rejected requests: what it contains and what it does not.

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{Method, Request};
use mcp_sieve_gateway::{
    audit::{MAX_AUDIT_TEXT, Operation},
    error::RpcError,
};
use serde_json::{Value, json};

use crate::{
    client::{json_of, modern, request, send_as},
    host::World,
    pages::serving,
};

/// Returns the audit entries of one request: caller, method, kind, reason.
fn logged(world: &World, token: Option<&str>, request: &Request<Vec<u8>>) -> Vec<[String; 4]> {
    send_as(world, token, request);
    lines(world)
}

/// Takes the audit entries: caller, method, kind, reason.
fn lines(world: &World) -> Vec<[String; 4]> {
    let told = world.operations.take().into_iter().map(|operation| {
        assert_eq!(operation.at, world.clock.get());
        assert!(operation.names.len() <= 1, "{operation:?}");
        [
            operation.who.unwrap_or_default(),
            operation.method,
            operation.kind.unwrap_or_default(),
            operation.reason,
        ]
    });
    told.collect()
}

/// A request for a hidden primitive gets the error of an unknown one; the audit log says which it was.
#[test]
fn the_operator_is_told_of_what_was_hidden() {
    let world = World::named("doors");
    let call = |method: &str, key: &str, id: &str| {
        let mut request = modern(method, json!({key: id}), &json!({}));
        request.headers_mut().insert("mcp-name", id.parse().unwrap());
        request
    };
    for (request, expected) in [
        (call("tools/call", "name", "locked_door"), Some(("tool", "hidden"))),
        (call("tools/call", "name", "removed_door"), Some(("tool", "hidden"))),
        (call("tools/call", "name", "no_door"), Some(("tool", "unknown"))),
        (call("prompts/get", "name", "locked_letter"), Some(("prompt", "hidden"))),
        (call("prompts/get", "name", "no_letter"), Some(("prompt", "unknown"))),
        (call("resources/read", "uri", "room://locked"), Some(("resource", "hidden"))),
        (call("resources/read", "uri", "room://removed"), Some(("resource", "hidden"))),
        (call("tools/call", "name", "open_door"), None),
    ] {
        let body = String::from_utf8_lossy(request.body()).into_owned();
        let method = request.headers()["mcp-method"].to_str().unwrap().to_owned();
        let expected: Vec<_> = expected
            .map(|(kind, reason)| [String::new(), method, kind.to_owned(), reason.to_owned()])
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

/// A name gets the prefix of its server only if another server lists it too. The audit log tells such a call from others.
#[test]
fn the_operator_is_told_of_a_prefix_that_the_name_does_not_have() {
    let upstreams = json!([
        {"name": "everything", "url": "http://127.0.0.1:1/mcp", "prefix": "everything_"},
        {"name": "other", "url": "http://127.0.0.1:2/mcp", "prefix": "other_"},
    ]);
    let listed = |name: &str| json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}]});
    let servers = [("everything", listed("echo")), ("other", listed("add"))];
    let world = serving(&json!({"upstreams": upstreams}), &servers);
    for (name, reason) in [
        ("everything_echo", "unprefixed"),
        ("everything_add", "unknown"),
        ("other_add", "unprefixed"),
        ("everything_", "unknown"),
    ] {
        let mut request = modern("tools/call", json!({"name": name}), &json!({}));
        request.headers_mut().insert("mcp-name", name.parse().unwrap());
        let [[_, _, _, logged]] = <[_; 1]>::try_from(logged(&world, None, &request)).unwrap();
        assert_eq!(logged, reason, "{name}");
    }
}

/// A request for a hidden primitive takes the same steps in the same order as one for a missing primitive. The catalog
/// is read as often, and as many lines are logged.
#[test]
fn what_is_hidden_takes_the_same_steps_as_what_is_missing() {
    let (doors, locked) = (World::named("doors"), World::named("locked"));
    let reference = |kind: &str, key: &str, id: &str| json!({"ref": {"type": kind, key: id}, "argument": {"name": "a", "value": ""}});
    for (world, method, hidden, missing) in [
        (&doors, "tools/call", json!({"name": "locked_door"}), json!({"name": "vanish_door"})),
        (&doors, "prompts/get", json!({"name": "locked_letter"}), json!({"name": "vanish_letter"})),
        (&locked, "resources/read", json!({"uri": "mail://inbox"}), json!({"uri": "mail://vanis"})),
        (
            &doors,
            "completion/complete",
            reference("ref/prompt", "name", "locked_letter"),
            reference("ref/prompt", "name", "vanish_letter"),
        ),
        (
            &doors,
            "completion/complete",
            reference("ref/resource", "uri", "room://locked"),
            reference("ref/resource", "uri", "room://vanish"),
        ),
    ] {
        let [hidden, missing] = [hidden, missing].map(|params| {
            world.needs.take();
            let mut request = modern(method, params.clone(), &json!({}));
            params["uri"].as_str().map(|uri| request.headers_mut().insert("mcp-name", uri.parse().unwrap()));
            let lines = logged(world, None, &request);
            (world.needs.take(), lines.into_iter().map(|[who, method, kind, _]| [who, method, kind]))
        });
        assert_eq!(hidden.0, missing.0, "{method}");
        assert_eq!(hidden.1.clone().count(), 1, "{method}");
        assert!(hidden.1.eq(missing.1), "{method}");
    }
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
        RpcError::request(http::StatusCode::UNAUTHORIZED, "unauthorized", "no").denied("unauthorized");
    world.run(world.handle(Err(refused), &page));
    assert_eq!(lines(&world), [["", "POST", "", "origin"]], "one refusal is one line");
}

#[test]
fn a_method_that_a_caller_makes_up_is_no_line_of_its_own() {
    let world = World::named("checked");
    for method in ["é".repeat(MAX_AUDIT_TEXT), "tools/lists".to_owned(), String::new()] {
        let mut request = modern("tools/list", json!({}), &json!({}));
        *request.body_mut() =
            String::from_utf8_lossy(request.body()).replace("tools/list", &method).into_bytes();
        request.headers_mut().remove("mcp-method");
        request.headers_mut().insert("mcp-protocol-version", "2025-11-25".parse().unwrap());
        request.headers_mut().insert("mcp-session-id", "made-up".parse().unwrap());
        let body = String::from_utf8_lossy(request.body()).replace("io.modelcontextprotocol/", "x/");
        *request.body_mut() = body.into_bytes();
        assert_eq!(logged(&world, None, &request), [["", "other", "", "session_invalid"]], "{method}");
    }
}

#[test]
fn texts_of_a_line_are_cut() {
    let long = "é".repeat(MAX_AUDIT_TEXT);
    let line = Operation::new(0, Some(&long), &long, Some(&long), &long);
    let texts = [line.who.unwrap(), line.method, line.kind.unwrap(), line.reason];
    assert!(texts.iter().all(|text| text.len() == MAX_AUDIT_TEXT), "{texts:?}");
    let named = Operation::new(0, None, "tools/call", Some("tool"), "hidden")
        .about(&format!("{}a", "é".repeat(MAX_AUDIT_TEXT)));
    assert_eq!(named.names, ["é".repeat(MAX_AUDIT_TEXT / 2)]);
}

/// M-56: a function in audit mode runs and is reported, and the server gets the call as the client sent it.
#[test]
fn a_chain_under_audit_runs_and_changes_nothing() {
    let ran = |name: &str| {
        let world = World::named(name);
        let call = json!({"name": "echo", "arguments": {"to": "jane@example.com"}});
        let (_, body) = send_as(&world, None, &modern("tools/call", call, &json!({})));
        let said = json_of(body)["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        let runs = world.runs.take().into_iter();
        (said, runs.map(|run| (run.kind.unwrap_or_default(), run.reason)).collect::<Vec<_>>())
    };
    let run = |reason: &str| vec![("pii_redaction".to_owned(), reason.to_owned())];
    let sent = r#"called echo with {"to":"jane@example.com"}"#;
    assert_eq!(ran("observed"), (sent.to_owned(), run("audit:changed")));
    let sent = r#"called echo with {"to":"[EMAIL_1]"}"#;
    assert_eq!(ran("redacting"), (sent.to_owned(), run("changed")));
    let sent = r#"called echo with {"to":"jane@example.com"}"#;
    assert_eq!(ran("stage"), (sent.to_owned(), vec![]));
}

/// The audit log names the hidden tool that was requested, with control characters escaped.
#[test]
fn a_line_has_the_name_that_was_asked_for() {
    let world = World::named("doors");
    for (method, params, expected) in [
        ("tools/call", json!({"name": "locked_door"}), Some("locked_door")),
        ("prompts/get", json!({"name": "locked_letter"}), Some("locked_letter")),
        ("resources/read", json!({"uri": "room://locked"}), Some("room://locked")),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "locked_letter"}, "argument": {"name": "a", "value": ""}}),
            Some("locked_letter"),
        ),
        ("tools/list", json!({"cursor": "made-up"}), None),
    ] {
        let mut request = modern(method, params.clone(), &json!({}));
        params["uri"].as_str().map(|uri| request.headers_mut().insert("mcp-name", uri.parse().unwrap()));
        assert_eq!(names(&world, &request), expected.into_iter().collect::<Vec<_>>(), "{method}");
    }
    // This name cannot be in a header without encoding.
    let mut request = modern("tools/call", json!({"name": "NAME"}), &json!({}));
    let body = String::from_utf8_lossy(request.body()).replace("NAME", r"no\u001b[2J\ndoor");
    *request.body_mut() = body.into_bytes();
    let header = format!("=?base64?{}?=", STANDARD.encode("no\u{1b}[2J\ndoor"));
    request.headers_mut().insert("mcp-name", header.parse().unwrap());
    assert_eq!(names(&world, &request), [r"no\u{1b}[2J\u{a}door"]);
}

fn names(world: &World, request: &Request<Vec<u8>>) -> Vec<String> {
    send_as(world, None, request);
    world.operations.take().into_iter().flat_map(|line| line.names).collect()
}
