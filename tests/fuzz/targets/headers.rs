//! Header values that encode text as `=?base64?…?=`: a call is accepted if its header agrees with its body.

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderValue, Method, Request};
use mcp_sieve_gateway::server::Body;
use serde_json::{Value, json};

use super::conversation;
use crate::target::Target;

pub const TARGET: Target = Target { mutations: 10_000, seeds, words: WORDS, holds };

const WORDS: &[&str] =
    &["=?base64?", "?=", "=?BASE64?", "=", "==", "ZWNobw==", "w6k=", "/w==", " ", "\t", "echo", "?", "é"];
const MISMATCH: i64 = -32020;

fn seeds() -> Vec<Vec<u8>> {
    let encoded = ["echo", "", "é", "=?base64?ZWNobw==?=", "a\nb", "\u{0}"]
        .map(|text| format!("=?base64?{}?=", STANDARD.encode(text)).into_bytes());
    let plain = [
        "echo",
        "",
        " echo\t",
        "=?base64?",
        "=?base64??=",
        "=?base64?ZWNobw?=",
        "=?base64?ZWNobx==?=",
        "=?base64?/w==?=",
    ];
    encoded.into_iter().chain(plain.map(|text| text.as_bytes().to_vec())).collect()
}

/// Decodes a value as the specification requires; returns `None` if it may not be sent.
fn meaning(value: &[u8]) -> Option<String> {
    let visible = value.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let text = std::str::from_utf8(value).ok().filter(|_| visible)?.trim_matches([' ', '\t']);
    let inner = text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match inner {
        Some(inner) => String::from_utf8(STANDARD.decode(inner).ok()?).ok(),
        None => Some(text.to_owned()),
    }
}

fn holds(bytes: &[u8]) -> String {
    let Ok(value) = HeaderValue::from_bytes(bytes) else { return "no header".to_owned() };
    let Some(meant) = meaning(bytes) else {
        assert_eq!(code(&value, "echo"), Some(MISMATCH), "unreadable, and taken");
        return "unreadable".to_owned();
    };
    assert_ne!(code(&value, &meant), Some(MISMATCH), "says `{meant}`, and is refused");
    assert_eq!(code(&value, &format!("{meant}x")), Some(MISMATCH), "says `{meant}`, and is taken for more");
    if meant.as_bytes() == bytes { "itself" } else { "decoded" }.to_owned()
}

/// Returns the error code of a call of the tool `name` with this header.
fn code(value: &HeaderValue, name: &str) -> Option<i64> {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "_meta": meta}});
    let mut request = Request::new(body.to_string().into_bytes());
    *request.method_mut() = Method::POST;
    let headers = request.headers_mut();
    for (key, value) in [
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
    ] {
        headers.insert(key, HeaderValue::from_static(value));
    }
    headers.insert("mcp-name", value.clone());
    let world = conversation::world("stage");
    let answer = world.run(world.handle(Ok(None), &request));
    let Body::Json(json) = answer.into_body() else { return None };
    serde_json::from_slice::<Value>(&json).unwrap().pointer("/error/code").and_then(Value::as_i64)
}
