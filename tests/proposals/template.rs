//! Placeholders of rows: `$block`, `$key`, `$answer`, `$tools` and `$paragraph`.

use serde_json::{Value, json};

use super::row::Row;

/// The words that a row runs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Those of the project, in `own`.
    Own,
    /// Those of the printed text.
    Printed,
}

/// Fills in placeholders: `block` returns the JSON of the row with this name.
pub struct Template<'a> {
    pub rows: &'a [Row],
    pub row: &'a Row,
    pub block: &'a dyn Fn(&Row) -> Option<Value>,
}

impl Template<'_> {
    /// Returns `template` with every placeholder replaced.
    pub fn fill(&self, template: &Value) -> Value {
        match template {
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => {
                let text = |key: &str| members.get(key).and_then(Value::as_str);
                let row = || match text("of") {
                    None => self.row,
                    Some(name) => self.rows.iter().find(|row| row.name == name).unwrap_or_else(|| {
                        panic!("{}: no row is called {name}", self.row.name);
                    }),
                };
                if let Some(pointer) = text("$block") {
                    return self.part(&self.json(row()), pointer);
                }
                if let Some(at) = members.get("$key").and_then(Value::as_u64) {
                    return self.key(&self.json(row()), at);
                }
                if let Some(pointer) = text("$answer") {
                    let answer = row().answer.clone().unwrap_or_default();
                    return self.part(&self.fill(&answer), pointer);
                }
                if let Some(pointer) = text("$tools") {
                    return tools(&self.part(&self.json(row()), pointer));
                }
                if let Some(at) = members.get("$paragraph").and_then(Value::as_u64) {
                    return self.paragraph(&self.fill(&members["from"]), at);
                }
                members.iter().map(|(key, value)| (key.clone(), self.fill(value))).collect()
            }
            other => other.clone(),
        }
    }

    fn json(&self, row: &Row) -> Value {
        (self.block)(row).unwrap_or_else(|| panic!("{}: {} has no JSON", self.row.name, row.name))
    }

    fn key(&self, value: &Value, at: u64) -> Value {
        let key = value.as_object().and_then(|members| members.keys().nth(at as usize));
        key.unwrap_or_else(|| panic!("{}: {value} has no key {at}", self.row.name)).as_str().into()
    }

    /// Returns a paragraph of a text; paragraphs are separated by blank lines.
    fn paragraph(&self, text: &Value, at: u64) -> Value {
        let paragraph = text.as_str().and_then(|text| text.split("\n\n").nth(at as usize));
        paragraph.unwrap_or_else(|| panic!("{}: {text} has no paragraph {at}", self.row.name)).into()
    }

    /// Returns the part of a value at a JSON pointer, in which `#n` is the n-th member of an object.
    fn part(&self, value: &Value, pointer: &str) -> Value {
        let part = pointer.split('/').skip(1).try_fold(value, |value, step| match step.strip_prefix('#') {
            Some(at) => value.as_object()?.values().nth(at.parse().ok()?),
            None => value.pointer(&format!("/{step}")),
        });
        part.unwrap_or_else(|| panic!("{}: nothing at {pointer} in {value}", self.row.name)).clone()
    }
}

/// Returns tools with the names in an array, or the keys of an object, and nothing else.
fn tools(names: &Value) -> Value {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    match names {
        Value::Object(members) => members.keys().map(|name| tool(name)).collect(),
        other => other.as_array().into_iter().flatten().filter_map(Value::as_str).map(tool).collect(),
    }
}

/// Returns whether `template` has a placeholder called `key` anywhere.
pub fn mentions(template: &Value, key: &str) -> bool {
    match template {
        Value::Array(items) => items.iter().any(|item| mentions(item, key)),
        Value::Object(members) => {
            members.contains_key(key) || members.values().any(|value| mentions(value, key))
        }
        _ => false,
    }
}

/// Returns the structure of a value: the types of all members, in the order of their keys, without the words.
pub fn shape(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut shapes: Vec<Value> = members.values().map(shape).collect();
            shapes.sort_by_key(Value::to_string);
            json!({ "object": shapes })
        }
        Value::Array(items) => json!({"array": items.iter().map(shape).collect::<Vec<_>>()}),
        Value::String(_) => json!("string"),
        Value::Number(_) => json!("number"),
        Value::Bool(_) => json!("boolean"),
        Value::Null => json!("null"),
    }
}
