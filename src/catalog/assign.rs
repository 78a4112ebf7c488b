use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::expr::Expr;

/// A named set of primitives (SEP-1300 `Group`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// What filters and memberships call it; opaque and exact.
    pub name: String,
    /// What a person reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A label of primitives (SEP-1300 `Tag`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    /// What filters and memberships call it; opaque and exact.
    pub name: String,
    /// What it says about a primitive. Empty for a tag that nobody declared.
    #[serde(default)]
    pub description: String,
}

/// What the operator adds to every primitive that an expression picks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Which primitives. Sees their own memberships and those of the rules before it.
    #[serde(rename = "match")]
    pub matches: Expr,
    /// Groups they join.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Tags they get.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Concern values they get, in place of what they had for that concern.
    #[serde(default, deserialize_with = "one_or_many")]
    pub concerns: BTreeMap<String, Vec<String>>,
    /// Takes them out of the catalog altogether (SEP-1300: a disabled tool).
    #[serde(default)]
    pub hide: bool,
}

/// What the operator knows of a catalog beyond what its servers say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assignments {
    /// Declared groups, in the order `groups/list` gives them.
    pub groups: Vec<Group>,
    /// Declared tags, in the order `tags/list` gives them.
    pub tags: Vec<Tag>,
    /// Applied in order.
    pub rules: Vec<Rule>,
    /// Writes concern values into `_meta.concerns`; off, the mapping stays internal (#1936).
    pub expose_concerns: bool,
}

/// A concern's values as they are written: text, a number, or an array of these.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string, a number or an array of these")]
enum Written {
    One(Value),
    Several(Vec<Value>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Number(f64),
}

impl Value {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            // Zero has no sign.
            Self::Number(number) => (number + 0.0).to_string(),
        }
    }
}

impl Written {
    fn into_values(self) -> Vec<String> {
        match self {
            Self::One(value) => vec![value.into_text()],
            Self::Several(values) => values.into_iter().map(Value::into_text).collect(),
        }
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Vec<String>>, D::Error> {
    let written = BTreeMap::<String, Written>::deserialize(deserializer)?;
    Ok(written.into_iter().map(|(name, values)| (name, values.into_values())).collect())
}
