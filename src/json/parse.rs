//! Functions that parse a text, or a value, with the scanner.

use std::borrow::Cow;

use super::{
    members::Members,
    raw::Raw,
    scan::{MembersAnd, Scanner},
    text::same_text,
};
use crate::error::Error;

impl<'a> Raw<'a> {
    /// Parses a text that consists of one value.
    ///
    /// # Errors
    /// [`ErrorKind::Json`](crate::error::ErrorKind::Json) with the byte position, for text that is not exactly one JSON
    /// value or nests deeper than [`Raw::MAX_DEPTH`].
    pub fn parse(source: &'a str) -> Result<Self, Error> {
        Self::parse_with(Scanner::new(source))
    }

    /// Parses a text like [`Raw::parse`], of any depth. It is for text of servers, where one value that is too deep may
    /// not cost those beside it.
    ///
    /// # Errors
    /// [`ErrorKind::Json`](crate::error::ErrorKind::Json) with the byte position, for text that is not exactly one JSON
    /// value.
    pub fn parse_deep(source: &'a str) -> Result<Self, Error> {
        Self::parse_with(Scanner::lenient(source))
    }

    fn parse_with(mut scanner: Scanner<'a>) -> Result<Self, Error> {
        let value = scanner.value()?;
        scanner.end()?;
        Ok(value)
    }

    /// Returns whether the value nests deeper than `levels`.
    pub fn is_deeper(self, levels: usize) -> bool {
        // Each level takes two brackets.
        self.0.len() > 2 * levels && Scanner::lenient(self.0).passes_beyond(levels)
    }

    /// Returns the elements of an array, or `None` for another kind of value.
    pub fn elements(self) -> Option<Vec<Self>> {
        if !self.0.starts_with('[') {
            return None;
        }
        let mut elements = Vec::new();
        let mut scanner = Scanner::lenient(self.0);
        let is_array = scanner.elements(&mut |scanner| {
            elements.push(scanner.value()?);
            Ok(())
        });
        is_array.ok()?.then_some(elements)
    }
}

impl<'a> Members<'a> {
    /// Parses an object. Returns `None` if `raw` is another kind of JSON value.
    pub fn read(raw: Raw<'a>) -> Option<Self> {
        Self::parse(raw.0)
    }

    /// Parses a text that consists of one object. Its values may nest deeper than [`Raw::MAX_DEPTH`].
    pub fn parse(source: &'a str) -> Option<Self> {
        let mut scanner = Scanner::lenient(source);
        let members = scanner.members().ok()?;
        scanner.end().ok().and(members)
    }

    /// Parses an object like [`Members::parse`], of at most [`Raw::MAX_DEPTH`] levels. In the same pass, it also parses
    /// the members of the value of `name`, if that is an object.
    pub fn parse_and(source: &'a str, name: &str) -> Option<MembersAnd<'a>> {
        let mut scanner = Scanner::new(source);
        let members = scanner.members_and(name).ok()?;
        scanner.end().ok().and(members)
    }
}

/// Returns the values of `keys` in an object like [`Members::get`], and whether there is no white space around its
/// members and no escape in its keys. Returns no values for another kind of value.
pub(crate) fn pick<'a, const N: usize>(raw: Raw<'a>, keys: [&str; N]) -> ([Option<Raw<'a>>; N], bool) {
    let mut found = [None; N];
    let mut scanner = Scanner::lenient(raw.0);
    let _ = scanner.object(&mut |scanner, key| {
        let value = scanner.value()?;
        // A key that is not Unicode is none of these.
        if let Some(key) = key {
            let slots = found.iter_mut().zip(keys).filter(|(_, name)| same_text(key, name));
            slots.for_each(|(slot, _)| *slot = Some(value));
        }
        Ok(())
    });
    (found, scanner.tight())
}

/// Calls `text` for each element of an array of strings. Returns `false` for any other value.
pub(crate) fn each_text<'a>(raw: Raw<'a>, mut text: impl FnMut(Cow<'a, str>)) -> bool {
    let mut scanner = Scanner::lenient(raw.0);
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
