//! A JSON parser without ownership: an object is a list of members, whose values are slices of the original text.
//! Unlike typed structs, this keeps members that the program does not know.
//!
//! It is a separate parser, because a catalog must be parsed in one pass, and because browsers should not have to load
//! a general deserializer to split objects.

mod canonical;
mod comments;
mod members;
mod number;
mod parse;
mod raw;
mod record;
mod repeated;
mod scan;
mod text;
mod write;

pub use members::Members;
pub use number::Number;
pub(crate) use parse::{each_text, pick};
pub use raw::Raw;
pub use record::{Entry, Record};
pub(crate) use repeated::Repeated;
pub(crate) use scan::{KeyFilter, Scanner};
pub(crate) use text::{plain as plain_length, same_text};
pub use write::Object;
