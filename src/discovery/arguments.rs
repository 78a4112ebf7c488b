//! Checks arguments against the schema of a tool, as far as that is cheap and certain.
//!
//! It checks `type`, `enum`, `const`, `required`, `properties`, `additionalProperties: false`, `items`, and the bounds
//! of numbers and lengths, at any depth. Everything else is left to the server, so that no argument is refused that the
//! server accepts: parts with `$ref`, `anyOf` or another keyword that combines schemas are not checked.

use crate::{
    Error,
    json::{self, Members, Number, Raw},
};

/// Maximum depth to which arguments are read.
const MAX_DEPTH: usize = 32;
/// Keywords by which other schemas decide as well.
const COMBINING: [&str; 9] =
    ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not", "patternProperties", "dependentSchemas"];

/// Returns the first violation of the `inputSchema` of a tool's definition: the position and the expected value.
pub(super) fn problem(definition: &str, arguments: Raw<'_>) -> Option<String> {
    let schema = Members::parse(definition)?.get("inputSchema")?;
    if !arguments.is_object() {
        return Some("arguments: expected an object".to_owned());
    }
    check(schema, arguments, &mut "arguments".to_owned(), 0).err()
}

/// Returns an argument of the type `integer`, in any of its spellings: `100`, `100.0`.
pub(super) fn whole(argument: Raw<'_>) -> Option<usize> {
    let number: Number = argument.get().parse().ok()?;
    number.whole().and_then(|whole| usize::try_from(whole).ok())
}

