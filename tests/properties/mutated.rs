//! Randomly damaged lists: everything served fits the protocol's JSON Schemas, and no valid primitive is lost.

use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog, Lists, Report, ReportCode, Source},
};
use serde_json::{Map, Value, json};

use crate::random::Random;

/// Number of lists tested.
const LISTS: u64 = 10_000;

/// Returns the requirements of both revisions and of the official clients as JSON Schemas, written independently of the
/// engine's table. `null` may be removed from optional members. The type `instant` is a date and time with an offset.
fn schemas() -> [(Kind, Value); 4] {
    let text = || json!({"type": "string"});
    let flag = || json!({"type": "boolean"});
    let open = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let icons = || {
        let properties = json!({"src": text(), "mimeType": text(), "sizes": {"type": "array", "items": text()}, "theme": {"enum": ["light", "dark"]}});
        json!({"type": "array", "items": open(properties, json!(["src"]))})
    };
    let schema = |required: Value| {
        let properties = json!({"$schema": text(), "type": {"enum": ["object"]}, "required": {"type": "array", "items": text()},
            "properties": {"type": "object", "each": {"type": "object"}}});
        open(properties, required)
    };
    let content = || {
        let audience = json!({"type": "array", "items": {"enum": ["user", "assistant"]}});
        let priority = json!({"type": "number", "minimum": 0, "maximum": 1});
        open(
            json!({"audience": audience, "priority": priority, "lastModified": {"type": "instant"}}),
            json!([]),
        )
    };
    let hints = json!({"title": text(), "readOnlyHint": flag(), "destructiveHint": flag(), "idempotentHint": flag(), "openWorldHint": flag()});
    let base = |more: Value, required: Value| {
        let mut properties = json!({"name": text(), "title": text(), "description": text(), "icons": icons(), "_meta": {"type": "object"}});
        properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        open(properties, required)
    };
    let id = || json!({"type": "string", "minLength": 1});
    let tool = json!({"name": id(), "inputSchema": schema(json!(["type"])), "outputSchema": open(json!({"$schema": text()}), json!([])),
        "annotations": open(hints, json!([])),
        "execution": open(json!({"taskSupport": {"enum": ["forbidden", "optional", "required"]}}), json!([]))});
    let resource =
        json!({"uri": id(), "mimeType": text(), "size": {"type": "integer"}, "annotations": content()});
    let template = json!({"uriTemplate": id(), "mimeType": text(), "annotations": content()});
    let argument = json!({"name": text(), "title": text(), "description": text(), "required": flag()});
    let arguments = json!({"type": "array", "items": open(argument, json!(["name"]))});
    [
        (Kind::Tool, base(tool, json!(["name", "inputSchema"]))),
        (Kind::Resource, base(resource, json!(["uri", "name"]))),
        (Kind::Template, base(template, json!(["uriTemplate", "name"]))),
        (Kind::Prompt, base(json!({"name": id(), "arguments": arguments}), json!(["name"]))),
    ]
}

/// Returns whether a value fits a schema that uses only the keywords above.
fn fits(value: &Value, schema: &Value) -> bool {
    let is = match schema["type"].as_str() {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("instant") => {
            value.as_str().is_some_and(|text| text.len() >= 20 && text.ends_with('Z') && !text.contains('x'))
        }
        _ => true,
    };
    let number = value.as_f64().unwrap_or_default();
    is && schema["enum"].as_array().is_none_or(|values| values.contains(value))
        && schema["minimum"].as_f64().is_none_or(|minimum| number >= minimum)
        && schema["maximum"].as_f64().is_none_or(|maximum| number <= maximum)
        && schema["minLength"]
            .as_u64()
            .is_none_or(|length| value.as_str().is_some_and(|text| text.len() as u64 >= length))
        && schema["items"]
            .as_object()
            .is_none_or(|_| value.as_array().unwrap().iter().all(|item| fits(item, &schema["items"])))
        && schema["each"]
            .as_object()
            .is_none_or(|_| value.as_object().unwrap().values().all(|item| fits(item, &schema["each"])))
        && schema["required"]
            .as_array()
            .is_none_or(|keys| keys.iter().all(|key| value.get(key.as_str().unwrap()).is_some()))
        && schema["properties"].as_object().is_none_or(|properties| {
            properties.iter().all(|(key, schema)| value.get(key).is_none_or(|value| fits(value, schema)))
        })
}

