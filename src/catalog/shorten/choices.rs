//! Long lists of values, which a sentence in the description replaces.

use std::borrow::Cow;

use crate::json::{Members, Raw};

/// Maximum number of values of an `enum` that is kept.
const MAX_CHOICES: usize = 10;
/// The number of values of a longer one that its description names.
const NAMED: usize = 5;
/// Maximum length of a value that a description names, in characters.
const MAX_NAMED: usize = 40;

/// A long `enum`, as the description and the type that replace it.
#[derive(Debug)]
pub(super) struct Choices<'a> {
    values: Vec<Raw<'a>>,
}

impl<'a> Choices<'a> {
    /// Returns the `enum` of a schema, if it is long.
    pub fn long(schema: &Members<'a>) -> Option<Self> {
        let values = schema.get("enum")?.elements()?;
        (values.len() > MAX_CHOICES).then_some(Self { values })
    }

    /// Returns the JSON type that all values have.
    pub fn shared_type(&self) -> Option<&'static str> {
        let types = ["string", "number", "boolean", "object", "array", "null"];
        types.into_iter().find(|name| self.values.iter().all(|value| value.has_type(name) == Some(true)))
    }

    /// Returns the sentence that names the first values: `One of: a, b, c, d, e, … (40 in all)`.
    pub fn sentence(&self) -> String {
        let mut sentence = "One of: ".to_owned();
        for value in self.values.iter().take(NAMED) {
            let value = value.text().unwrap_or(Cow::Borrowed(value.get()));
            sentence.extend(value.chars().take(MAX_NAMED));
            sentence.push_str(if value.chars().nth(MAX_NAMED).is_some() { "…, " } else { ", " });
        }
        [&sentence, "… (", &self.values.len().to_string(), " in all)"].concat()
    }
}
