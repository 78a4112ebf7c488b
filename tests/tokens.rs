//! The tokens that a list takes in a model's context: estimated, or counted by an external tokenizer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use mcp_sieve::{
    Error, Kind,
    catalog::{Bitset, Catalog, Lists, Source, Tokens},
};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

fn compile(lists: &Value) -> Catalog {
    let text = lists.to_string();
    let source = Source { server: "s", lists: Lists::read(&text).unwrap() };
    Catalog::compile(&[source], &Default::default())
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

fn small() -> Catalog {
    compile(&json!({"tools": [tool("a"), tool("b"), tool("c")], "prompts": [{"name": "a"}]}))
}

/// Returns a file of token counts for a catalog.
fn counts(catalog: &Catalog, tokens: Value) -> String {
    json!({"catalog": format!("{:032x}", catalog.hash()), "tokens": tokens}).to_string()
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn an_estimate_is_near_the_count() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("fixtures/tokens.json")).unwrap();
    let (mut estimated, mut counted) = (0.0, 0.0);
    for row in &rows {
        let found = compile(&json!({"tools": [row["tool"]]})).tokens_of(Kind::Tool, 0).unwrap();
        assert!(!found.exact);
        let (found, exact) = (found.count as f64, row["o200k"].as_f64().unwrap());
        assert!((found / exact - 1.0).abs() < 0.15, "{}: {found} of {exact}", row["name"]);
        estimated += found;
        counted += exact;
    }
    assert!((estimated / counted - 1.0f64).abs() < 0.05, "{estimated} of {counted}");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn counts_take_the_place_of_estimates() {
    let catalog = small();
    let bits = |indices: &[usize]| {
        let mut bits = Bitset::none(3);
        indices.iter().for_each(|index| bits.insert(*index));
        bits
    };
    let guess = catalog.tokens_of(Kind::Tool, 1).unwrap().count;
    let given = counts(&catalog, json!({"tool": {"a": 7, "c": 11}}));
    let catalog = catalog.with_tokens(&given).unwrap();
    let of = |indices: &[usize]| catalog.tokens(Kind::Tool, &bits(indices));
    assert_eq!(of(&[]), Tokens { count: 0, exact: true });
    assert_eq!(of(&[0, 2]), Tokens { count: 18, exact: true });
    assert_eq!(of(&[0, 1]), Tokens { count: 7 + guess, exact: false });
    assert_eq!(catalog.tokens_of(Kind::Tool, 2), Some(Tokens { count: 11, exact: true }));
    assert_eq!(catalog.tokens_of(Kind::Tool, 3), None);
    // A prompt with the same name is another primitive.
    assert!(!catalog.tokens_of(Kind::Prompt, 0).unwrap().exact);
    // Counts are not part of the content that is hashed.
    assert_eq!(catalog.hash(), small().hash());
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn counts_of_something_else_are_refused() {
    let own = format!("{:032x}", small().hash());
    let refused = |text: &str| small().with_tokens(text).unwrap_err();
    let said = |error: &Error| (error.code(), error.to_string());
    let other = refused(r#"{"catalog":"00","tokens":{}}"#);
    assert_eq!(said(&other), ("tokens", format!("catalog: counts of the catalog `00`, expected `{own}`")));
    let rows = [
        (json!({"tool": {"d": 1}}), "tokens.tool: no tool is called `d`"),
        (json!({"tool": {"a": -1}}), "tokens.tool.a: expected a whole number from 0 to 4294967295"),
        (
            json!({"tools": {}}),
            "tokens.tools: unknown field `tools`, expected one of `tool`, `resource`, `template`, `prompt`, `skill`",
        ),
        (json!([]), "tokens: expected an object"),
    ];
    for (tokens, message) in rows {
        assert_eq!(said(&refused(&counts(&small(), tokens))), ("tokens", message.to_owned()));
    }
    assert_eq!(said(&refused(r#"{"catalog":""}"#)), ("tokens", "missing field `tokens`".to_owned()));
    assert_eq!(refused("{").code(), "json");
}
