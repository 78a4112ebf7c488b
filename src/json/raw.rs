use std::borrow::Cow;

use super::text::unescape;

/// Maximum nesting depth of arrays and objects.
pub const MAX_DEPTH: usize = 64;

/// A JSON value as its original text, which is well-formed and has no surrounding white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(pub(super) &'a str);

impl<'a> Raw<'a> {
    /// Wraps a text that was already parsed.
    pub(crate) fn known(source: &'a str) -> Self {
        Self(source)
    }

    /// Returns the text of the value.
    pub fn get(self) -> &'a str {
        self.0
    }
}

/// Returns the string in `raw`, or `None` for another kind of value and for invalid Unicode.
pub fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    // A value that begins with a quote also ends with one.
    if raw.0.as_bytes().first() != Some(&b'"') {
        return None;
    }
    unescape(raw.0.get(1..raw.0.len() - 1)?)
}

/// Returns whether `raw` is an object.
pub fn is_object(raw: Raw<'_>) -> bool {
    raw.0.starts_with('{')
}

/// Returns whether `raw` has the JSON type `name`: `null`, `boolean`, `string`, `array`, `object` or `number`. Returns
/// `None` for any other name.
pub(crate) fn has_type(raw: Raw<'_>, name: &str) -> Option<bool> {
    let first = raw.0.as_bytes().first().copied().unwrap_or_default();
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

/// Returns whether `raw` is `null`.
pub fn is_null(raw: Raw<'_>) -> bool {
    raw.0 == "null"
}
