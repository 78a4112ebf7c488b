//! Indexes of the compiled primitives: names, bitsets by group, tag and concern value, resource URIs, and selection by
//! expression.

pub(super) mod attached;
pub(super) mod bitset;
pub(super) mod bitset_plan;
mod hide_attached;
mod hide_skills;
pub(super) mod id_table;
pub(super) mod kind_index;
mod meet;
pub(super) mod member_spans;
pub(crate) mod page;
pub(super) mod primitive;
pub(super) mod resources;
mod select;
pub(super) mod skills;
mod undeclared_concerns;
pub(super) mod visible;
