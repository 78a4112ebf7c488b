//! Snapshots of a catalog with arbitrary tables and a valid checksum: nothing may panic.

use mcp_sieve::{
    Digest, Kind,
    catalog::{Bitset, Catalog, Lists, Source},
    filter::Fields,
};
use mcp_sieve_gateway::config::Config;

use super::sample;
use crate::target::Target;

pub const TARGET: Target = Target { mutations: 10_000, seeds, words: WORDS, holds };

const WORDS: &[&str] =
    &["SIEVE\0\r\n", "\0\0\0\0\0\0\0\0", "\u{1}\0\0\0\0\0\0\0", "\u{7f}\u{7f}\u{7f}\u{7f}"];
/// The position of the checksum in a snapshot.
const SUM: std::ops::Range<usize> = 16..24;

fn seeds() -> Vec<Vec<u8>> {
    let small = r#"{"tools":[{"name":"a","inputSchema":{},"groups":["g"],"_meta":{"concerns":{"c":"v"}}},
        {"name":"b\n","inputSchema":{},"tags":["t"]}],"prompts":[{"name":"p"}]}"#;
    let rules = Config::parse(
        r#"{"groups":[{"name":"g","parent":"h"},{"name":"h"}],"rules":[{"match":"name:p","name":"q"}]}"#,
    );
    [small.to_owned(), sample::world("office").0]
        .iter()
        .map(|lists| {
            let source = Source { server: "s", lists: Lists::read(lists).unwrap() };
            Catalog::compile(&[source], &rules.as_ref().unwrap().engine.assignments).snapshot_under("{}")
        })
        .collect()
}

fn holds(bytes: &[u8]) -> String {
    let mut bytes = bytes.to_vec();
    if let Some(checked) = bytes.get(SUM.end..) {
        let sum = Digest::checksum(checked).to_le_bytes();
        bytes[SUM].copy_from_slice(&sum);
    }
    let (catalog, config) = match Catalog::restore_under(bytes) {
        Ok(restored) => restored,
        Err(error) => {
            assert_eq!(error.code(), "snapshot");
            return error.to_string().split(" at byte").next().unwrap_or_default().to_owned();
        }
    };
    let mut listed = 0;
    for kind in Kind::ALL {
        let kind_index = catalog.kind_index(kind);
        let all = Bitset::all(kind_index.len());
        let mut page = Vec::new();
        assert_eq!(Fields::write_page(kind_index, &all, &Fields::default(), 0, usize::MAX, &mut page), None);
        for at in 0..kind_index.len() {
            let primitive = catalog.primitive(kind, at).unwrap();
            _ = (
                primitive.groups(),
                primitive.tags(),
                primitive.concern("c"),
                kind_index.own_id(at),
                kind_index.server(at),
            );
            _ = kind_index.id(at).map(|id| kind_index.find(id));
            assert!(kind_index.bytes(at).is_some_and(|bytes| !bytes.is_empty()));
        }
        assert!(kind_index.find("nobody's").is_none_or(|at| at < kind_index.len()));
        listed += catalog.tokens(kind, &all).count.min(1);
    }
    // A restored catalog can be written to a snapshot and restored again.
    assert_eq!(Catalog::restore(catalog.snapshot_under(&config)).unwrap().snapshot(), catalog.snapshot());
    format!("{listed} kinds, {}", catalog.reports().len().min(3))
}
