//! The values that a concern accepts, and their order.

use serde::Serialize;

use crate::{
    error::Error,
    json::{Entry, Number},
};

/// The values that a concern accepts: a list or a range of numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Values {
    /// Any of these. Numbers are written as text, in their canonical form.
    Listed(Vec<String>),
    /// A number in this range.
    Range(Range),
}

impl Values {
    /// Returns the listed values; none for a range.
    pub fn listed(&self) -> &[String] {
        match self {
            Self::Listed(values) => values,
            Self::Range(_) => &[],
        }
    }

    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let listed = entry.list(|entry| Scalar::read(entry).map(Scalar::into_text));
        let values = listed.map(Self::Listed).or_else(|_| Range::read(entry).map(Self::Range));
        let expected = "expected an array of strings and numbers, or a range such as {min, max, step}";
        values.map_err(|_| entry.refuse(expected))
    }
}

/// The order of listed values.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Order {
    /// Whether the values are listed from less to more.
    AsListed(bool),
    /// Words from less to more: every value, and words that are clamped to the nearest value.
    Words(Vec<String>),
}

impl Order {
    /// Returns whether the values have no order.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::AsListed(false)
    }

    /// Returns whether an order contains each of `values`, and no word twice.
    pub(super) fn is_sound(&self, values: &[String]) -> bool {
        let Self::Words(words) = self else { return true };
        let once = words
            .iter()
            .enumerate()
            .all(|(at, word)| words.iter().position(|known| known == word) == Some(at));
        once && values.iter().all(|value| words.contains(value))
    }

    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let flag = entry.flag().map(Self::AsListed);
        flag.or_else(|_| entry.texts().map(Self::Words))
            .map_err(|_| entry.refuse("expected a boolean or an array of strings"))
    }
}

/// The numbers from `min` to `max`, both included, in steps counted from `min`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Range {
    /// The lowest number.
    pub min: Number,
    /// The highest number.
    pub max: Number,
    /// The distance between accepted numbers. If absent, every number within the bounds is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Number>,
}

impl Range {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut range = Self { min: Number::ZERO, max: Number::ZERO, step: None };
        let mut record = entry.record(&["min", "max", "step"])?;
        record.need(&["min", "max"]);
        record.fill("min", &mut range.min, Entry::number);
        record.fill("max", &mut range.max, Entry::number);
        record.fill("step", &mut range.step, |entry| entry.number().map(Some));
        record.end().map(|()| range)
    }

    pub(super) fn is_sound(&self) -> bool {
        self.min <= self.max && self.nearest(self.max).is_some()
    }

    pub(super) fn nearest(&self, number: Number) -> Option<Number> {
        match self.step {
            Some(step) => number.nearest(self.min, self.max, step),
            None => Some(number.clamp(self.min, self.max)),
        }
    }
}

/// A value as it is written: text or a number.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Scalar {
    /// Text.
    Text(String),
    /// A number.
    Number(Number),
}

impl Scalar {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }

    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let text = entry.raw().text().map(|text| Self::Text(text.into_owned()));
        text.map_or_else(|| entry.number().map(Self::Number), Ok)
            .map_err(|_| entry.refuse("expected a string or a number"))
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// The values of a concern within a range.
pub(super) enum Within {
    /// Numbers between its ends.
    Numbers,
    /// These values.
    Values(Vec<String>),
}
