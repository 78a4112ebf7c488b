//! Bound parameters of random schemas: no listed schema names one, and the others stay.

use std::collections::BTreeSet;

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, Source},
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Map, Value, json};

use crate::random::Random;

const NAMES: [&str; 4] = ["a", "b", "c.d", "e"];
/// Depth to which the oracle follows references and branches.
const DEPTH: usize = 5;

fn schema(random: &mut Random, depth: usize) -> Value {
    let mut schema = Map::new();
    if depth > 0 && random.one_in(6) {
        schema.insert("$ref".to_owned(), json!(random.pick(&["#/$defs/X", "#/$defs/Y"])));
    }
    let count = random.below(3);
    let mut properties = Map::new();
    for _ in 0..count {
        let inner = if depth < 3 { self::schema(random, depth + 1) } else { json!({"type": "string"}) };
        properties.insert((*random.pick(&NAMES)).to_owned(), inner);
    }
    let required: Vec<&str> = NAMES.into_iter().filter(|_| random.one_in(3)).collect();
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(required));
    if random.one_in(4) {
        schema.insert("dependentRequired".to_owned(), json!({"a": ["b", "e"], "b": ["a"]}));
    }
    if depth < 3 && random.one_in(3) {
        let branches: Vec<Value> = (0..2).map(|_| self::schema(random, depth + 1)).collect();
        schema.insert((*random.pick(&["allOf", "anyOf", "oneOf"])).to_owned(), json!(branches));
    }
    if depth < 3 && random.one_in(5) {
        schema.insert("if".to_owned(), self::schema(random, depth + 1));
    }
    Value::Object(schema)
}

/// Adds the paths of all parameters that a schema names, and those that it requires.
fn paths(root: &Value, schema: &Value, at: &[String], depth: usize, found: &mut BTreeSet<Vec<String>>) {
    if depth > DEPTH {
        return;
    }
    let below = |key: &str| at.iter().cloned().chain([key.to_owned()]).collect::<Vec<_>>();
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        found.insert(below(key));
        paths(root, inner, &below(key), depth + 1, found);
    }
    let needed = schema["dependentRequired"].as_object().into_iter().flatten();
    let needed = needed.flat_map(|(key, names)| {
        let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
        names.map(str::to_owned).chain([key.clone()]).collect::<Vec<_>>()
    });
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    found.extend(required.map(str::to_owned).chain(needed).map(|key| below(&key)));
    for key in ["allOf", "anyOf", "oneOf"] {
        let branches = schema[key].as_array().into_iter().flatten();
        branches.for_each(|branch| paths(root, branch, at, depth + 1, found));
    }
    for key in ["if", "then", "else"] {
        paths(root, &schema[key], at, depth + 1, found);
    }
    if let Some(target) = schema["$ref"].as_str().and_then(|pointer| root.pointer(pointer.strip_prefix('#')?))
    {
        paths(root, target, at, depth + 1, found);
    }
}

fn of(schema: &Value) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    paths(schema, schema, &[], 0, &mut found);
    found
}

#[test]
fn no_listed_schema_names_a_bound_parameter() {
    let (mut listed, mut left_out) = (0, 0);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut input = schema(&mut random, 0);
        input["type"] = json!("object");
        input["$defs"] = json!({"X": schema(&mut random, 2), "Y": schema(&mut random, 2)});
        let parameter = *random.pick(&["a", "b", "c.d", "a.b", "e.c.d", "a.e.b"]);
        let lists = json!({"tools": [{"name": "t", "inputSchema": input}]}).to_string();
        let config = json!({"rules": [{"match": "name:t", "bind": {parameter: {"const": 1}}}]}).to_string();
        let config = Config::parse(&config).unwrap();
        let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
        let catalog = Catalog::compile(&[source], &config.engine.assignments);
        let tools = catalog.kind_index(Kind::Tool);
        let Some(bytes) = tools.bytes(0) else {
            left_out += 1;
            continue;
        };
        listed += 1;
        let [bound] = tools.bound(0) else { panic!("seed {seed}: one argument is bound") };
        assert_eq!(bound.path.join("."), parameter, "seed {seed}");
        let tool: Value = serde_json::from_slice(bytes).unwrap();
        let (before, after) = (of(&input), of(&tool["inputSchema"]));
        assert!(after.iter().all(|path| !path.starts_with(&bound.path)), "seed {seed}: {tool}");
        // The others stay. A dependency of the bound parameter alone may name what nothing else does.
        let properties = |schema: &Value| -> BTreeSet<Vec<String>> {
            let mut schema = schema.clone();
            strip(&mut schema);
            of(&schema)
        };
        let (before_properties, after_properties) = (properties(&input), properties(&tool["inputSchema"]));
        let kept: BTreeSet<_> =
            before_properties.into_iter().filter(|path| !path.starts_with(&bound.path)).collect();
        assert_eq!(after_properties, kept, "seed {seed}: {input} became {tool}");
        assert!(after.is_subset(&before), "seed {seed}");
    }
    assert!(listed > 30 && left_out > 30, "{listed} listed, {left_out} left out");
}

/// Removes everything but properties.
fn strip(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|key, _| !["required", "dependentRequired"].contains(&key.as_str()));
            members.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}