/// Returns the value without optional members that are `null`.
fn repaired(value: &Value, schema: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let required =
                |key: &str| schema["required"].as_array().is_some_and(|keys| keys.contains(&json!(key)));
            let property = |key: &str| schema["properties"].get(key);
            let kept = members
                .iter()
                .filter(|(key, value)| !value.is_null() || property(key).is_none() || required(key));
            kept.map(|(key, value)| {
                (key.clone(), property(key).map_or(value.clone(), |schema| repaired(value, schema)))
            })
            .collect()
        }
        Value::Array(items) if schema.get("items").is_some() => {
            items.iter().map(|item| repaired(item, &schema["items"])).collect()
        }
        _ => value.clone(),
    }
}

/// Applies the repairs that are not about `null`: argument schemas get their `type`, boolean schemas become objects, and
/// output schemas that are none are left out.
fn typed(mut primitive: Value, kind: Kind) -> Value {
    for key in ["inputSchema", "outputSchema"] {
        let Some(schema) =
            primitive.get_mut(key).and_then(Value::as_object_mut).filter(|_| kind == Kind::Tool)
        else {
            continue;
        };
        // The members of schemas that 2025-11-25 defines; `null` is not valid for any of them.
        schema.retain(|name, value| {
            !value.is_null() || !["$schema", "type", "properties", "required"].contains(&name.as_str())
        });
        if key == "inputSchema" {
            schema.entry("type").or_insert(json!("object"));
        }
        for property in
            schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
        {
            match property {
                Value::Bool(true) => *property = json!({}),
                Value::Bool(false) => *property = json!({"not": {}}),
                _ => {}
            }
        }
    }
    // A tool works without an output schema that no revision allows.
    let is_output = |schema: &Value| schema.is_object() && schema.get("$schema").is_none_or(Value::is_string);
    if kind == Kind::Tool && primitive.get("outputSchema").is_some_and(|schema| !is_output(schema)) {
        primitive.as_object_mut().unwrap().remove("outputSchema");
    }
    primitive
}

