//! Generated tool lists, equal on every machine: the same kind as `benches/generate.mjs` makes, with another seed.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::random::Random;

const VERBS: [&str; 10] =
    ["create", "update", "list", "search", "get", "delete", "move", "merge", "assign", "export"];
const NOUNS: [&str; 10] = [
    "issue",
    "comment",
    "invoice",
    "calendar_event",
    "customer",
    "branch",
    "deployment",
    "message",
    "photo",
    "route",
];
const ARGUMENTS: [&str; 10] =
    ["title", "body", "limit", "cursor", "assignee", "labels", "since", "until", "format", "locale"];
const CONCERNS: [(&str, &[&str]); 4] = [
    ("security", &["low", "medium", "high"]),
    ("cost", &["minimal", "moderate", "high"]),
    ("performance", &["fast", "slow"]),
    ("lifecycle", &["production", "preview"]),
];
const GROUPS: usize = 24;
const TAGS: usize = 30;

/// Returns the result of `tools/list` with `count` tools of about 960 bytes each.
pub fn whole(count: usize) -> String {
    let random = &mut Random::new(1);
    json!({ "tools": (0..count).map(|at| tool(at, random)).collect::<Vec<_>>() }).to_string()
}

/// Returns the same with only names, schemas, groups and tags, so that memberships make up most of the bytes.
pub fn short(count: usize) -> String {
    let random = &mut Random::new(1);
    let mut lists = r#"{"tools":["#.to_owned();
    for at in 0..count {
        let comma = if at == 0 { "" } else { "," };
        let (groups, tags) = (quoted(&groups(random)), quoted(&tags(random)));
        _ = write!(
            lists,
            r#"{comma}{{"name":"tool_{at}","inputSchema":{{"type":"object"}},"groups":[{groups}],"tags":[{tags}]}}"#
        );
    }
    lists.push_str("]}");
    lists
}

/// Returns the names as the elements of a JSON array, without its brackets.
fn quoted(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("\"{}\"", names.join("\",\"")) }
}

fn tool(at: usize, random: &mut Random) -> Value {
    let (verb, noun) = (*random.pick(&VERBS), *random.pick(&NOUNS));
    let thing = noun.replace('_', " ");
    let mut properties = Map::new();
    for _ in 0..4 {
        let name = *random.pick(&ARGUMENTS);
        let words = format!("The {name} to use; left out, the server's own choice for this account applies.");
        let property = match random.one_in(2) {
            true => json!({"type": "string", "description": words, "maxLength": 200}),
            false => json!({"type": "integer", "description": words, "minimum": 0}),
        };
        properties.insert(name.to_owned(), property);
    }
    let required: Vec<Value> = properties.keys().take(1).map(|name| name.as_str().into()).collect();
    let mut concerns = Map::new();
    for (name, values) in &CONCERNS {
        if random.one_in(2) {
            concerns.insert((*name).to_owned(), (*random.pick(values)).into());
        }
    }
    let mut tool = Map::new();
    tool.insert("name".to_owned(), format!("{verb}_{noun}_{at}").into());
    tool.insert("title".to_owned(), format!("{verb} {thing}").into());
    let description = format!(
        "{verb}s one {thing} in the workspace of the caller and returns what became of it, with its identifier, its \
        state and the time of the last change."
    );
    tool.insert("description".to_owned(), description.into());
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    tool.insert("inputSchema".to_owned(), schema);
    tool.insert("annotations".to_owned(), json!({"readOnlyHint": random.one_in(2), "openWorldHint": false}));
    tool.insert("groups".to_owned(), json!(groups(random)));
    tool.insert("tags".to_owned(), json!(tags(random)));
    tool.insert("_meta".to_owned(), json!({ "concerns": concerns }));
    Value::Object(tool)
}

/// Draws the groups of a tool: one or two.
fn groups(random: &mut Random) -> Vec<String> {
    let mut groups = vec![random.below(GROUPS)];
    if random.one_in(4) {
        groups.push(random.below(GROUPS));
    }
    groups.dedup();
    groups.into_iter().map(|group| format!("group-{group}")).collect()
}

/// Draws the tags of a tool: each of thirty with probability 0.1, and `stable` with probability 0.8.
fn tags(random: &mut Random) -> Vec<String> {
    let mut tags: Vec<String> =
        (0..TAGS).filter(|_| random.one_in(10)).map(|tag| format!("tag-{tag}")).collect();
    if !random.one_in(5) {
        tags.push("stable".to_owned());
    }
    tags
}
