//! Contexts whose texts are passed separately from their JSON: functions return the same result as for texts inside it.

use futures_executor::block_on;
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::middleware::{Content, MAX_CONTEXT, MAX_ITEMS, Registry};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    shout::shouting,
    world::{NoStore, World, value},
};

/// Splits a context into JSON with empty texts and the texts by item.
fn apart(context: &Value) -> (String, Vec<(usize, String)>) {
    let (mut rest, mut texts) = (context.clone(), Vec::new());
    for (at, item) in rest.as_array_mut().into_iter().flatten().enumerate() {
        if let Some(Value::String(text)) = item.get_mut("text") {
            texts.push((at, std::mem::take(text)));
        }
    }
    (rest.to_string(), texts)
}

/// Applies a function to a context in JSON, and to the same context with separate texts.
fn both(registry: &Registry, function: &str, row: &Value) -> [Value; 2] {
    let arguments = row.get("arguments").map(ToString::to_string);
    let arguments = arguments.as_deref().map(|arguments| Raw::parse(arguments).unwrap());
    let (rest, texts) = apart(&row["context"]);
    let whole = row["context"].to_string();
    [(whole, Vec::new()), (rest, texts)].map(|(json, texts)| {
        let world = World::from_row(row);
        let content = Raw::parse(&json).and_then(|raw| Content::read_beside(raw, texts));
        let applied =
            content.and_then(|content| block_on(registry.apply(function, arguments, content, &world)));
        match applied {
            Ok(outcome) => {
                let size = outcome.content.to_json().len();
                assert_eq!(outcome.content.size() + outcome.content.len().max(1) + 1, size, "{row}");
                json!([value(&outcome), outcome.content.to_json(), *world.kept.borrow()])
            }
            Err(error) => json!([error.code(), error.path(), error.to_string()]),
        }
    })
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn rows_give_the_same() {
    let files = [
        include_str!("../fixtures/middleware.json"),
        include_str!("../fixtures/middleware-pii.json"),
        include_str!("../fixtures/middleware-secrets.json"),
        include_str!("../fixtures/middleware-moderation.json"),
    ];
    let registry = shouting();
    for row in files.iter().flat_map(|rows| serde_json::from_str::<Vec<Value>>(rows).unwrap()) {
        for function in [row["function"].as_str().unwrap(), "shout"] {
            let [whole, beside] = both(&registry, function, &row);
            assert_eq!(whole, beside, "{} by {function}", row["name"]);
        }
    }
}

/// Every character that JSON escapes, and other members around the text.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn odd_texts_give_the_same() {
    let signs: String = (0..0x80).map(char::from).chain("é日😀\u{2028}".chars()).collect();
    let texts = ["", "\"", "x\n", &signs, &signs.repeat(9), "Mail jane@example.com \u{1}"];
    let registry = shouting();
    for (text, kind) in
        texts.iter().flat_map(|text| ["text", "tool_result", "hologram"].map(|kind| (text, kind)))
    {
        let item = json!({"annotations": {"label": ""}, "note": "", "text": text, "type": kind, "data": ""});
        let row =
            json!({"context": [{"type": "text", "text": "before"}, item, {"type": "text", "text": text}]});
        for function in ["shout", "pii_redaction", "timestamp_injector"] {
            let [whole, beside] = both(&registry, function, &row);
            assert_eq!(whole, beside, "{item} by {function}");
        }
    }
}

/// An unchanged text is identified by its original item, wherever the item is after the call.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn texts_as_they_came_are_known() {
    let item = |text: &str| json!({"type": "text", "text": text});
    let context = json!([item("one"), item("a@example.com"), {"type": "image"}, item("three")]);
    let (rest, texts) = apart(&context);
    let mut content = Content::read_beside(Raw::parse(&rest).unwrap(), texts).unwrap();
    content.prepend("zero");
    let redacted = block_on(Registry::built_in().apply("pii_redaction", None, content, &NoStore)).unwrap();
    let mut out = Vec::new();
    let beside = redacted.content.write_beside(&mut out);
    let beside: Vec<_> = beside.map(|(at, beside)| (at, beside.given, &*beside.text)).collect();
    assert_eq!(beside, [(1, Some(0), "one"), (2, None, "[EMAIL_1]"), (4, Some(3), "three")]);
    let rest = json!([item("zero"), item(""), item(""), {"type": "image"}, item("")]);
    assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), rest);
}

/// Limits count texts in their JSON form, and placeholders not at all.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn limits_are_those_of_the_json() {
    let refusal = |text: String| {
        let rest = r#"[{"type":"text","text":""}]"#;
        let read = Content::read_beside(Raw::parse(rest).unwrap(), vec![(0, text)]);
        read.err().map(|error| error.to_string())
    };
    let room = MAX_CONTEXT - r#"[{"type":"text","text":""}]"#.len();
    let large = |most: usize| Some(format!("context: the context is larger than {most} bytes"));
    assert_eq!(refusal("a".repeat(room)), None);
    assert_eq!(refusal("a".repeat(room + 1)), large(MAX_CONTEXT));
    assert_eq!(refusal("\n".repeat(room / 2)), None);
    assert_eq!(refusal("\n".repeat(room / 2 + 1)), large(MAX_CONTEXT));
    assert_eq!(refusal("[SSN_1]a".repeat(room)), None);
    assert_eq!(refusal(format!("[SSN_1]{}", "a".repeat(room + 1))), large(MAX_CONTEXT + 7));
    let many = format!("[{}]", vec![r#"{"type":"x"}"#; MAX_ITEMS].join(","));
    let mut content = Content::read(Raw::parse(&many).unwrap()).unwrap();
    content.append("one more");
    let applied = block_on(Registry::built_in().apply("pii_redaction", None, content, &NoStore));
    assert_eq!(applied.unwrap_err().to_string(), "result.context: the context has more than 4096 items");
}
