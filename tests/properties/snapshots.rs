//! Snapshots: a restored catalog equals the original, and no bytes make the engine panic.

use mcp_sieve::{
    Kind,
    catalog::{Bitset, Catalog, Lists, Source},
    expr::{Field, Subject},
};
use mcp_sieve_gateway::config::Config;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cases;

/// The position of the checksum; the bytes that it covers follow.
const SUM: usize = 16;

fn small() -> Catalog {
    let lists = r#"{"tools":[
        {"name":"a","inputSchema":{},"groups":["x"],"_meta":{"concerns":{"cost":["low","high"]}}},
        {"name":"b\n","inputSchema":{},"tags":["t","u"]},
        {"name":"bound","inputSchema":{"properties":{"x":{"type":"string","x-mcp-header":"X"},"y":{},"z":{"properties":{"w":{}}}}}}, {"name":"hidden","inputSchema":{}}, 7],
        "resources":[{"uri":"r:1","name":"r"}],"prompts":[{"name":"a","groups":["x","y"]},{"name":"a"}]}"#;
    let config = r#"{"groups":[{"name":"x","title":"X","parent":"z"},{"name":"z"}],"tags":[{"name":"t"}],
        "rules":[{"match":"name:hidden","hide":true},{"match":"kind:prompt","name":"renamed"},
            {"match":"name:bound","bind":{"x":{"claim":"a"},"y":{"header":"b"},"z.w":{"const":[1]}}}]}"#;
    let config = Config::parse(config).unwrap();
    let source = Source { server: "s", lists: Lists::read(lists).unwrap() };
    Catalog::compile(&[source], &config.engine.assignments)
}

/// Returns all observable content of a catalog as text.
fn told(catalog: &Catalog) -> String {
    let mut told = format!(
        "{:x} {:?} {:?} {:?} {:?}",
        catalog.hash(),
        catalog.groups(),
        catalog.tags(),
        catalog.reports(),
        catalog.collisions()
    );
    for kind in Kind::ALL {
        let kind_index = catalog.kind_index(kind);
        let tokens = catalog.tokens(kind, &Bitset::all(kind_index.len()));
        told += &format!("\n{kind} {:?} {tokens:?}", kind_index.hidden().collect::<Vec<_>>());
        for index in 0..kind_index.len() {
            let primitive = catalog.primitive(kind, index).unwrap();
            let id = kind_index.id(index).unwrap_or_default();
            told += &format!(
                "\n{:?}",
                (id, kind_index.find(id), kind_index.own_id(index), kind_index.server(index))
            );
            told += &format!("{:?}", kind_index.bytes(index).map(String::from_utf8_lossy));
            told += &format!("{:?}{:?}", primitive.groups(), primitive.tags());
            told += &format!("{:?}", kind_index.bound(index));
            for field in ["concern.cost", "title", "meta.a", "annotation.b"] {
                primitive.values(&field.parse::<Field>().unwrap(), &mut |value| told += value);
            }
            told += &format!("{:?}", catalog.tokens_of(kind, index));
        }
    }
    told
}

/// Returns the code and message with which a snapshot is rejected.
fn refused(bytes: &[u8]) -> (&'static str, String) {
    let error = Catalog::restore(bytes).unwrap_err();
    (error.code(), error.to_string())
}

#[test]
fn what_is_no_snapshot_is_refused() {
    let good = small().snapshot();
    let said = |text: &str| ("snapshot", text.to_owned());
    assert_eq!(refused(b""), said("the snapshot is not a snapshot of a catalog"));
    assert_eq!(refused(b"{\"tools\":[]}"), said("the snapshot is not a snapshot of a catalog"));
    assert_eq!(refused(&good[..20]), said("the snapshot is cut off at byte 20"));

    let mut other = good.clone();
    other[8] += 1;
    let next = Catalog::SNAPSHOT_VERSION + 1;
    let message = format!(
        "the snapshot is of format {next}, expected {snapshot_version}: make it anew",
        snapshot_version = Catalog::SNAPSHOT_VERSION
    );
    assert_eq!(refused(&other), said(&message));

    for at in SUM..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        assert_eq!(refused(&bytes), said("the snapshot is damaged: its checksum is that of other bytes"));
        assert_eq!(refused(&good[..at]).0, "snapshot");
    }
}

#[test]
fn a_snapshot_keeps_counts_and_configuration() {
    let counts = format!(r#"{{"catalog":"{:032x}","tokens":{{"tool":{{"a":3}}}}}}"#, small().hash());
    let catalog = small().with_tokens(&counts).unwrap();
    let (restored, config) = Catalog::restore_under(catalog.snapshot_under("{ /* kept */ }")).unwrap();
    assert_eq!(config, "{ /* kept */ }");
    assert_eq!(restored.tokens_of(Kind::Tool, 0), catalog.tokens_of(Kind::Tool, 0));
    assert!(restored.tokens_of(Kind::Tool, 0).unwrap().exact);
    assert!(!restored.tokens_of(Kind::Tool, 1).unwrap().exact);
}

/// Generates lists with more primitives than the bits of a word, some of them invalid, with or without white space.
fn lists() -> impl Strategy<Value = String> {
    let names = |most| prop::collection::vec("[a-cé\"]{1,2}", 0..most);
    let tool = ("[a-e\"\\\\é]{0,2}[0-9]{1,2}", names(3), names(4), prop::option::of("[x-z]"), any::<bool>());
    let tool = tool.prop_map(|(name, groups, tags, cost, sound)| {
        let schema = if sound { json!({}) } else { json!(1) };
        json!({"name": name, "inputSchema": schema, "groups": groups, "tags": tags, "_meta": {"concerns": {"cost": cost}}})
    });
    let kinds = (prop::collection::vec(tool, 0..150), names(70), any::<bool>());
    kinds.prop_map(|(tools, prompts, tight)| {
        let prompts: Vec<Value> = prompts.into_iter().map(|name| json!({"name": name})).collect();
        let lists = json!([{"prompts": prompts}, {"tools": tools}]);
        if tight { lists.to_string() } else { serde_json::to_string_pretty(&lists).unwrap() }
    })
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn what_comes_back_is_what_went_in(source in lists()) {
        let lists = Lists::read(&source).unwrap();
        let catalog = Catalog::compile(&[Source { server: "s", lists }], &Default::default());
        let snapshot = catalog.snapshot();
        let restored = Catalog::restore(snapshot.clone()).unwrap();
        prop_assert_eq!(told(&restored), told(&catalog));
        // The snapshot of a restored catalog is the same, although its text is elsewhere in memory.
        prop_assert_eq!(restored.snapshot(), snapshot);
    }
}