fn check(schema: Raw<'_>, value: Raw<'_>, place: &mut String, depth: usize) -> Result<(), String> {
    let Some(schema) = Members::read(schema).filter(|_| depth < MAX_DEPTH) else { return Ok(()) };
    if COMBINING.iter().any(|keyword| schema.get(keyword).is_some()) {
        return Ok(());
    }
    let mismatch = |expected: &str| Err([place.as_str(), ": expected ", expected].concat());
    let kinds = schema.get("type").map(kinds).unwrap_or_default();
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(kind, value)) {
        return mismatch(&Error::one_of(&kinds.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    let choices =
        schema.get("enum").and_then(json::Raw::elements).or_else(|| schema.get("const").map(|one| vec![one]));
    if let Some(choices) = choices
        && !choices.iter().any(|known| same(*known, value))
    {
        return mismatch(&Error::one_of(
            &choices.iter().map(|known| known.get().trim_matches('"')).collect::<Vec<_>>(),
        ));
    }
    match value.get().as_bytes().first() {
        Some(b'{') => object(&schema, value, place, depth),
        Some(b'[') => array(&schema, value, place, depth),
        Some(b'"') => {
            let length = value.text().map_or(0, |text| text.chars().count());
            bounded(&schema, ("minLength", "maxLength"), length, "character", place)
        }
        Some(b'-' | b'0'..=b'9') => number(&schema, value, place),
        _ => Ok(()),
    }
}

fn object(schema: &Members<'_>, value: Raw<'_>, place: &mut String, depth: usize) -> Result<(), String> {
    let Some(members) = Members::read(value) else { return Ok(()) };
    let required = schema.get("required").and_then(json::Raw::elements).unwrap_or_default();
    if let Some(name) =
        required.into_iter().filter_map(json::Raw::text).find(|name| members.get(name).is_none())
    {
        return Err([place.as_str(), ": missing `", &name, "`"].concat());
    }
    let properties = schema.get("properties").and_then(Members::read).unwrap_or_default();
    let closed = schema.get("additionalProperties").is_some_and(|others| others.get() == "false");
    for (name, value) in &members.0 {
        match properties.get(name) {
            Some(property) => below(place, &[".", name], |place| check(property, *value, place, depth + 1))?,
            None if closed => {
                let known: Vec<&str> = properties.0.iter().map(|(known, _)| known.as_ref()).collect();
                let expected = if known.is_empty() { "none".to_owned() } else { Error::one_of(&known) };
                return Err([place.as_str(), ".", name, ": unknown argument, expected ", &expected].concat());
            }
            None => {}
        }
    }
    Ok(())
}

fn array(schema: &Members<'_>, value: Raw<'_>, place: &mut String, depth: usize) -> Result<(), String> {
    let elements = value.elements().unwrap_or_default();
    bounded(schema, ("minItems", "maxItems"), elements.len(), "element", place)?;
    // In a tuple, the first items have schemas of their own.
    let Some(items) = schema.get("items").filter(|_| schema.get("prefixItems").is_none()) else {
        return Ok(());
    };
    for (at, element) in elements.into_iter().enumerate() {
        below(place, &["[", &at.to_string(), "]"], |place| check(items, element, place, depth + 1))?;
    }
    Ok(())
}

fn number(schema: &Members<'_>, value: Raw<'_>, place: &str) -> Result<(), String> {
    let bound = |key: &str| schema.get(key).and_then(|bound| bound.get().parse::<Number>().ok());
    let Ok(number) = value.get().parse::<Number>() else { return Ok(()) };
    let refuse = |words: &str, bound: Number| Err([place, ": expected ", words, &bound.to_string()].concat());
    match (bound("minimum"), bound("maximum")) {
        (Some(least), _) if number < least => refuse("at least ", least),
        (_, Some(most)) if number > most => refuse("at most ", most),
        _ => Ok(()),
    }
}

/// Checks a length against the members of a schema that bound it. `one` is what is counted, in the singular.
fn bounded(
    schema: &Members<'_>,
    (least, most): (&str, &str),
    length: usize,
    one: &str,
    place: &str,
) -> Result<(), String> {
    let bound = |key: &str| schema.get(key).and_then(|bound| bound.get().parse::<usize>().ok());
    let refuse = |words: &str, bound: usize| {
        let plural = if bound == 1 { "" } else { "s" };
        Err([place, ": expected ", words, &bound.to_string(), " ", one, plural].concat())
    };
    match (bound(least), bound(most)) {
        (Some(least), _) if length < least => refuse("at least ", least),
        (_, Some(most)) if length > most => refuse("at most ", most),
        _ => Ok(()),
    }
}

/// Checks the values below a place. `place` is unchanged afterwards, unless there is a problem.
fn below(
    place: &mut String,
    parts: &[&str],
    check: impl FnOnce(&mut String) -> Result<(), String>,
) -> Result<(), String> {
    let length = place.len();
    parts.iter().for_each(|part| place.push_str(part));
    check(place)?;
    place.truncate(length);
    Ok(())
}

fn kinds(raw: Raw<'_>) -> Vec<String> {
    let names = raw.elements().unwrap_or_else(|| vec![raw]);
    names.into_iter().filter_map(json::Raw::text).map(Into::into).collect()
}

/// Returns whether a value has a JSON Schema type. An unknown type accepts every value.
fn is(kind: &str, value: Raw<'_>) -> bool {
    match kind {
        "integer" => value.get().parse::<Number>().map_or_else(
            // The number has too many digits to be parsed.
            |_| value.has_type("number") == Some(true),
            |number| number.is_integer(),
        ),
        _ => value.has_type(kind).unwrap_or(true),
    }
}

/// Returns whether two values are equal, whatever their spelling. Objects and arrays count as equal without being
/// compared, so that no argument is refused by mistake.
fn same(one: Raw<'_>, other: Raw<'_>) -> bool {
    match (one.get().as_bytes().first(), other.get().as_bytes().first()) {
        (Some(b'{'), Some(b'{')) | (Some(b'['), Some(b'[')) => true,
        (Some(b'"'), Some(b'"')) => one.text() == other.text(),
        (Some(b'-' | b'0'..=b'9'), Some(b'-' | b'0'..=b'9')) => {
            match (one.get().parse::<Number>(), other.get().parse::<Number>()) {
                (Ok(one), Ok(other)) => one == other,
                _ => true,
            }
        }
        _ => one.get() == other.get(),
    }
}