/// Returns a valid primitive with every known member.
fn whole(kind: Kind, name: &str) -> Value {
    let icons = json!([{"src": "https://a.example/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "light"}]);
    let content = json!({"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-07-28T12:00:00Z", "x-own": null});
    let mut primitive = match kind {
        Kind::Tool => json!({
            "inputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"a": {"type": "string", "default": null}, "b": {}}, "required": ["a"]},
            "outputSchema": {"type": "object", "properties": {"c": {"type": "number"}}, "required": []},
            "annotations": {"title": "T", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false, "x-own": null},
            "execution": {"taskSupport": "optional"},
        }),
        Kind::Resource => {
            json!({"uri": format!("r://{name}"), "mimeType": "text/plain", "size": 12, "annotations": content})
        }
        Kind::Template => {
            json!({"uriTemplate": format!("t://{name}/{{a}}"), "mimeType": "text/plain", "annotations": content})
        }
        Kind::Prompt => {
            json!({"arguments": [{"name": "a", "title": "A", "description": "d", "required": true}, {"name": "b"}]})
        }
        Kind::Skill => panic!("the schema of the protocol defines no skills"),
    };
    let base = json!({"name": name, "title": "Title", "description": "Text", "icons": icons, "_meta": {"a": null}, "x-own": [null]});
    primitive.as_object_mut().unwrap().extend(base.as_object().unwrap().clone());
    primitive
}

/// Damages the value or a part of it.
fn damage(value: &mut Value, random: &mut Random) {
    let inner = match value {
        Value::Object(members) if !members.is_empty() && random.below(4) > 0 => {
            let at = random.below(members.len());
            let key = members.keys().nth(at).unwrap().clone();
            // The names of primitives stay, so that reports can be matched to them.
            if ["name", "uri", "uriTemplate"].contains(&key.as_str()) && members.contains_key("x-own") {
                return;
            }
            if random.below(4) == 0 {
                members.remove(&key);
                return;
            }
            members.get_mut(&key)
        }
        Value::Array(items) if !items.is_empty() && random.below(3) > 0 => {
            let at = random.below(items.len());
            items.get_mut(at)
        }
        _ => None,
    };
    match inner {
        Some(inner) if random.below(3) > 0 => damage(inner, random),
        Some(inner) => *inner = odd(random),
        None => *value = odd(random),
    }
}

/// Returns `null`, or a value of a random type.
fn odd(random: &mut Random) -> Value {
    if random.one_in(2) {
        return Value::Null;
    }
    let values = [
        Value::Null,
        json!(true),
        json!(false),
        json!("true"),
        json!(""),
        json!(0),
        json!(1.5),
        json!(-1),
        json!([]),
        json!({}),
        json!([null]),
        json!({"type": "array"}),
        json!({"type": null}),
        json!("x2026-07-28T12:00:00Z"),
    ];
    values[random.below(values.len())].clone()
}

#[test]
fn what_is_served_of_damaged_lists_is_valid_and_nothing_good_is_lost() {
    let (mut good, mut mended, mut bad) = (0, 0, 0);
    for seed in 0..LISTS {
        let mut random = Random::new(seed);
        let mut lists = Map::new();
        let mut expected: Vec<(Kind, Vec<Value>, Vec<String>, bool)> = Vec::new();
        for (kind, schema) in &schemas() {
            let (mut listed, mut valid, mut left_out, mut any) = (Vec::new(), Vec::new(), Vec::new(), false);
            for at in 0..1 + random.below(2) {
                let name = format!("{}{at}", kind.name());
                let mut primitive = whole(*kind, &name);
                (0..random.below(3)).for_each(|_| damage(&mut primitive, &mut random));
                let mend = typed(repaired(&primitive, schema), *kind);
                if fits(&mend, schema) {
                    any |= mend != primitive;
                    (good, mended) = (good + 1, mended + usize::from(mend != primitive));
                    valid.push(mend);
                } else {
                    bad += 1;
                    let named = primitive["name"]
                        .as_str()
                        .filter(|name| !name.is_empty())
                        .map_or_else(|| format!("#{at}"), str::to_owned);
                    left_out.push(named);
                }
                listed.push(primitive);
            }
            lists.insert(kind.list_key().to_owned(), listed.into());
            expected.push((*kind, valid, left_out, any));
        }
        let text = if seed % 2 == 0 {
            Value::from(lists).to_string()
        } else {
            serde_json::to_string_pretty(&lists).unwrap()
        };
        let catalogs = [
            Catalog::compile(
                &[Source { server: "s", lists: Lists::read(&text).unwrap() }],
                &Assignments::default(),
            ),
            Catalog::keep(
                Source { server: "s", lists: Lists::take(text.as_str()).unwrap() },
                &Assignments::default(),
            ),
        ];
        for catalog in &catalogs {
            let any = expected.iter().any(|(.., any)| *any);
            let repaired = |report: &Report| report.code == ReportCode::Repaired;
            assert_eq!(catalog.reports().iter().any(repaired), any, "seed {seed}: {text}");
            for (kind, valid, left_out, _) in &expected {
                let kind_index = catalog.kind_index(*kind);
                let served: Vec<Value> = (0..kind_index.len())
                    .map(|at| serde_json::from_slice(kind_index.bytes(at).unwrap()).unwrap())
                    .collect();
                assert_eq!(&served, valid, "seed {seed}: {text}");
                let reports = || catalog.reports().iter().filter(|report| report.kind == *kind);
                let invalid: Vec<&str> = reports()
                    .filter(|report| report.code == ReportCode::Invalid)
                    .map(|report| report.name.as_str())
                    .collect();
                assert_eq!(&invalid, left_out, "seed {seed}: {text}");
            }
        }
    }
    // There is damage of every sort.
    assert!(
        good > 20_000 && mended > 5_000 && bad > 20_000,
        "{good} good, {mended} of them mended, {bad} bad"
    );
}
