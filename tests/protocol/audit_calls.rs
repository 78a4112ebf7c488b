//! The operator's log of allowed calls, and its buffer.

use http::Request;
use mcp_sieve_gateway::audit::{
    AUDIT_DELAY_MS, AUDIT_LAPSE_MS, AllowedCall, CallBuffer, MAX_AUDIT_CALLS, MAX_AUDIT_TEXT,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    client::{json_of, modern, send_as},
    host::World,
};

/// The arguments of a call, as their client wrote them: with white space, members in its order, a number that no double
/// holds, and a secret.
const ARGUMENTS: &str = r#"{ "to":"jane@example.com",  "amount": 12345678901234567890, "a": "secret" }"#;

/// Returns a world whose log holds allowed calls if `audit` is `all`. A policy hides what is called `closed`.
fn audited(audit: Value) -> World {
    let named = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let lists = json!({
        "tools": [named("pay"), named("closed")],
        "prompts": [{"name": "letter"}, {"name": "closed"}],
        "resources": [{"uri": "room://open", "name": "open"}, {"uri": "room://closed", "name": "closed"}],
    });
    let config = json!({
        "upstream": {"name": "bank", "passMethods": [{"method": "com.example/preview", "tool": "target"}]},
        "policies": [{"name": "closed", "show": "-name:closed"}],
        "disclosure": {"mode": "search", "always": "name:pay"},
    });
    let mut config = config.as_object().unwrap().clone();
    config.extend(audit.as_object().unwrap().clone());
    let alice = json!({"alice-token": {"sub": "alice"}});
    World::with_tokens(lists, config, serde_json::from_value(alice).unwrap())
}

