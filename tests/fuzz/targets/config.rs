//! `sieve.jsonc`: comments, trailing commas, and every setting of an operator.

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, Source},
    expr::NoCaller,
    json::Raw,
    policy::Guarded,
};
use mcp_sieve_gateway::config::Config;

use super::{sample, text};
use crate::{corpus, refusal, target::Target};

pub const TARGET: Target = Target { mutations: 4_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "\"rules\"",
    "\"match\"",
    "\"groups\"",
    "\"tags\"",
    "\"concerns\"",
    "\"values\"",
    "\"policies\"",
    "\"show\"",
    "\"hide\"",
    "\"name\"",
    "\"server\"",
    "\"pageSize\"",
    "\"upstream\"",
    "\"enforce\"",
    "\"onInvalidConcern\"",
    "\"filtering\"",
    "\"mail\"",
    "// c\n",
    "/* c */",
    "/*",
    "*/",
    ",",
    "{",
    "}",
    "[",
    "]",
    ":",
    "true",
    "null",
    "\"kind:tool -tag:x\"",
];

fn seeds() -> Vec<Vec<u8>> {
    corpus::under("config")
        .iter()
        .map(corpus::bytes)
        .chain([include_bytes!("../../../examples/tracker/src/sieve.jsonc").to_vec()])
        .collect()
}

fn holds(bytes: &[u8]) -> String {
    let source = text(bytes);
    if let Ok(plain) = Raw::strip_comments(&source) {
        assert_eq!(plain.len(), source.len(), "a byte has moved");
    }
    let config = match Config::parse(&source) {
        Ok(config) => config,
        Err(error) => return refusal::of(&source, &error),
    };
    let (lists, _) = sample::world("office");
    let source = Source { server: "office", lists: Lists::read(&lists).unwrap() };
    let catalog = Catalog::compile(&[source], &config.engine.assignments);
    let reports = catalog.reports().len();
    let view = Guarded::new(catalog, config.engine.policies).view(&NoCaller);
    let counts = Kind::ALL.map(|kind| {
        let kind_index = view.catalog().kind_index(kind);
        for at in 0..kind_index.len() {
            let bytes = kind_index.bytes(at).unwrap();
            assert!(
                serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok(),
                "{}",
                bytes.escape_ascii()
            );
        }
        format!("{} of {}", view.count(kind), kind_index.len())
    });
    format!("shows {}; {} reports", counts.join(", "), reports.min(2))
}
