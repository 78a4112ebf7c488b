//! A catalog of primitives with their groups, tags and concerns, which is compiled once and queried many times.
//!
//! A [`Catalog`] is an immutable value that is compiled from list results and [`Assignments`]. It stores each primitive
//! as the bytes that clients receive, in registration order, so a page of a list is a copy of slices. It has a bitset
//! over the primitives for each group, tag and concern value, so a selection takes only word operations.

mod compile;
mod compiled;
mod hash;
mod index;
pub(crate) mod model;
mod parse;
mod rule_trace;
mod shorten;
mod snapshot;
mod suggest;
mod tokens;

pub use index::primitive::Primitive;
pub use model::{
    change::Change,
    report::{Report, ReportCode},
    rules::{Group, Tag},
};
pub use tokens::counts::Tokens;

pub use compile::prefixes::Prefix;
pub use compiled::Catalog;
pub use index::{bitset::Bitset, kind_index::KindIndex, visible::Scope};
pub use model::{
    binding::{Binding, BoundArgument, BoundValue},
    name_record::NameRecord,
    resource_uri::ResourceUri,
    rules::{Assignments, Rule, ServerWords},
};
pub use parse::{
    lists::{Lists, Source},
    source_text::SourceText,
};
pub use rule_trace::{RuleOutcome, RuleTrace};

pub(crate) use index::{bitset_plan::Plan, page::Page};

pub use model::group_tree::GroupTree;
pub(crate) use model::{
    concern_mapping::ConcernMapping,
    group_tree::check_parents,
    kind::{ByKind, Kind},
    member_values::number_text,
    purpose::Purpose,
    resource_uri::uri_key,
    stub::awaits_review,
    tool_ui::ToolUi,
    vocabulary::Names,
};
