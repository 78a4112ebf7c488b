//! Worlds as the fixture files describe them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// A world as it is written in either fixture file.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WorldFixture {
    pub like: Option<String>,
    pub lists: Value,
    pub config: Map<String, Value>,
    pub tokens: BTreeMap<String, Map<String, Value>>,
    pub completions: Option<bool>,
    #[serde(rename = "unlistedSkills")]
    pub unlisted_skills: Vec<Value>,
    /// The self-description of the upstream server.
    pub says: Option<Value>,
}

/// Reads a world from the fixture files. One with `like` takes the lists of that world and extends its configuration.
pub fn read_fixture(name: &str) -> WorldFixture {
    let own: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("../../fixtures/protocol-worlds.json")).unwrap();
    let common: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("../../fixtures/worlds.json")).unwrap();
    let found =
        own.get(name).or_else(|| common.get(name)).unwrap_or_else(|| panic!("no world is called {name}"));
    let mut world: WorldFixture = serde_json::from_value(found.clone()).unwrap();
    if let Some(like) = &world.like {
        let mut model = read_fixture(like);
        model.config.append(&mut world.config);
        (world.lists, world.config) = (model.lists, model.config);
        world.says = world.says.or(model.says);
    }
    world
}
