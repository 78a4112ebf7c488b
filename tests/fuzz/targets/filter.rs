//! The filter of a request, as JSON.

use mcp_sieve::{Filter, concern::Configuration, filter::ParsedFilter};

use super::{sample, text};
use crate::{corpus, refusal, target::Target};

pub const TARGET: Target = Target { mutations: 10_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "\"groups\"",
    "\"tags\"",
    "\"concerns\"",
    "\"where\"",
    "\"not\"",
    "\"namePatterns\"",
    "\"uriPatterns\"",
    "\"query\"",
    "\"limit\"",
    "\"count\"",
    "\"tokens\"",
    "\"fields\"",
    "\"description\"",
    "\"applyDefaults\"",
    "true",
    "1",
    "\"dev.mcpsieve/groups\"",
    "\"mail\"",
    "\"calendar\"",
    "\"destructive\"",
    "\"security\"",
    "\"cost\"",
    "\"high\"",
    "\"name:*\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
];

fn seeds() -> Vec<Vec<u8>> {
    ["filter", "filters"].map(corpus::under).concat().iter().map(corpus::bytes).collect()
}

fn holds(bytes: &[u8]) -> String {
    let source = text(bytes);
    match Filter::parse(&source) {
        Ok(ParsedFilter { filter, ignored, .. }) => {
            assert!(
                filter.groups.len() <= Configuration::MAX_VALUES
                    && filter.tags.len() <= Configuration::MAX_VALUES
            );
            // The canonical form has the same meaning.
            let canonical = String::from_utf8(filter.canonical()).unwrap();
            let ParsedFilter { filter: again, ignored: nothing, .. } =
                Filter::parse(&canonical).expect("the canonical form reads back");
            assert!(nothing.is_empty(), "{nothing:?} of {canonical}");
            assert_eq!((again.hash(), again.canonical()), (filter.hash(), filter.canonical()));
            assert_eq!(again.is_empty(), filter.is_empty());
            format!("{}, {} ignored", sample::narrowed(&filter), ignored.len().min(2))
        }
        Err(error) => refusal::of(&source, &error),
    }
}
