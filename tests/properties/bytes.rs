//! A primitive is sent with its original bytes plus its memberships: nothing is lost, reordered or rewritten.

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, Source},
};
use mcp_sieve_gateway::config::Config;
use proptest::prelude::*;
use serde::{Deserialize, Deserializer, de::MapAccess};
use serde_json::{Value, json, value::RawValue};

use crate::cases;

/// The members of `_meta` that the engine writes.
const OURS: [&str; 2] = ["dev.mcpsieve/groups", "dev.mcpsieve/tags"];

/// The members of an object in order, with their values as text.
struct Ordered(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Ordered;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                    members.push((key, value.get().to_owned()));
                }
                Ok(Ordered(members))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

impl Ordered {
    fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    fn without(&self, keys: &[&str]) -> Vec<(String, String)> {
        self.0.iter().filter(|(key, _)| !keys.contains(&key.as_str())).cloned().collect()
    }
}

/// Generates white space where JSON allows it.
fn space() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "", " ", "\n  ", "\t"]).prop_map(str::to_owned)
}

/// Generates a JSON value in any spelling: escapes, exponents, odd white space.
fn value() -> impl Strategy<Value = String> {
    let text = prop::collection::vec(
        prop_oneof![
            any::<char>().prop_map(|c| {
                let quoted = json!(c.to_string()).to_string();
                quoted[1..quoted.len() - 1].to_owned()
            }),
            prop::sample::select(vec!["\\u00e9", "\\/", "\\ud83e\\uddc0", "\\\"", "\\\\", "{", "]"])
                .prop_map(str::to_owned),
        ],
        0..6,
    );
    let text = text.prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let number =
        prop::sample::select(vec!["0", "-0", "1.50", "1E+2", "123456789012345678901234567890", "1e-400"]);
    let leaf = prop_oneof![
        text,
        number.prop_map(str::to_owned),
        prop::sample::select(vec!["true", "false", "null"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..4), space()).prop_map(|(values, space)| {
                format!("[{space}{}{space}]", values.join(&format!("{space},")))
            }),
            // A member that is given twice is written once, with its last value.
            (prop::collection::btree_map("[a-z\"é]{0,3}", inner, 0..4), space())
                .prop_map(|(members, space)| { object(members.into_iter().collect(), &space) }),
        ]
    })
}

fn object(members: Vec<(String, String)>, space: &str) -> String {
    let members =
        members.into_iter().map(|(key, value)| format!("{space}{}{space}:{space}{value}", json!(key)));
    format!("{{{}{space}}}", members.collect::<Vec<_>>().join(","))
}

fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set("[a-c\"é]{1,2}", 0..3).prop_map(|names| names.into_iter().collect())
}

/// Generates a tool with unknown members before, between and after the known ones, and its memberships.
fn tool() -> impl Strategy<Value = (String, Vec<String>, Vec<String>)> {
    let unknown = || prop::collection::btree_map("x-[a-z\"é]{0,3}", value(), 0..4);
    let meta = prop::option::of(prop::collection::btree_map("[a-z]{1,3}/[a-zé]{0,2}", value(), 0..3));
    (unknown(), meta, names(), names(), space(), any::<u64>()).prop_map(
        |(unknown, meta, groups, tags, space, order)| {
            let mut members: Vec<(String, String)> = unknown.into_iter().collect();
            members.push(("name".to_owned(), "\"t\"".to_owned()));
            members.push(("inputSchema".to_owned(), r#"{ "type" :"object"}"#.to_owned()));
            if !groups.is_empty() {
                members.push(("groups".to_owned(), json!(groups).to_string()));
            }
            if !tags.is_empty() {
                members.push(("tags".to_owned(), json!(tags).to_string()));
            }
            if let Some(meta) = meta {
                members.push(("_meta".to_owned(), object(meta.into_iter().collect(), &space)));
            }
            let mut random = crate::random::Random::new(order);
            for at in (1..members.len()).rev() {
                members.swap(at, random.below(at + 1));
            }
            (object(members, &space), groups, tags)
        },
    )
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn nothing_is_lost_reordered_or_respelt((source, groups, tags) in tool(), assigned: bool) {
        let rules = if assigned { r#"{"rules":[{"match":"name:t","groups":["by rule"],"tags":["é"]}]}"# } else { "{}" };
        let config = Config::parse(rules).unwrap();
        let listed = format!("{{\"tools\":[{source}]}}");
        let source_lists = Source { server: "s", lists: Lists::read(&listed).unwrap() };
        let catalog = Catalog::compile(&[source_lists], &config.engine.assignments);
        prop_assert_eq!(catalog.reports(), []);
        let sent = std::str::from_utf8(catalog.kind_index(Kind::Tool).bytes(0).unwrap()).unwrap();

        let join = |mut names: Vec<String>, name: &str| {
            if assigned && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
            names
        };
        let (groups, tags) = (join(groups, "by rule"), join(tags, "é"));
        if groups.is_empty() && tags.is_empty() {
            prop_assert_eq!(sent, source);
            return Ok(());
        }

        let (came, went) = (Ordered::read(&source), Ordered::read(sent));
        let known = ["groups", "tags", "_meta"];
        prop_assert_eq!(came.without(&known), went.without(&known), "unknown members: {}", sent);
        for (key, names) in [("groups", &groups), ("tags", &tags)] {
            let found: Option<Value> = went.get(key).map(|text| serde_json::from_str(text).unwrap());
            prop_assert_eq!(found, Some(json!(names)).filter(|_| !names.is_empty()));
        }

        let meta = Ordered::read(went.get("_meta").unwrap());
        let before = came.get("_meta").map_or(Vec::new(), |text| Ordered::read(text).without(&OURS));
        prop_assert_eq!(before, meta.without(&OURS), "_meta: {}", sent);
        for (key, names) in OURS.into_iter().zip([groups, tags]) {
            let found: Option<Value> = meta.get(key).map(|text| serde_json::from_str(text).unwrap());
            prop_assert_eq!(found, Some(json!(names)).filter(|_| !names.is_empty()));
        }
    }
}
