//! A JSON value as a slice of its source text, with checks of its type.

use std::borrow::Cow;

use super::text::unescape;

/// A JSON value as its original text, which is well-formed and has no surrounding white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(pub(super) &'a str);

impl<'a> Raw<'a> {
    /// Maximum nesting depth of arrays and objects.
    pub const MAX_DEPTH: usize = 64;

    /// Wraps a text that was already parsed.
    pub fn known(source: &'a str) -> Self {
        Self(source)
    }

    /// Returns the text of the value.
    pub fn get(self) -> &'a str {
        self.0
    }

    /// Returns the string, or `None` for another kind of value and for invalid Unicode.
    pub fn text(self) -> Option<Cow<'a, str>> {
        // A value that begins with a quote also ends with one.
        if self.0.as_bytes().first() != Some(&b'"') {
            return None;
        }
        unescape(self.0.get(1..self.0.len() - 1)?)
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
