//! A catalog of primitives with their groups, tags and concerns, which is compiled once and queried many times.
//!
//! A [`Catalog`] is an immutable value that is compiled from list results and [`Assignments`]. It stores each primitive
//! as the bytes that clients receive, in registration order, so a page of a list is a copy of slices. It has a bitset
//! over the primitives for each group, tag and concern value, so a selection takes only word operations.

mod compile;
mod compiled;
mod hash;
mod index;
mod model;
mod parse;
mod rule_trace;
mod snapshot;
mod suggest;
mod tokens;

pub use crate::json::Raw;
pub use index::primitive::Primitive;
pub use model::{
    kind::Kind,
    report::{Report, ReportCode},
    rules::{Group, Tag},
};
pub use tokens::counts::Tokens;

// Hidden from the documentation and excluded from semver: only the other crates of this repository use these.
#[doc(hidden)]
pub use compile::{
    collision::Collision,
    own_names::{MAX_LIST_NAMES, MAX_NAME, MAX_OWN_NAMES},
    prefixes::Prefix,
};
#[doc(hidden)]
pub use compiled::Catalog;
#[doc(hidden)]
pub use index::{bitset::Bitset, kind_index::KindIndex, visible::Scope};
#[doc(hidden)]
pub use model::{
    concern_mapping::ConcernMapping,
    group_tree::{MAX_GROUP_DEPTH, MAX_GROUP_PLACES},
    member_values::number_text,
    meta_keys::PREFIX,
    name_record::{MAX_RECORDED_NAMES, NameRecord},
    report::{MAX_REPORT_TEXT, MAX_REPORTS},
    resource_uri::{MAX_URI, ResourceUri, UriError},
    rules::{Assignments, Rule, ServerWords, TextOverrides},
    uri_template::template_matches,
};
#[doc(hidden)]
pub use parse::{
    lists::{Lists, Source},
    skill::{MAX_SKILL_FILES, MAX_SKILLS},
    source_text::SourceText,
};
#[doc(hidden)]
pub use rule_trace::{RuleOutcome, RuleTrace, Step};
#[doc(hidden)]
pub use snapshot::SNAPSHOT_VERSION;

pub(crate) use compile::{compiler::Naming, new_name::NewName, primitive_draft::SEP_2084_GROUPS};
pub(crate) use index::{attached::skill_root, bitset_plan::Plan};
#[cfg(feature = "command")]
pub(crate) use model::meta_keys::LIST_DECLARED;
pub(crate) use model::{
    group_tree::{GroupTree, check_parents},
    kind::ByKind,
    meta_keys::{FILTER_REPORT, LIST_ERA, LIST_REPORTS},
    requirement::REQUIRED_CAPABILITIES,
    resource_uri::uri_key,
    skill_path::unscoped,
    vocabulary::Names,
};
pub(crate) use parse::skill::{MAIN_FILE, is_plain};
pub(crate) use tokens::estimate::estimate as estimate_tokens;
