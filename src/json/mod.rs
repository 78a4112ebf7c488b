//! A JSON parser without ownership: an object is a list of members, whose values are slices of the original text.
//! Unlike typed structs, this keeps members that the program does not know.
//!
//! It is a separate parser, because a catalog must be parsed in one pass, and because browsers should not have to load
//! a general deserializer to split objects.

mod comments;
mod members;
mod number;
mod object;
mod parse;
mod raw;
mod record;
mod repeated;
mod scan;
mod text;
mod write;

pub use comments::without_comments;
pub use members::Members;
pub use number::{Number, NumberError};
pub(crate) use object::OwnedObject;
pub use object::ReadObject;
pub use parse::elements;
pub(crate) use parse::{each_text, pick};
pub(crate) use raw::has_type;
pub use raw::{MAX_DEPTH, Raw, is_null, is_object, text};
pub use record::{Entry, Record, choice};
pub(crate) use repeated::Repeated;
pub(crate) use scan::{KeyFilter, Scanner};
pub(crate) use text::{plain as plain_length, same_text};
pub(crate) use write::text_size;
pub use write::{Object, push_array, push_ignored, push_text};
