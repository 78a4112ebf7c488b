//! Limits of contexts and handles.

use futures_executor::block_on;
use mcp_sieve::json::{Entry, Raw};
use mcp_sieve_gateway::middleware::{Chain, Content, Redactions, Registry};
use serde_json::json;

use super::{shout::shouting, world::NoStore};

/// Returns a context of 3.6 MB that repeats `piece`.
fn crowded(piece: &str) -> String {
    format!(r#"[{{"type":"text","text":"{}"}}]"#, piece.repeat(3_600_000 / piece.len()))
}

/// Limits apply to the context received. Placeholders may make it larger, and it is still sent on and back.
#[test]
fn handles_do_not_count_towards_limits() {
    use mcp_sieve_gateway::middleware::{MAX_CONTEXT, MAX_RESULT};
    let registry = Registry::built_in();
    let chain = |source: &str| Chain::read(&Entry::root(Raw::parse(source).unwrap())).unwrap();
    let [out, back] = [r#"["pii_redaction","secret_detection"]"#, r#"["pii_restoration"]"#].map(chain);
    let (given, mut handles) = (crowded("born 1.1.19 dob 2/3/"), Redactions::default());
    let go = |chain: &Chain, context: &str, handles: &mut Redactions| {
        let content = Content::read(Raw::parse(context).unwrap())?;
        let ran = block_on(chain.run(&registry, content, handles, &NoStore, &mut Vec::new()));
        ran.map(|ran| ran.content.to_json())
    };
    let seen = go(&out, &given, &mut handles).unwrap();
    assert!(seen.len() > MAX_CONTEXT, "{}", seen.len());
    assert!(go(&out, &seen, &mut handles).unwrap() == seen);
    assert!(go(&back, &seen, &mut handles).unwrap() == given);
    let large = format!(r#"[{{"type":"text","text":"{}"}}]"#, "[PERSON_1]".repeat(MAX_RESULT / 10));
    let refusal = go(&back, &large, &mut handles).unwrap_err().to_string();
    assert_eq!(refusal, "context: the context is larger than 33554432 bytes");
}

/// A few placeholders cannot expand to more than the limit.
#[test]
fn what_is_restored_has_a_limit() {
    let redactions = json!({"redactions": {"A_1": "a".repeat(1 << 20)}}).to_string();
    let restored = |count: usize| {
        let context = json!([{"type": "text", "text": "[A_1]".repeat(count)}]).to_string();
        block_on(Registry::built_in().invoke("pii_restoration", Some(&redactions), &context, &NoStore))
    };
    assert_eq!(restored(30).unwrap().content.size(), (30 << 20) + r#"{"type":"text","text":""}"#.len());
    let error = restored(400_000).unwrap_err();
    assert_eq!(error.to_string(), "the restored context is larger than 33554432 bytes");
    assert_eq!(error.code(), "middleware_failed");
    // Known placeholders are scanned as the values they stand for, and many of them do not exceed the limit either.
    let context = json!([{"type": "text", "text": "[A_1]".repeat(400_000)}]).to_string();
    let kept = block_on(Registry::built_in().invoke("pii_redaction", Some(&redactions), &context, &NoStore));
    assert!(kept.unwrap().content.to_json() == context);
}

/// A context that is too large is rejected before any function sees it.
#[test]
fn a_context_has_limits() {
    use mcp_sieve_gateway::middleware::{MAX_CONTEXT, MAX_ITEMS};
    let refusal = |context: &str| {
        block_on(shouting().invoke("timestamp_injector", None, context, &NoStore)).unwrap_err().to_string()
    };
    let many = format!("[{}]", vec![r#"{"type":"x"}"#; MAX_ITEMS + 1].join(","));
    assert_eq!(refusal(&many), "context: the context has more than 4096 items");
    let large = format!(r#"[{{"type":"x","a":"{}"}}]"#, "a".repeat(MAX_CONTEXT));
    assert_eq!(refusal(&large), "context: the context is larger than 4194304 bytes");
    let deep = |levels: usize| {
        format!(r#"[{{"type":"x","a":{}1{}}}]"#, "[".repeat(levels - 1), "]".repeat(levels - 1))
    };
    assert_eq!(refusal(&deep(127)), "JSON nests deeper than 127 levels at byte 142");
    let content =
        |levels| Content::read(Raw::parse_deep(&deep(levels)).unwrap()).map(|content| content.len());
    assert_eq!(content(127).ok(), Some(1));
    assert_eq!(content(128).unwrap_err().to_string(), "context[0]: the item nests deeper than 127 levels");
    assert!(content(1_000_000).is_err());
}