/// Returns a request with [`ARGUMENTS`] byte for byte.
fn with_arguments(method: &str, params: Value) -> Request<Vec<u8>> {
    let mut request = modern(method, params, &json!({}));
    let body = String::from_utf8_lossy(request.body()).replace(r#""ARGUMENTS""#, ARGUMENTS);
    *request.body_mut() = body.into_bytes();
    request
}

fn digest(text: &str) -> String {
    let hash = Sha256::digest(text);
    format!("sha256:{}", hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// Sends a request and returns the entries that it left.
fn entries(world: &World, token: Option<&str>, request: &Request<Vec<u8>>) -> Vec<AllowedCall> {
    send_as(world, token, request);
    world.calls.take()
}

#[test]
fn an_allowed_call_is_recorded_with_a_digest_of_its_arguments() {
    let world = audited(json!({"audit": "all"}));
    let call = with_arguments("tools/call", json!({"name": "pay", "arguments": "ARGUMENTS"}));
    let expected = AllowedCall {
        at: world.clock.get(),
        who: Some("alice".to_owned()),
        method: "tools/call".to_owned(),
        server: "bank".to_owned(),
        name: Some("pay".to_owned()),
        arguments: Some(digest(ARGUMENTS)),
    };
    let found = entries(&world, Some("alice-token"), &call);
    assert_eq!(found, std::slice::from_ref(&expected));
    let text = format!("{found:?}{}", serde_json::to_string(&found).unwrap());
    assert!(!text.contains("secret") && !text.contains("jane"), "{text}");
    let stranger = AllowedCall { who: None, ..expected };
    assert_eq!(entries(&world, None, &call), std::slice::from_ref(&stranger));

    // The same call through a discovery tool is the call of that tool.
    let arguments = json!({"name": "pay", "arguments": "ARGUMENTS"});
    let through = with_arguments("tools/call", json!({"name": "call_tool", "arguments": arguments}));
    assert_eq!(entries(&world, None, &through), [stranger]);
}

#[test]
fn reads_and_prompts_are_recorded_and_nothing_that_reaches_no_server() {
    let world = audited(json!({"audit": "all"}));
    for (method, params, expected) in [
        (
            "prompts/get",
            json!({"name": "letter", "arguments": {"to": "x"}}),
            Some(("letter", Some(r#"{"to":"x"}"#))),
        ),
        ("prompts/get", json!({"name": "letter"}), Some(("letter", None))),
        ("resources/read", json!({"uri": "room://open"}), Some(("room://open", None))),
        ("tools/call", json!({"name": "pay"}), Some(("pay", None))),
        (
            "com.example/preview",
            json!({"target": "pay", "arguments": {"a": 1}}),
            Some(("pay", Some(r#"{"a":1}"#))),
        ),
        ("com.example/preview", json!({"target": "closed"}), None),
        ("com.example/other", json!({"target": "pay"}), None),
        ("tools/call", json!({"name": "closed", "arguments": {}}), None),
        ("tools/call", json!({"name": "missing", "arguments": {}}), None),
        ("tools/call", json!({"name": "search_tools", "arguments": {"query": "pay"}}), None),
        ("tools/call", json!({"name": "call_tool", "arguments": {"name": "closed"}}), None),
        ("prompts/get", json!({"name": "closed"}), None),
        ("resources/read", json!({"uri": "room://closed"}), None),
        ("tools/list", json!({}), None),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "letter"}, "argument": {"name": "a", "value": ""}}),
            None,
        ),
    ] {
        let mut request = modern(method, params.clone(), &json!({}));
        params["uri"].as_str().map(|uri| request.headers_mut().insert("mcp-name", uri.parse().unwrap()));
        let found = entries(&world, None, &request);
        let found: Vec<_> =
            found.iter().map(|call| (call.name.as_deref().unwrap(), call.arguments.clone())).collect();
        let expected: Vec<_> =
            expected.into_iter().map(|(name, arguments)| (name, arguments.map(digest))).collect();
        assert_eq!(found, expected, "{method} {params}");
    }
    // A denied call is in the log of denied requests, and there alone.
    world.operations.take();
    let closed = modern("tools/call", json!({"name": "closed"}), &json!({}));
    assert_eq!(entries(&world, None, &closed), []);
    assert_eq!(world.operations.take().len(), 1);
}

#[test]
fn without_the_setting_no_call_is_recorded_and_the_answer_is_the_same() {
    let call = with_arguments("tools/call", json!({"name": "pay", "arguments": "ARGUMENTS"}));
    let answers = [json!({}), json!({"audit": "denials"}), json!({"audit": "all"})].map(|audit| {
        let world = audited(audit);
        let answer = json_of(send_as(&world, None, &call).1);
        (answer, world.calls.take().len())
    });
    let [first, ..] = &answers;
    assert!(first.0["result"].is_object(), "{}", first.0);
    assert_eq!(answers.each_ref().map(|(answer, _)| answer), [&first.0; 3]);
    assert_eq!(answers.each_ref().map(|(_, calls)| *calls), [0, 0, 1]);
}

fn call(at: u64, name: &str) -> AllowedCall {
    AllowedCall {
        at,
        who: None,
        method: "tools/call".to_owned(),
        server: "bank".to_owned(),
        name: Some(name.to_owned()),
        arguments: None,
    }
}

#[test]
fn each_call_has_an_entry_and_those_beyond_the_limit_are_counted() {
    let mut buffer = CallBuffer::new();
    for number in 0..MAX_AUDIT_CALLS + 7 {
        assert_eq!(buffer.add(call(5, "pay")), number == 0, "one write is scheduled");
    }
    let batch = buffer.take(9).unwrap();
    assert_eq!(batch.calls, vec![call(5, "pay"); MAX_AUDIT_CALLS]);
    let line = batch.not_kept.unwrap();
    let said = (line.method.as_str(), line.kind.as_deref(), line.reason.as_str(), line.count, line.at);
    assert_eq!(said, ("audit", Some("calls"), "not_kept", 7, 9));
    buffer.written();
    assert_eq!(buffer.take(10).unwrap().not_kept, None, "they are counted once");
}

#[test]
fn calls_are_written_in_order_and_a_lost_write_costs_no_later_call() {
    let mut buffer = CallBuffer::new();
    assert!(buffer.add(call(0, "a")));
    assert_eq!(buffer.take(AUDIT_DELAY_MS).unwrap().calls, [call(0, "a")]);
    assert!(buffer.add(call(1_001, "b")));
    assert_eq!(buffer.take(2_001), None, "the write before is in progress");
    assert!(!buffer.add(call(2_002, "c")));
    let late = AUDIT_DELAY_MS + AUDIT_LAPSE_MS + 1;
    assert_eq!(buffer.take(late).unwrap().calls, [call(1_001, "b"), call(2_002, "c")]);
}

#[test]
fn texts_of_an_entry_are_cut_and_escaped() {
    let long = format!("pay\u{1b}[2J\u{200b}{}", "é".repeat(MAX_AUDIT_TEXT));
    let mut buffer = CallBuffer::new();
    buffer.add(AllowedCall {
        who: Some(long.clone()),
        server: long.clone(),
        method: long.clone(),
        ..call(0, &long)
    });
    let calls = buffer.take(0).unwrap().calls;
    let AllowedCall { who, method, server, name, .. } = calls[0].clone();
    for text in [who.unwrap(), method, server, name.unwrap()] {
        assert!(text.starts_with(r"pay\u{1b}[2J\u{200b}é") && text.len() <= MAX_AUDIT_TEXT, "{text}");
    }
    assert_eq!(calls[0].clone().bounded(), calls[0], "once more changes nothing");
}
