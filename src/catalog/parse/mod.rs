//! Parses list results: finds each primitive in the text, validates it against the schema of the protocol, and repairs
//! it if that loses nothing.

pub(super) mod lists;
pub(super) mod member_offsets;
mod repair;
pub(super) mod schema;
pub(super) mod skill;
pub(super) mod source_text;
mod validate;
