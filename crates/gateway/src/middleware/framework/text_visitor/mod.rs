//! The texts of a content item: all of its strings except in members that the protocol reads, the texts that `data:`
//! URLs in them encode, and long numbers.
//!
//! A lone surrogate is read as U+FFFD, and so is one in the new text that replaces such a text. All that is not replaced
//! keeps its bytes.

pub(crate) mod base64;
mod data_url;
mod edits;
mod number;
mod text_function;
mod visitor;

pub(crate) use text_function::TextVisitor;
pub(crate) use visitor::{replace_text, visit_item, visit_item_beside, visit_strings};
