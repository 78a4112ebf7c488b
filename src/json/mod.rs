//! A JSON parser without ownership: an object is a list of members, whose values are slices of the original text.
//! Unlike typed structs, this keeps members that the program does not know.
//!
//! It is a separate parser, because a catalog must be parsed in one pass, and because browsers should not have to load
//! a general deserializer to split objects.

mod comments;
mod number;
mod object;
mod record;
mod scan;
mod text;
mod write;

pub use comments::without_comments;
pub use number::{Number, NumberError};
pub(crate) use object::OwnedObject;
pub use object::ReadObject;
pub use record::{Entry, Record, choice};
pub(crate) use scan::{MembersAnd, Scanner};
pub(crate) use text::{plain as plain_length, same_text};
pub(crate) use write::text_size;
pub use write::{Object, push_array, push_ignored, push_text};

use std::borrow::Cow;

use crate::error::Error;

/// Maximum nesting depth of arrays and objects.
pub const MAX_DEPTH: usize = 64;

/// A JSON value as its original text, which is well-formed and has no surrounding white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// Parses a text that consists of one value.
    ///
    /// # Errors
    /// [`ErrorKind::Json`](crate::error::ErrorKind::Json) with the byte position, for text that is not exactly one JSON value or nests deeper than
    /// [`MAX_DEPTH`].
    pub fn parse(source: &'a str) -> Result<Self, Error> {
        let mut scanner = Scanner::new(source);
        let value = scanner.value()?;
        scanner.end()?;
        Ok(value)
    }

    /// Wraps a text that was already parsed.
    pub(crate) fn known(source: &'a str) -> Self {
        Self(source)
    }

    /// Returns the text of the value.
    pub fn get(self) -> &'a str {
        self.0
    }
}

/// The members of a JSON object in their original order, with unparsed values.
#[derive(Debug, Default, Clone)]
pub struct Members<'a>(pub Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Members<'a> {
    /// Parses an object. Returns `None` if `raw` is another kind of JSON value.
    pub fn read(raw: Raw<'a>) -> Option<Self> {
        Self::parse(raw.0)
    }

    /// Parses a text that consists of one object.
    pub fn parse(source: &'a str) -> Option<Self> {
        let mut scanner = Scanner::new(source);
        let members = scanner.members().ok()?;
        scanner.end().ok().and(members)
    }

    /// Parses the same in one pass, and also returns the members of the value of `name`, if that is an object.
    pub(crate) fn parse_and(source: &'a str, name: &str) -> Option<MembersAnd<'a>> {
        let mut scanner = Scanner::new(source);
        let members = scanner.members_and(name).ok()?;
        scanner.end().ok().and(members)
    }

    /// The value of `key`; of a repeated key the last, as `JSON.parse` has it.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }
}

/// Returns the string in `raw`, or `None` for another kind of value and for invalid Unicode.
pub fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    // A value that begins with a quote also ends with one.
    if raw.0.as_bytes().first() != Some(&b'"') {
        return None;
    }
    text::unescape(raw.0.get(1..raw.0.len() - 1)?)
}

/// Returns the elements of an array, or `None` for another kind of value.
pub fn elements(raw: Raw<'_>) -> Option<Vec<Raw<'_>>> {
    if !raw.0.starts_with('[') {
        return None;
    }
    let mut elements = Vec::new();
    let mut scanner = Scanner::new(raw.0);
    let is_array = scanner.elements(&mut |scanner| {
        elements.push(scanner.value()?);
        Ok(())
    });
    is_array.ok()?.then_some(elements)
}

/// Returns the values of `keys` in an object like [`Members::get`], and whether there is no white space around its
/// members. Returns no values for another kind of value, or if any key is invalid Unicode.
pub(crate) fn pick<'a, const N: usize>(raw: Raw<'a>, keys: [&str; N]) -> ([Option<Raw<'a>>; N], bool) {
    let (mut found, mut sound) = ([None; N], true);
    let mut scanner = Scanner::new(raw.0);
    let _ = scanner.object(&mut |scanner, key| {
        let value = scanner.value()?;
        let Some(key) = key else {
            sound = false;
            return Ok(());
        };
        let slots = found.iter_mut().zip(keys);
        slots.filter(|(_, name)| same_text(key, name)).for_each(|(slot, _)| *slot = Some(value));
        Ok(())
    });
    if sound { (found, scanner.tight()) } else { ([None; N], false) }
}

/// Calls `text` for each element of an array of strings. Returns `false` for any other value.
pub(crate) fn each_text<'a>(raw: Raw<'a>, mut text: impl FnMut(Cow<'a, str>)) -> bool {
    let mut scanner = Scanner::new(raw.0);
    if !matches!(scanner.open_array(), Ok(true)) {
        return false;
    }
    let (mut texts, mut begun) = (true, false);
    while let Ok(true) = scanner.next_element(&mut begun) {
        match scanner.text() {
            Ok(Some(element)) => text(element),
            _ => texts = false,
        }
    }
    texts
}

/// Returns whether `raw` is an object.
pub fn is_object(raw: Raw<'_>) -> bool {
    raw.0.starts_with('{')
}

/// Returns whether `raw` is `null`.
pub fn is_null(raw: Raw<'_>) -> bool {
    raw.0 == "null"
}
