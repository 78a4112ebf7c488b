//! The objects with which a picker describes itself.

use mcp_sieve::{Kind, catalog, filter::Outcome, picker};
use mcp_sieve_gateway::config;
use serde::Serialize;
use tsify::Tsify;

use crate::types::{Concern, Group, Reason, Tag};

/// A node of the tree: a group or a server, with the state of its checkbox.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PickerGroup {
    group: Group,
    /// The server that it belongs to, or that it is; absent if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    is_server: bool,
    /// The number of its ancestors.
    level: usize,
    /// The index of its parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    /// `mixed`: some of its descendants are chosen or excluded. `excluded`: its members are left out.
    #[tsify(type = "\"off\" | \"on\" | \"mixed\" | \"excluded\"")]
    state: &'static str,
    /// The number of its primitives.
    members: usize,
    /// The number of its primitives that match the rest of the choice.
    left: usize,
}

/// A tag and its mark.
#[derive(Debug, Serialize, Tsify)]
pub struct PickerTag {
    tag: Tag,
    #[tsify(type = "TagMark")]
    mark: &'static str,
    /// The number of its primitives.
    members: usize,
    /// The number of its primitives that match the rest of the choice.
    left: usize,
}

/// A concern, with the sizes of each listed value.
#[derive(Debug, Serialize, Tsify)]
pub struct PickerConcern {
    concern: Concern,
    /// Empty for a range.
    options: Vec<PickerOption>,
}

/// A value of a concern.
#[derive(Debug, Serialize, Tsify)]
pub struct PickerOption {
    value: String,
    chosen: bool,
    /// The number of its primitives.
    members: usize,
    /// The number of primitives that would match if this were the only chosen value of the concern.
    left: usize,
}

/// A row of the list: a primitive.
#[derive(Debug, Serialize, Tsify)]
pub struct PickerRow {
    /// The index among the visible primitives.
    index: usize,
    /// The name, `uri` or `uriTemplate`.
    name: String,
    /// The server of the primitive; absent if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    groups: Vec<String>,
    tags: Vec<String>,
    /// Its tokens in a model's context.
    tokens: u64,
    favorite: bool,
    /// Whether it is switched off.
    off: bool,
    /// The reasons why it is hidden, at most eight. Empty for a row that matches.
    reasons: Vec<Reason>,
    /// Its position among the candidates of the limit, if the limit drops it.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<PickerRank>,
}

/// The position of a primitive that the limit drops.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PickerRank {
    /// The position, from 1.
    position: usize,
    /// The number of candidates.
    of: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<f64>,
    relevance: u32,
    /// The number of remaining tokens, if the primitive has more. Otherwise the maximum count was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_left: Option<u64>,
}

/// The choice in numbers.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PickerSummary {
    /// The number of rows.
    rows: usize,
    selected: usize,
    total: usize,
    /// The tokens of the selected primitives in a model's context.
    tokens: u64,
    total_tokens: u64,
    exact: bool,
    /// The number of primitives that match the filter without its limit.
    candidates: usize,
    candidate_tokens: u64,
    /// The number of candidates that the limit drops.
    dropped: usize,
    /// The numbers of steps that can be undone, at most 100, and redone.
    undo: usize,
    redo: usize,
    /// Pairs of a kind and a name.
    #[tsify(type = "[Kind, string][]")]
    disabled: Vec<(&'static str, String)>,
    #[tsify(type = "[Kind, string][]")]
    favorites: Vec<(&'static str, String)>,
    only_favorites: bool,
}

impl PickerGroup {
    pub fn new(node: &picker::Node, counts: picker::Counts<picker::Checked>) -> Self {
        Self {
            group: Group::from(&node.group),
            server: node.server.clone(),
            is_server: node.is_server,
            level: node.level,
            parent: node.parent,
            state: match counts.state {
                picker::Checked::Off => "off",
                picker::Checked::On => "on",
                picker::Checked::Mixed => "mixed",
                picker::Checked::Excluded => "excluded",
            },
            members: counts.members,
            left: counts.left,
        }
    }
}

impl PickerTag {
    pub fn new(tag: &catalog::Tag, counts: picker::Counts<picker::Mark>) -> Self {
        let mark = match counts.state {
            picker::Mark::Indifferent => "any",
            picker::Mark::Must => "must",
            picker::Mark::MustNot => "not",
        };
        Self { tag: Tag::from(tag), mark, members: counts.members, left: counts.left }
    }
}

impl PickerConcern {
    /// Takes the counts of the concern's values from `counts`, which has those of all concerns in order.
    pub fn new(concern: &config::Concern, counts: &mut impl Iterator<Item = picker::Counts<bool>>) -> Self {
        let options = concern.values.listed().iter().zip(counts).map(|(value, counts)| PickerOption {
            value: value.clone(),
            chosen: counts.state,
            members: counts.members,
            left: counts.left,
        });
        let options = options.collect();
        Self { concern: Concern::from(concern), options }
    }
}

impl From<picker::Row<'_>> for PickerRow {
    fn from(row: picker::Row<'_>) -> Self {
        let texts = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        Self {
            index: row.place,
            name: row.id.to_owned(),
            server: row.server.map(str::to_owned),
            title: row.title,
            description: row.description,
            groups: texts(row.groups),
            tags: texts(row.tags),
            tokens: row.tokens.count,
            favorite: row.favorite,
            off: row.off,
            reasons: row.reasons.into_iter().map(Reason::from).collect(),
            rank: row.rank.map(PickerRank::from),
        }
    }
}

impl From<picker::Rank> for PickerRank {
    fn from(rank: picker::Rank) -> Self {
        Self {
            position: rank.position,
            of: rank.of,
            priority: rank.priority.and_then(|priority| priority.to_string().parse().ok()),
            relevance: rank.relevance,
            tokens_left: match rank.outcome {
                Outcome::TooLarge { left } => Some(left),
                _ => None,
            },
        }
    }
}

impl From<&picker::Picker> for PickerSummary {
    fn from(picker: &picker::Picker) -> Self {
        let ((selected, total), (tokens, total_tokens)) = (picker.sizes(), picker.tokens());
        let (budget, (undo, redo), choice) = (picker.budget(), picker.steps(), picker.choice());
        let pairs = |named: &[(Kind, String)]| {
            named.iter().map(|(kind, name)| (kind.list_key(), name.clone())).collect()
        };
        Self {
            rows: picker.row_count(),
            selected,
            total,
            tokens: tokens.count,
            total_tokens: total_tokens.count,
            exact: total_tokens.exact,
            candidates: budget.candidates,
            candidate_tokens: budget.tokens.count,
            dropped: budget.dropped,
            undo,
            redo,
            disabled: pairs(choice.disabled()),
            favorites: pairs(choice.favorites()),
            only_favorites: choice.only_favorites(),
        }
    }
}
