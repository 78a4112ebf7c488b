//! The types of objects that JavaScript receives. `types.d.ts` has the types of its inputs.

use mcp_sieve::{self, catalog, filter};
use mcp_sieve_gateway::config;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

/// The types of filters, lists and tasks, as the npm package declares them.
#[wasm_bindgen(typescript_custom_section)]
const INPUTS: &str = include_str!("types.d.ts");

/// The types of configurations, which come from the schema.
#[wasm_bindgen(typescript_custom_section)]
const CONFIGURATIONS: &str = include_str!("../../pkg/types/config.d.ts");

/// A named set of primitives.
#[derive(Debug, Serialize, Tsify)]
pub struct Group {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The parent group, or several. Members of a group are members of its parents too.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<OneOrSeveral>,
}

/// A text, or several.
#[derive(Debug, Serialize, Tsify)]
#[serde(untagged)]
pub enum OneOrSeveral {
    One(String),
    Several(Vec<String>),
}

/// A label of primitives.
#[derive(Debug, Serialize, Tsify)]
pub struct Tag {
    name: String,
    description: String,
}

/// A declared concern: its values, and the one that a host should preselect.
#[derive(Debug, Serialize, Tsify)]
pub struct Concern {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    values: ConcernValues,
    /// `true` if the listed values are in ascending order; or an ascending order that contains each value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional, type = "boolean | string[]")]
    ordered: Option<ConcernOrder>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional, type = "string | number")]
    default: Option<ConcernDefault>,
}

