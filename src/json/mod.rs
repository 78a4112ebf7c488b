//! Reading JSON without owning it: an object as its members, each value still the bytes it came as.
//! A gateway that goes through typed structs drops what it does not know; this does not.
//!
//! The reader is our own because a catalog must be read in one pass, and because a browser should not
//! fetch a general deserializer to split objects.

mod comments;
mod number;
mod record;
mod scan;
mod text;
mod write;

pub use comments::without_comments;
pub use number::{Number, NumberError};
pub use record::{Entry, Record, choice};
pub(crate) use scan::Scanner;
pub(crate) use text::{plain as plain_length, same_text};
pub(crate) use write::text_size;
pub use write::{Object, push_array, push_ignored, push_text};

use std::borrow::Cow;

use crate::error::Error;

/// Deepest nesting of arrays and objects that is read.
pub const MAX_DEPTH: usize = 64;

/// A JSON value as the text it was written as, known to be well-formed, without surrounding white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// Parses the one value that `source` holds.
    ///
    /// # Errors
    /// [`ErrorKind::Json`](crate::error::ErrorKind::Json) with the byte, for text that is not one JSON
    /// value or nests deeper than [`MAX_DEPTH`].
    pub fn parse(source: &'a str) -> Result<Self, Error> {
        let mut scanner = Scanner::new(source);
        let value = scanner.value()?;
        scanner.end()?;
        Ok(value)
    }

    /// A part of text that was read already.
    pub(crate) fn known(source: &'a str) -> Self {
        Self(source)
    }

    /// Returns the text of the value.
    pub fn get(self) -> &'a str {
        self.0
    }
}

/// The members of a JSON object, in the order they were written, values untouched.
#[derive(Debug, Default, Clone)]
pub struct Members<'a>(pub Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Members<'a> {
    /// Reads an object. `None` when `raw` is another kind of JSON value.
    pub fn read(raw: Raw<'a>) -> Option<Self> {
        Self::parse(raw.0)
    }

    /// Reads an object from text that holds it and nothing else.
    pub fn parse(source: &'a str) -> Option<Self> {
        let mut scanner = Scanner::new(source);
        let members = scanner.members().ok()?;
        scanner.end().ok().and(members)
    }

    /// The value of `key`; of a repeated key the last, as `JSON.parse` has it.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }
}

/// The string that `raw` is, or `None` for another kind of value and for one that is not Unicode.
pub fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    // A value that begins with a quote ends with another.
    if raw.0.as_bytes().first() != Some(&b'"') {
        return None;
    }
    text::unescape(raw.0.get(1..raw.0.len() - 1)?)
}

/// The elements of the array that `raw` is, or `None` for another kind of value.
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

/// The values of `keys` in the object that `raw` is, as [`Members::get`] gives them, and whether it has no space
/// around its members; none for another kind of value, and for an object with a key that is not Unicode.
pub(crate) fn pick<'a, const N: usize>(raw: Raw<'a>, keys: [&str; N]) -> ([Option<Raw<'a>>; N], bool) {
    let (mut found, mut sound) = ([None; N], true);
    let mut scanner = Scanner::new(raw.0);
    let _ = scanner.object(&mut |scanner, key| {
        let value = scanner.value()?;
        let Some(key) = key.as_deref() else {
            sound = false;
            return Ok(());
        };
        let slots = found.iter_mut().zip(keys);
        slots.filter(|(_, name)| same_text(key, name)).for_each(|(slot, _)| *slot = Some(value));
        Ok(())
    });
    if sound { (found, scanner.tight()) } else { ([None; N], false) }
}

/// Calls `text` for each element of the array of strings that `raw` is; false where it is anything else.
pub(crate) fn each_text<'a>(raw: Raw<'a>, mut text: impl FnMut(Cow<'a, str>)) -> bool {
    let mut texts = true;
    let is_array = Scanner::new(raw.0).elements(&mut |scanner| {
        match scanner.text()? {
            Some(element) => text(element),
            None => texts = false,
        }
        Ok(())
    });
    matches!(is_array, Ok(true)) && texts
}

/// Whether `raw` is an object.
pub fn is_object(raw: Raw<'_>) -> bool {
    raw.0.starts_with('{')
}

/// Whether `raw` is `null`.
pub fn is_null(raw: Raw<'_>) -> bool {
    raw.0 == "null"
}
