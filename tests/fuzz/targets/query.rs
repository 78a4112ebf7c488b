//! The filter in a URL's query.

use mcp_sieve::{Filter, concern::Configuration, filter::ParsedFilter};

use super::{sample, text};
use crate::{corpus, refusal, target::Target};

pub const TARGET: Target = Target { mutations: 10_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "groups=",
    "tags=",
    "not.groups=",
    "not.tags=",
    "namePatterns=",
    "uriPatterns=",
    "limit.count=",
    "limit.tokens=",
    "fields=",
    "applyDefaults=true",
    "concern.",
    "concern.cost=",
    "q=",
    "query=",
    "&",
    "=",
    ",",
    "%",
    "%2C",
    "%26",
    "%C3%A9",
    "%ff",
    "+",
    "mail",
    "calendar",
    "destructive",
    "name:*",
    "-tag:x",
    "%22",
    ";",
];

fn seeds() -> Vec<Vec<u8>> {
    corpus::under("query").iter().map(corpus::bytes).collect()
}

fn holds(bytes: &[u8]) -> String {
    let source = text(bytes);
    match Filter::from_query(&source) {
        Ok(ParsedFilter { filter, ignored, .. }) => {
            assert!(ignored.len() <= Filter::MAX_UNKNOWN);
            assert!(
                filter.groups.len() <= Configuration::MAX_VALUES
                    && filter.tags.len() <= Configuration::MAX_VALUES
            );
            let canonical = String::from_utf8(filter.canonical()).unwrap();
            let again = Filter::parse(&canonical).expect("a query asks for nothing that JSON cannot").filter;
            assert_eq!(again.hash(), filter.hash());
            sample::narrowed(&filter)
        }
        Err(error) => refusal::kind(&error),
    }
}
