//! The data types of a catalog: kinds, groups, tags, assignment rules, URIs and reports.

pub(super) mod binding;
pub(super) mod change;
pub(super) mod concern_mapping;
pub(super) mod group_tree;
pub mod kind;
pub(super) mod member_values;
pub(super) mod meta_keys;
pub(super) mod name_record;
pub(super) mod purpose;
pub(super) mod report;
pub(super) mod requirement;
pub(super) mod resource_uri;
pub(super) mod rules;

pub(super) mod skill_path;
pub(super) mod stub;
pub(super) mod template_beginning;
pub(super) mod tool_name_form;
pub(super) mod tool_ui;
pub(super) mod uri_readings;
pub(super) mod uri_template;
pub(super) mod vocabulary;
