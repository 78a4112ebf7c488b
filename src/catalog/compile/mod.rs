//! Compiles listed primitives into a catalog: applies the assignment rules, resolves name collisions and writes each
//! primitive as it is sent.
//!
//! The text of the lists is megabytes long and is never copied while it is compiled. [`in_place`] writes each primitive
//! over the text that it came from.

pub(super) mod collision;
mod compiler;
mod concat;
mod in_place;
pub(super) mod listed;
pub(super) mod new_name;
pub(super) mod own_names;
pub(super) mod prefixes;
mod render;
mod rules;
mod short_name;
mod skill_uris;
