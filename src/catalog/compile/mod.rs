//! Compiles listed primitives into a catalog: applies the rules, resolves name collisions and writes each primitive in
//! the form that clients receive.
//!
//! The text of the lists may have several megabytes, and is not copied during compilation. [`in_place`] writes each
//! primitive over its original text.

mod bound_schema;
pub(super) mod collision;
pub(super) mod compiler;
mod concat;
mod in_place;
mod member_overrides;
mod merge;
pub(super) mod new_name;
mod older_templates;
pub(super) mod own_names;
mod owners;
mod page_uris;
pub(super) mod prefixes;
pub(super) mod primitive_draft;
mod render;
mod rules;
mod schemas;
mod skill_uris;
mod sources;
