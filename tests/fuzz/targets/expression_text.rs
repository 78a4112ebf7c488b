//! The text form of the expression language.

use mcp_sieve::expr::Expr;

use super::{text, tree};
use crate::{corpus, refusal, target::Target};

pub const TARGET: Target = Target { mutations: 10_000, seeds, words: WORDS, holds };

pub const WORDS: &[&str] = &[
    "name:",
    "tag:",
    "group:",
    "kind:tool",
    "concern.cost",
    "header.x-team",
    "meta.a/b.c",
    "annotation.readOnlyHint",
    "client.version",
    "scope",
    "priority>=0.5",
    "lastModified<2026-07-28T12:00:00Z",
    " and ",
    " or ",
    "not ",
    "-",
    "(",
    ")",
    "\"",
    "\\\"",
    "*",
    "?",
    "=",
    "!=",
    "<=",
    ">=",
    " contains ",
    " starts ",
    "\u{a0}",
    "\u{3000}",
    "é",
];

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = ["source", "canonical", "match", "show", "where"]
        .map(corpus::under)
        .concat()
        .iter()
        .filter(|value| value.is_string())
        .map(corpus::bytes)
        .collect();
    seeds.sort();
    seeds.dedup();
    seeds
}

fn holds(bytes: &[u8]) -> String {
    let source = text(bytes);
    match source.parse::<Expr>() {
        Ok(read) => tree::holds(&read),
        Err(error) => {
            assert_eq!(error.code(), "expression");
            assert!(error.at().is_some_and(|at| at <= Expr::MAX_SOURCE), "{error}");
            refusal::of(&source, &error)
        }
    }
}
