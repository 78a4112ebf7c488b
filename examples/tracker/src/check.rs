//! Validates arguments against a tool's own `inputSchema`, so the published schema is the one enforced.
//!
//! Only the keywords that the catalog uses are supported, and a test rejects a catalog that uses others. A complete
//! schema library was too large: the smallest found adds 1.5 MB to a module of 0.7 MB.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::instant::{self, Instant};

/// Maximum number of problems in one error message; a caller sees the rest after fixing these.
const MAX_PROBLEMS: usize = 8;
/// Maximum number of characters of an unknown name that an error message repeats.
const MAX_ECHO: usize = 60;

/// Returns the arguments with defaults filled in.
///
/// # Errors
/// One sentence that names the problems, up to [`MAX_PROBLEMS`], and what was expected.
pub(crate) fn check(schema: &Value, given: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut problems = Vec::new();
    let checked = object(schema, given, "", &mut problems);
    if problems.is_empty() {
        return Ok(checked);
    }
    problems.truncate(MAX_PROBLEMS);
    Err(problems.join("; "))
}

/// Validates an object at `path` and fills in the defaults of its members.
fn object(
    schema: &Value,
    given: &Map<String, Value>,
    path: &str,
    problems: &mut Vec<String>,
) -> Map<String, Value> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    for name in given.keys().filter(|name| !properties.contains_key(*name)) {
        let name: String = name.chars().take(MAX_ECHO).collect();
        let known = listed(properties.keys().map(|known| format!("`{known}`")), "and");
        let known = if known.is_empty() { "it takes none".into() } else { format!("known are {known}") };
        problems.push(format!("`{path}{name}` is not an argument; {known}"));
    }
    let least = schema.get("minProperties").and_then(Value::as_u64).unwrap_or(0);
    if problems.is_empty() && (given.len() as u64) < least {
        problems.push("give at least one field to change".into());
    }
    let required = |name: &str| {
        schema.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == name))
    };
    let mut checked = Map::new();
    for (name, property) in properties {
        let path = format!("{path}{name}");
        match given.get(name).or_else(|| property.get("default")) {
            Some(found) => _ = checked.insert(name.clone(), value(property, found, &path, problems)),
            None if required(name) => problems.push(format!("`{path}` is required, {}", expected(property))),
            None => {}
        }
    }
    checked
}

/// Validates a value at `path` and the values inside it.
fn value(schema: &Value, found: &Value, path: &str, problems: &mut Vec<String>) -> Value {
    match found {
        found if !fits(schema, found) => problems.push(format!("`{path}` must be {}", expected(schema))),
        Value::Object(members) => return object(schema, members, &format!("{path}."), problems).into(),
        Value::Array(items) => {
            let Some(each) = schema.get("items") else { return found.clone() };
            let items = items.iter().enumerate();
            return items.map(|(at, item)| value(each, item, &format!("{path}[{at}]"), problems)).collect();
        }
        Value::Number(_) if types(schema).any(|name| name == "integer") => {
            return whole(found).map_or_else(|| found.clone(), Value::from); // `3.0` is the integer 3
        }
        _ => {}
    }
    found.clone()
}

/// Returns whether a value satisfies its schema, without checking the elements and members inside it.
fn fits(schema: &Value, found: &Value) -> bool {
    if let Some(only) = schema.get("const") {
        return found == only;
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values.contains(found);
    }
    types(schema).any(|name| match (name, found) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("object", Value::Object(_)) => true,
        ("string", Value::String(text)) => {
            within(schema, "minLength", "maxLength", text.chars().count() as f64)
                && (schema.get("format").is_none() || Instant::parse(text).is_some())
        }
        ("integer", Value::Number(_)) => {
            whole(found).is_some_and(|number| within(schema, "minimum", "maximum", number as f64))
        }
        ("number", Value::Number(number)) => {
            number.as_f64().is_some_and(|number| within(schema, "minimum", "maximum", number))
        }
        ("array", Value::Array(items)) => {
            let alike = || {
                items.iter().enumerate().any(|(at, item)| items.iter().take(at).any(|before| before == item))
            };
            within(schema, "minItems", "maxItems", items.len() as f64)
                && !(schema.get("uniqueItems") == Some(&Value::Bool(true)) && alike())
        }
        _ => false,
    })
}

/// Returns a number as an integer if it has no fraction and every JSON parser represents it exactly.
fn whole(found: &Value) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    found
        .as_i64()
        .or_else(|| found.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= EXACT).map(|n| n as i64))
}

/// Returns whether a number is within the limits that the keywords `least` and `most` set.
fn within(schema: &Value, least: &str, most: &str, found: f64) -> bool {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    bound(least).is_none_or(|least| found >= least) && bound(most).is_none_or(|most| found <= most)
}

/// Returns the types that a schema permits.
fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let (one, several) = match schema.get("type") {
        Some(Value::Array(several)) => (None, several.as_slice()),
        one => (one, [].as_slice()),
    };
    one.into_iter().chain(several).filter_map(Value::as_str)
}

/// Describes in words the values that a schema accepts.
fn expected(schema: &Value) -> String {
    if let Some(only) = schema.get("const") {
        return format!("`{only}`");
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let named = values
            .iter()
            .map(|value| format!("`{}`", value.as_str().map_or_else(|| value.to_string().into(), Cow::from)));
        return format!("one of {}", listed(named, "or"));
    }
    let named = types(schema).map(|name| match name {
        "string" if schema.get("format").is_some() => instant::EXPECTED.into(),
        "string" => format!("a string{}", range(schema, "minLength", "maxLength", " of", "characters")),
        "integer" => format!("an integer{}", range(schema, "minimum", "maximum", "", "")),
        "number" => format!("a number{}", range(schema, "minimum", "maximum", "", "")),
        "boolean" => "true or false".into(),
        "array" => {
            let alike = if schema.get("uniqueItems").is_some() { ", no two alike" } else { "" };
            let each =
                schema.get("items").map(|items| format!(", each {}", expected(items))).unwrap_or_default();
            format!("a list{}{alike}{each}", range(schema, "minItems", "maxItems", " of", "items"))
        }
        "object" => "an object".into(),
        other => other.to_owned(),
    });
    named.collect::<Vec<String>>().join(" or ")
}

/// Describes a range in words, such as ` of 1 to 200 characters`, ` from 0` or ` of at most 10 items`.
fn range(schema: &Value, least: &str, most: &str, of: &str, unit: &str) -> String {
    let bound = |name: &str| schema.get(name).map(Value::to_string);
    let from = if of.is_empty() { " from" } else { of };
    let words = match (bound(least), bound(most)) {
        (Some(least), Some(most)) if least != "0" || of.is_empty() => {
            format!("{from} {least} to {most} {unit}")
        }
        (_, Some(most)) => format!("{of} at most {most} {unit}"),
        (Some(least), None) => format!("{from} {least} {unit}"),
        (None, None) => String::new(),
    };
    words.trim_end().to_owned()
}

/// Joins names to a list, such as `a, b and c` if `last` is `and`.
fn listed(names: impl Iterator<Item = String>, last: &str) -> String {
    let names: Vec<String> = names.collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., end] => format!("{} {last} {end}", before.join(", ")),
    }
}

#[cfg(test)]
#[path = "check_test.rs"]
mod tests;
