//! The corpus of a fuzz target: its files, and values from the rows of the fixtures.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::target::Target;

fn fixtures() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures"].iter().collect()
}

/// Returns the inputs of a target: its files, then its seeds.
pub fn of(name: &str, target: &Target) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = match fs::read_dir(fixtures().join("fuzz").join(name)) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => Vec::new(),
    };
    paths.sort();
    let mut inputs: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    inputs.extend((target.seeds)());
    assert!(!inputs.is_empty(), "{name} has nothing to start from");
    inputs
}

/// Stores a failing input in the corpus, so that every later run tries it first.
pub fn keep(name: &str, input: &[u8]) -> PathBuf {
    let folder = fixtures().join("fuzz").join(name);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("failed-{:016x}", xxhash_rust::xxh64::xxh64(input, 0)));
    fs::write(&path, input).unwrap();
    path
}

/// Returns every value of the member `key` in any fixture row, whatever its purpose.
pub fn under(key: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for entry in fs::read_dir(fixtures()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let rows: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            collect(&rows, key, &mut found);
        }
    }
    found
}

fn collect(value: &Value, key: &str, found: &mut Vec<Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, key, found)),
        Value::Object(members) => {
            found.extend(members.get(key).cloned());
            members.values().for_each(|value| collect(value, key, found));
        }
        _ => {}
    }
}

/// Returns the bytes of a text, or the JSON of any other value.
pub fn bytes(value: &Value) -> Vec<u8> {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes()
}
