//! Writes a JSON Schema without the parts that a plan removes.

use std::borrow::Cow;

use super::{
    choices::Choices,
    plan::{MAX_LEVEL, Plan},
    sentences::first_sentence,
};
use crate::json::{Members, Object, Raw};

/// Maximum length of a `default` that is kept, in bytes of JSON.
const MAX_DEFAULT: usize = 40;
/// Keywords whose value is a schema or an array of schemas.
const NESTED: [&str; 16] = [
    "items",
    "prefixItems",
    "additionalItems",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];
/// Keywords whose value is an object with a schema for each name.
const NAMED: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// Appends a schema without the parts that the plan removes. Members keep their order, and everything that is no schema
/// is copied.
pub(super) fn write(schema: Raw<'_>, level: u8, plan: &Plan, out: &mut Vec<u8>) {
    let Some(members) = Members::read(schema) else {
        return out.extend_from_slice(schema.get().as_bytes());
    };
    let choices = if plan.choices { Choices::long(&members) } else { None };
    let mut sentence = choices.as_ref().filter(|_| level < plan.drop_from).map(Choices::sentence);
    let has_description = members.get("description").is_some_and(is_text);
    let has_type = members.get("type").is_some();
    let mut object = Object::open(out);
    for (key, value) in &members.0 {
        match key.as_ref() {
            "examples" | "example" | "$comment" if plan.examples => {}
            "default" if plan.examples && value.get().len() > MAX_DEFAULT => {}
            "title" if plan.titles && is_text(*value) => {}
            "description" if is_text(*value) => {
                write_description(&mut object, *value, sentence.take(), (level, plan));
            }
            "enum" if choices.is_some() => {
                let shared = choices.as_ref().and_then(Choices::shared_type).filter(|_| !has_type);
                object.optional_text("type", shared);
                if let Some(sentence) = sentence.take_if(|_| !has_description) {
                    object.text("description", &sentence);
                }
            }
            name if NESTED.contains(&name) => write_each(*value, below(level), plan, object.value(name)),
            name if NAMED.contains(&name) => write_named(*value, below(level), plan, object.value(name)),
            name => object.raw(name, value.get().as_bytes()),
        }
    }
    object.close();
}

/// Returns the deepest level on which a schema has a description or a long list of values.
pub(super) fn deepest(schema: Raw<'_>, level: u8) -> u8 {
    let Some(members) = Members::read(schema) else { return 0 };
    let says = members.get("description").is_some() || members.get("enum").is_some();
    let mut found = if says { level } else { 0 };
    for (key, value) in &members.0 {
        let inner = match key.as_ref() {
            name if NESTED.contains(&name) => value.elements().unwrap_or_else(|| vec![*value]),
            name if NAMED.contains(&name) => {
                let named = Members::read(*value).unwrap_or_default();
                named.0.into_iter().map(|(_, schema)| schema).collect()
            }
            _ => continue,
        };
        inner.into_iter().for_each(|schema| found = found.max(deepest(schema, below(level))));
    }
    found
}

fn below(level: u8) -> u8 {
    (level + 1).min(MAX_LEVEL)
}

fn is_text(value: Raw<'_>) -> bool {
    value.has_type("string") == Some(true)
}

/// Writes a description as far as the plan keeps it, followed by the sentence that replaces a list of values.
fn write_description(
    object: &mut Object<'_>,
    value: Raw<'_>,
    sentence: Option<String>,
    (level, plan): (u8, &Plan),
) {
    if level >= plan.drop_from {
        return;
    }
    let Some(text) = value.text() else { return object.raw("description", value.get().as_bytes()) };
    let text = if level >= plan.cut_from { Cow::Borrowed(first_sentence(&text)) } else { text.clone() };
    match sentence {
        Some(sentence) => object.text("description", [text.trim_end(), " ", &sentence].concat().trim_start()),
        None => object.text("description", &text),
    }
}

/// Appends a schema or an array of schemas.
fn write_each(value: Raw<'_>, level: u8, plan: &Plan, out: &mut Vec<u8>) {
    match value.elements() {
        Some(schemas) => Object::push_array(out, schemas, |out, schema| write(schema, level, plan, out)),
        None => write(value, level, plan, out),
    }
}

/// Appends an object with a schema for each name.
fn write_named(value: Raw<'_>, level: u8, plan: &Plan, out: &mut Vec<u8>) {
    let Some(members) = Members::read(value) else {
        return out.extend_from_slice(value.get().as_bytes());
    };
    let mut object = Object::open(out);
    members.0.iter().for_each(|(name, schema)| write(*schema, level, plan, object.value(name)));
    object.close();
}
