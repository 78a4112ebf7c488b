//! The JSON form of the expression language, in which parts may be texts.

use mcp_sieve::{expr::Expr, json::Raw};
use serde_json::Value;

use super::{expression_text, text, tree};
use crate::{corpus, refusal, target::Target};

pub const TARGET: Target = Target { mutations: 10_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "\"all\"",
    "\"any\"",
    "\"not\"",
    "\"tag\"",
    "\"group\"",
    "\"name\"",
    "\"concern\"",
    "\"concern.cost\"",
    "\"meta\"",
    "\"priority\"",
    "\"client.version\"",
    "\"scope\"",
    "\"<\"",
    "\">=\"",
    "\"=\"",
    "\"!=\"",
    "\":\"",
    "\"contains\"",
    "\"starts\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "1e3",
    "-0.5",
    "true",
    "\"\\ud800\"",
    "\"tag:a or -tag:b\"",
];

/// Returns the rows in this form, and the JSON form of those that are texts.
fn seeds() -> Vec<Vec<u8>> {
    let written = ["source", "match", "show", "where"].map(corpus::under).concat();
    let written = written.into_iter().filter(Value::is_object).map(|value| corpus::bytes(&value));
    let read = (expression_text::TARGET.seeds)();
    let read = read.iter().filter_map(|source| text(source).parse::<Expr>().ok()).map(|tree| tree.json());
    written.chain(read).collect()
}

fn holds(bytes: &[u8]) -> String {
    let source = text(bytes);
    let Ok(raw) = Raw::parse(&source) else { return "no JSON".to_owned() };
    match Expr::from_json(raw) {
        Ok(read) => tree::holds(&read),
        Err(error) => {
            assert_eq!(error.code(), "expression");
            // A position within an inner text counts from the start of that text.
            assert!(error.at().is_none_or(|at| at <= source.len()), "{error}");
            refusal::kind(&error)
        }
    }
}
