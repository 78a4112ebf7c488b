//! The texts of a content item: all of its strings except in members that the protocol reads, the texts that `data:`
//! URLs in them encode, and long numbers.
//!
//! If a text is replaced, its object is rewritten member by member, in the same order. All other members are copied.

pub(crate) mod base64;
mod data_url;
mod number;
mod text_function;
mod visitor;

pub(crate) use text_function::TextVisitor;
pub(crate) use visitor::{replace_text, validate_text, visit_item, visit_item_beside, visit_strings};
