//! The limits of expressions: an input at a limit parses in both forms; one just beyond it is rejected with its name.

use mcp_sieve::{
    Error,
    expr::{Expr, Field, Op, Term},
    json::Raw,
};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

fn read(json: &Value) -> Result<Expr, Error> {
    Raw::parse(&json.to_string()).and_then(Expr::from_json)
}

/// Asserts that an expression parses, and that both of its printed forms do.
#[track_caller]
fn accepted(source: &str) {
    let tree: Expr = source.parse().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read(&serde_json::from_slice(&tree.json()).unwrap()).as_ref(), Ok(&tree));
    assert_eq!(tree.to_string().parse().as_ref(), Ok(&tree));
}

/// Asserts that an expression is rejected with this message at this byte.
#[track_caller]
fn refused(source: &str, message: &str, at: usize) {
    let error = source.parse::<Expr>().unwrap_err();
    assert!(error.to_string().starts_with(message), "{error}");
    assert_eq!((error.code(), error.at()), ("expression", Some(at)));
}

/// Asserts that an expression in JSON is rejected with this message.
#[track_caller]
fn refused_json(json: &Value, message: &str) {
    let error = read(json).unwrap_err();
    assert_eq!((error.code(), error.to_string()), ("expression", message.to_owned()));
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn source() {
    let padding = |length: usize| format!("{}name:x", " ".repeat(length - "name:x".len()));
    accepted(&padding(Expr::MAX_SOURCE));
    refused(&padding(Expr::MAX_SOURCE + 1), "expected at most 8192 bytes of text", Expr::MAX_SOURCE);
    // For JSON, the limit applies to the canonical text: 32 terms of 256 bytes with their separators.
    let term = |length: usize| json!({"tag": "x".repeat(length)});
    let joined = |count: usize, length: usize| json!({"all": vec![term(length); count]});
    let within = joined(32, 256 - "tag: ".len());
    assert_eq!(read(&within).unwrap().to_string().len(), Expr::MAX_SOURCE - 1);
    refused_json(&joined(33, 256 - "tag: ".len()), "expected at most 8192 bytes of text");
    // The same applies to a text whose canonical form is longer than the text itself.
    let piece = format!("(tag:{} or tag:y)", "x".repeat(240));
    let text =
        format!("{}tag:{}", piece.repeat(32), "z".repeat(Expr::MAX_SOURCE - "tag:".len() - 32 * piece.len()));
    assert_eq!(text.len(), Expr::MAX_SOURCE);
    assert_eq!(text.parse::<Expr>().unwrap_err().to_string(), "expected at most 8192 bytes of text");
    accepted(text.split_at(Expr::MAX_SOURCE - 32).0);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn depth() {
    let nots = |count: usize| format!("{}tag:x", "-".repeat(count));
    let parens = |count: usize| {
        let open =
            (0..count).map(|at| if at % 2 == 0 { "tag:a (" } else { "tag:b or (" }).collect::<String>();
        format!("{open}tag:x tag:y{}", ")".repeat(count))
    };
    accepted(&nots(Expr::MAX_DEPTH - 1));
    refused(&nots(Expr::MAX_DEPTH), "expected at most 32 levels, found `tag:x` after `…-", Expr::MAX_DEPTH);
    let deepest: Expr = parens(Expr::MAX_DEPTH - 1).parse().unwrap();
    assert_eq!(deepest.to_string().parse(), Ok(deepest));
    let message = "expected at most 32 levels, found `tag:x` after";
    refused(&parens(Expr::MAX_DEPTH), message, parens(Expr::MAX_DEPTH).find("tag:x").unwrap());
    // Extreme nesting is rejected before the stack overflows.
    refused(
        &"(".repeat(Expr::MAX_SOURCE),
        "expected at most 32 levels, found `(` after `…((",
        Expr::MAX_DEPTH,
    );

    let wrap =
        |count: usize, wrap: fn(Value) -> Value| (0..count).fold(json!({"tag": "x"}), |inner, _| wrap(inner));
    let not: fn(Value) -> Value = |inner| json!({"not": inner});
    let list: fn(Value) -> Value = |inner| json!({"all": [{"tag": "a"}, {"any": [{"tag": "b"}, inner]}]});
    assert!(read(&wrap(Expr::MAX_DEPTH - 1, not)).is_ok());
    refused_json(&wrap(Expr::MAX_DEPTH, not), "expected at most 32 levels");
    // A list takes two levels of JSON, which has its own limit.
    let tree = read(&wrap(31, list)).unwrap();
    assert_eq!(tree.to_string().parse(), Ok(tree));
    let error = read(&wrap(32, list)).unwrap_err();
    assert_eq!((error.code(), error.at().is_some()), ("json", true));
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn terms() {
    let text = |count: usize| vec!["tag:x"; count].join(" ");
    accepted(&text(Expr::MAX_TERMS));
    refused(
        &text(Expr::MAX_TERMS + 1),
        "expected at most 256 terms, found `tag:x` after",
        text(Expr::MAX_TERMS).len() + 1,
    );
    refused_json(
        &json!({"any": vec![json!({"tag": "x"}); Expr::MAX_TERMS + 1]}),
        "expected at most 256 terms",
    );
    refused_json(
        &json!([text(200), text(57)]).as_array().map(|texts| json!({"any": texts})).unwrap(),
        "expected at most 256 terms",
    );
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn patterns() {
    let text = |count: usize| vec!["tag:x?"; count].join(" or ");
    accepted(&format!("{} tag:x name=* name contains *", text(Expr::MAX_PATTERNS)));
    let at = text(Expr::MAX_PATTERNS).len() + " or ".len();
    refused(&text(Expr::MAX_PATTERNS + 1), "expected at most 100 patterns, found `tag:x?` after", at);
    refused_json(
        &json!({"any": vec![json!({"tag": "*x"}); Expr::MAX_PATTERNS + 1]}),
        "expected at most 100 patterns",
    );
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn values_and_names() {
    let long = |count: usize| "é".repeat(count);
    accepted(&format!("tag:{}", long(Expr::MAX_VALUE)));
    accepted(&format!("meta.{}:x", long(Expr::MAX_VALUE)));
    refused(
        &format!("tag:a tag:{}", long(Expr::MAX_VALUE + 1)),
        "a value holds at most 256 characters at byte",
        10,
    );
    refused(&format!("meta.{}:x", long(Expr::MAX_VALUE + 1)), "a name holds at most 256 characters", 519 + 1);
    refused_json(&json!({"tag": long(Expr::MAX_VALUE + 1)}), "tag: a value holds at most 256 characters");
    let error = Term::new(Field::Tag, Op::Equals, long(Expr::MAX_VALUE + 1)).unwrap_err();
    assert_eq!(error.to_string(), "a value holds at most 256 characters");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_message_quotes_little_and_on_one_line() {
    let source = format!("tag:{} {}:y", "a".repeat(200), "x".repeat(5_000));
    let error = source.parse::<Expr>().unwrap_err().to_string();
    assert!(error.len() < 400, "{error}");
    let error = "tag:\"a\n\u{1b}b\" )\u{85}".parse::<Expr>().unwrap_err().to_string();
    assert_eq!(error, "expected `and`, `or` or a term, found `)` after `tag:\"a  b\"` at byte 11");
}
