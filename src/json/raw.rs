//! A JSON value as a slice of its source text, with checks of its type.

use std::borrow::Cow;

use super::text::{unescape, well_formed};

/// A JSON value as its original text, which is well-formed and has no surrounding white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(pub(super) &'a str);

impl<'a> Raw<'a> {
    /// Maximum nesting depth of arrays and objects: the deepest that `serde_json` reads, too.
    pub const MAX_DEPTH: usize = 127;

    /// Wraps a text that was already parsed.
    pub fn known(source: &'a str) -> Self {
        Self(source)
    }

    /// Returns the text of the value.
    pub fn get(self) -> &'a str {
        self.0
    }

    /// Returns the string, or `None` for another kind of value and for invalid Unicode: an escape such as `\ud83d` that is
    /// half of a surrogate pair.
    pub fn text(self) -> Option<Cow<'a, str>> {
        // A value that begins with a quote also ends with one.
        if self.0.as_bytes().first() != Some(&b'"') {
            return None;
        }
        unescape(self.0.get(1..self.0.len() - 1)?)
    }

    /// Returns the string with U+FFFD in place of each lone surrogate, or `None` for another kind of value.
    pub fn lossy_text(self) -> Option<Cow<'a, str>> {
        if !self.0.starts_with('"') {
            return None;
        }
        self.text().or_else(|| Some(Cow::Owned(Raw(&self.well_formed()).text()?.into_owned())))
    }

    /// Returns the text of the value with the escape of U+FFFD in place of each lone surrogate, which is no character:
    /// servers cut texts inside of one. Both escapes have the same length, so positions do not change.
    pub fn well_formed(self) -> Cow<'a, str> {
        well_formed(self.0)
    }

    /// Returns whether the value is an object.
    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// Returns whether the value has the JSON type `name`: `null`, `boolean`, `string`, `array`, `object` or `number`.
    /// Returns `None` for any other name.
    pub fn has_type(self, name: &str) -> Option<bool> {
        let first = self.0.as_bytes().first().copied().unwrap_or_default();
        Some(match name {
            "null" => first == b'n',
            "boolean" => matches!(first, b't' | b'f'),
            "string" => first == b'"',
            "array" => first == b'[',
            "object" => first == b'{',
            "number" => matches!(first, b'-' | b'0'..=b'9'),
            _ => return None,
        })
    }

    /// Returns whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }
}
