//! The rules for a JSON-RPC response to a request.

use http::{Method, Request};
use mcp_sieve::json::{self, Members, Raw};
use serde_json::Value;

use crate::refusal;

/// Asserts that the response in a body answers its request, or the responses those of a batch.
pub fn response(request: &Request<Vec<u8>>, message: &Value) -> String {
    let (batch, ids) = asked(request);
    if let Value::Array(responses) = message {
        assert!(batch, "several answers to one request: {message}");
        return several(&responses.iter().collect::<Vec<_>>(), &ids);
    }
    let what = outcome(message);
    match ids.as_slice() {
        [id] if !batch && message.get("id") == Some(id) => {}
        // An error before parsing has no id, and neither has the response to a message without one.
        [_, ..] if !batch => {
            assert!(message.get("id").is_none() && is_early(message), "another id: {message}")
        }
        _ => assert!(
            message.get("id").is_none() && message.get("result").is_none(),
            "an answer to nothing: {message}"
        ),
    }
    what
}

/// Asserts that the responses to a batch match its ids, each at most once.
pub fn several(responses: &[&Value], ids: &[Value]) -> String {
    let mut open = ids.to_vec();
    let outcomes = responses.iter().map(|response| {
        let at = open.iter().position(|id| response.get("id") == Some(id));
        open.swap_remove(at.unwrap_or_else(|| panic!("an answer to nothing: {response}")));
        outcome(response)
    });
    let outcomes: Vec<String> = outcomes.take(3).collect();
    format!("a batch: {}", outcomes.join("; "))
}

/// Returns the ids of the requests in a body, and whether the body is a batch.
pub fn asked(request: &Request<Vec<u8>>) -> (bool, Vec<Value>) {
    let source = std::str::from_utf8(request.body()).ok().filter(|_| request.method() == Method::POST);
    let Some(message) = source.and_then(|source| Raw::parse(source).ok()) else { return (false, Vec::new()) };
    match message.elements() {
        Some(messages) => (true, messages.into_iter().filter_map(id).collect()),
        None => (false, id(message).into_iter().collect()),
    }
}

/// Returns the id of a message that is a request. Its other members may hold numbers that a `Value` cannot.
fn id(message: Raw<'_>) -> Option<Value> {
    let members = Members::read(message)?;
    let text = |key: &str| members.get(key).and_then(json::Raw::text);
    let id: Value = serde_json::from_str(members.get("id")?.get()).ok()?;
    let params = members.get("params").is_none_or(|params| params.is_object() || params.is_null());
    let request = text("jsonrpc")? == "2.0" && text("method").is_some() && params;
    (request && (id.is_string() || id.is_i64())).then_some(id)
}

/// Returns whether an error comes from the transport: origin, host, media type or size.
fn is_early(message: &Value) -> bool {
    let reason = message.pointer("/error/data/reason").and_then(Value::as_str).unwrap_or_default();
    matches!(reason, "origin" | "host" | "content_type" | "body_too_large")
        || message.pointer("/error/data/mismatch/name").is_some_and(|name| name == "content-type")
}

/// Asserts that a message has the shape of a response.
pub fn outcome(message: &Value) -> String {
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    let known = ["jsonrpc", "id", "result", "error"];
    assert!(message.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())), "{message}");
    match (message.get("result"), message.get("error")) {
        (Some(result), None) => {
            let keys: Vec<_> =
                result.as_object().expect("a result is an object").keys().map(String::as_str).collect();
            keys.join(" ")
        }
        (None, Some(error)) => {
            assert!(error["code"].is_i64(), "{message}");
            format!("{}: {}", error["code"], refusal::plain(error["message"].as_str().expect("a message")))
        }
        _ => panic!("neither a result nor an error, or both: {message}"),
    }
}