#[derive(Debug, Serialize, Tsify)]
#[serde(untagged)]
pub enum ConcernValues {
    Listed(Vec<String>),
    Range {
        min: f64,
        max: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<f64>,
    },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ConcernOrder {
    AsListed(bool),
    Words(Vec<String>),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ConcernDefault {
    Text(String),
    Number(f64),
}

/// The groups and tags of visible primitives, and the declared concerns.
#[derive(Debug, Serialize, Tsify)]
pub struct Facets {
    pub groups: Vec<Group>,
    pub tags: Vec<Tag>,
    pub concerns: Vec<Concern>,
}

/// A report about a primitive that was left out, repaired or is otherwise conspicuous.
#[derive(Debug, Serialize, Tsify)]
pub struct Report {
    code: &'static str,
    /// `tool`, `resource`, `template`, `prompt` or `skill`.
    kind: &'static str,
    /// The primitive's name, or `#` and its position in the list.
    name: String,
    problem: String,
}

/// The size of a selection in a model's context, in tokens of the o200k vocabulary.
#[derive(Debug, Serialize, Tsify)]
pub struct Tokens {
    count: u64,
    exact: bool,
}

/// An entry of a filter that had no effect.
#[derive(Debug, Serialize, Tsify)]
pub struct Ignored {
    /// `groups[0]`, `concerns.cost`, or the name of an unknown field.
    field: String,
    reason: &'static str,
    /// The field that was probably meant, if `field` looks misspelt.
    #[serde(skip_serializing_if = "Option::is_none")]
    meant: Option<&'static str>,
}

/// A name in a filter that matches nothing.
#[derive(Debug, Serialize, Tsify)]
pub struct UnknownName {
    /// The place of the name: `groups[0]`.
    field: String,
    reason: &'static str,
}

/// Whether a primitive is selected, and the first reason if it is not.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Explanation {
    shown: bool,
    #[tsify(type = "Reason | null")]
    reason: Option<Reason>,
}

/// The rule that excludes a primitive.
#[derive(Debug, Serialize, Tsify)]
pub struct Reason {
    /// The field of the filter, such as `groups` or `not.tags`; `concern`; or `unknown` if no visible primitive has
    /// the name. In a picker also `off`, `favorites`, `server` and `not.server`.
    rule: &'static str,
    /// The name of the concern, if the rule is `concern`.
    #[serde(skip_serializing_if = "Option::is_none")]
    concern: Option<String>,
    /// The values that the filter requires or, under `not`, excludes.
    #[serde(skip_serializing_if = "Option::is_none")]
    wanted: Option<Vec<String>>,
    /// The values of the primitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Vec<String>>,
}

/// A primitive that matches the words of a search.
#[derive(Debug, Serialize, Tsify)]
pub struct Match {
    /// The name, `uri` or `uriTemplate`.
    name: String,
    /// The certainty of the match, from 0 to 1000.
    score: u32,
}

impl From<&catalog::Group> for Group {
    fn from(group: &catalog::Group) -> Self {
        let parent = match group.parents.as_slice() {
            [] => None,
            [parent] => Some(OneOrSeveral::One(parent.clone())),
            parents => Some(OneOrSeveral::Several(parents.to_vec())),
        };
        let (title, description) = (group.title.clone(), group.description.clone());
        Self { name: group.name.clone(), title, description, parent }
    }
}

impl From<&catalog::Tag> for Tag {
    fn from(tag: &catalog::Tag) -> Self {
        Self { name: tag.name.clone(), description: tag.description.clone() }
    }
}

impl From<&config::Concern> for Concern {
    fn from(concern: &config::Concern) -> Self {
        let number = |number: &config::Number| number.to_string().parse().unwrap_or_default();
        Self {
            name: concern.name.clone(),
            description: concern.description.clone(),
            values: match &concern.values {
                config::Values::Listed(values) => ConcernValues::Listed(values.clone()),
                config::Values::Range(range) => ConcernValues::Range {
                    min: number(&range.min),
                    max: number(&range.max),
                    step: range.step.as_ref().map(number),
                },
            },
            ordered: match &concern.ordered {
                config::Order::AsListed(false) => None,
                config::Order::AsListed(true) => Some(ConcernOrder::AsListed(true)),
                config::Order::Words(words) => Some(ConcernOrder::Words(words.clone())),
            },
            default: concern.default.as_ref().map(|default| match default {
                config::Scalar::Text(text) => ConcernDefault::Text(text.clone()),
                config::Scalar::Number(value) => ConcernDefault::Number(number(value)),
            }),
        }
    }
}

impl From<&catalog::Report> for Report {
    fn from(report: &catalog::Report) -> Self {
        let (code, kind) = (report.code.name(), report.kind.name());
        Self { code, kind, name: report.name.clone(), problem: report.problem.clone() }
    }
}

impl From<catalog::Tokens> for Tokens {
    fn from(tokens: catalog::Tokens) -> Self {
        Self { count: tokens.count, exact: tokens.exact }
    }
}

impl From<&mcp_sieve::UnknownName> for UnknownName {
    fn from(unknown: &mcp_sieve::UnknownName) -> Self {
        Self { field: unknown.field.clone(), reason: unknown.reason }
    }
}

impl From<&mcp_sieve::Ignored> for Ignored {
    fn from(ignored: &mcp_sieve::Ignored) -> Self {
        Self { field: ignored.field.clone(), reason: ignored.reason, meant: ignored.meant }
    }
}

impl From<filter::Explanation> for Explanation {
    fn from(explanation: filter::Explanation) -> Self {
        Self { shown: explanation.shown, reason: explanation.reason.map(Reason::from) }
    }
}

impl From<filter::Reason> for Reason {
    fn from(reason: filter::Reason) -> Self {
        // These rules compare no values.
        let compares = !matches!(reason.rule, "unknown" | "off" | "favorites");
        let [wanted, found] = [reason.wanted, reason.found].map(|values| compares.then_some(values));
        Self { rule: reason.rule, concern: reason.concern, wanted, found }
    }
}

impl From<&mcp_sieve::Match> for Match {
    fn from(found: &mcp_sieve::Match) -> Self {
        Self { name: found.name().to_owned(), score: found.score() }
    }
}
