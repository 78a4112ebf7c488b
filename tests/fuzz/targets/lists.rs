//! The lists of a server, parsed in one pass.

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, Source},
};
use mcp_sieve_gateway::config::Config;
use serde_json::value::RawValue;

use super::{sample, text};
use crate::{corpus, refusal, target::Target};

pub const TARGET: Target = Target { mutations: 4_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "\"tools\"",
    "\"resources\"",
    "\"resourceTemplates\"",
    "\"prompts\"",
    "\"result\"",
    "\"name\"",
    "\"uri\"",
    "\"uriTemplate\"",
    "\"inputSchema\"",
    "\"groups\"",
    "\"tags\"",
    "\"_meta\"",
    "\"annotations\"",
    "\"concerns\"",
    "\"dev.mcpsieve/groups\"",
    "\"io.modelcontextprotocol/tags\"",
    "\"priority\"",
    "\"x-mcp-header\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "\"\\ud800\"",
    "1e999",
];
const RULES: &str = r#"{"rules":[{"match":"name:*a* or description:*e*","groups":["g"],"tags":["t"]},
    {"match":"priority>0.5 or annotation.readOnlyHint=true","hide":true}]}"#;

fn seeds() -> Vec<Vec<u8>> {
    corpus::under("lists").iter().map(corpus::bytes).chain([sample::world("office").0.into_bytes()]).collect()
}

fn holds(bytes: &[u8]) -> String {
    let source = text(bytes);
    let read = Lists::read(&source);
    // Only the syntax is compared: a number beyond the range of a double is JSON, and so is half a surrogate pair.
    let json = serde_json::from_str::<&RawValue>(&source).is_ok();
    let lists = match read {
        Ok(lists) => lists,
        Err(error) => {
            assert!(error.code() != "catalog" || json, "{error}");
            return refusal::of(&source, &error);
        }
    };
    let listed = Kind::ALL.map(|kind| lists.primitives(kind).len());
    let config = Config::parse(RULES).unwrap();
    let catalog = Catalog::compile(&[Source { server: "s", lists }], &config.engine.assignments);
    // Owned lists, which are rewritten in place, compile to the same catalog; so does a snapshot of it.
    let taken = Source { server: "s", lists: Lists::take(source.clone()).unwrap() };
    let taken = Catalog::keep(taken, &config.engine.assignments);
    assert_eq!(taken.hash(), catalog.hash());
    assert_eq!(Catalog::restore(taken.snapshot()).unwrap().snapshot(), catalog.snapshot());
    let kept = Kind::ALL.map(|kind| kept(&catalog, kind));
    assert!(kept.iter().zip(listed).all(|(kept, listed)| *kept <= listed));
    format!("{kept:?} of {listed:?}, {} reports", catalog.reports().len().min(3))
}

/// Asserts that each primitive of an index is JSON under its own name; returns their number.
fn kept(catalog: &Catalog, kind: Kind) -> usize {
    let kind_index = catalog.kind_index(kind);
    for at in 0..kind_index.len() {
        let (bytes, id) = (kind_index.bytes(at).unwrap(), kind_index.id(at).unwrap());
        let members: std::collections::BTreeMap<String, &RawValue> =
            serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{error}: {}", bytes.escape_ascii()));
        let named: String = serde_json::from_str(members[kind.id_key()].get()).unwrap();
        assert_eq!(named, id);
        assert_eq!(kind_index.find(id), Some(at), "{id} is found elsewhere");
    }
    kind_index.len()
}
