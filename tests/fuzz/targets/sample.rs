//! A sample catalog that uses every feature, for filters to select from.

use std::sync::LazyLock;

use mcp_sieve::{
    Filter, Kind,
    catalog::{Bitset, Catalog, Lists, Source},
    expr::NoCaller,
    filter::{Narrowing, Selection, SettledFilter},
    policy::{Guarded, View},
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

/// Returns the lists and the configuration of an entry of `worlds.json`.
pub fn world(name: &str) -> (String, Value) {
    let worlds: Value = serde_json::from_str(include_str!("../../fixtures/worlds.json")).unwrap();
    let world = &worlds[name];
    (world["lists"].to_string(), world.get("config").cloned().unwrap_or_else(|| json!({})))
}

static OFFICE: LazyLock<(Config, Guarded)> = LazyLock::new(|| {
    let (lists, config) = world("office");
    let config = Config::parse(&config.to_string()).unwrap();
    let source = Source { server: "office", lists: Lists::read(&lists).unwrap() };
    let catalog = Catalog::compile(&[source], &config.engine.assignments);
    let guarded = Guarded::new(catalog, config.engine.policies.clone());
    (config, guarded)
});

/// Applies a filter to the catalog and returns how much of each kind it selects.
pub fn narrowed(filter: &Filter) -> String {
    let (config, guarded) = &*OFFICE;
    let view = guarded.view(&NoCaller);
    let Ok(SettledFilter { narrowing, .. }) =
        filter.clone().settle(&view, &config.engine.concerns, config.engine.on_invalid_concern, Vec::new())
    else {
        return "settles to nothing".to_owned();
    };
    let counts = Kind::ALL.map(|kind| {
        let mut selection = Selection::default();
        let visible = view.bits(kind);
        let bits = view.select(&narrowing, kind, &mut selection);
        assert!(!bits.exceeds(visible), "shows what may not be seen");
        let room = filter.limit.count.map_or(usize::MAX, |count| count as usize);
        assert!(bits.count() <= room, "more than {:?}", filter.limit);
        explained(&view, &narrowing, kind, bits);
        bits.count().to_string()
    });
    format!("shows {}", counts.join(", "))
}

/// Asserts that `explain` agrees with the selection.
fn explained(view: &View, narrowing: &Narrowing, kind: Kind, bits: &Bitset) {
    let kind_index = view.catalog().kind_index(kind);
    for at in 0..kind_index.len() {
        let told = view.explain(narrowing, kind, kind_index.id(at).unwrap());
        assert_eq!(told.shown, bits.contains(at), "{told:?}");
        assert_eq!(told.shown, told.reason.is_none(), "{told:?}");
    }
}
