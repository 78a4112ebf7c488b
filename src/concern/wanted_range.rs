//! Ranges of concern values (`{"min": …, "max": …}`), for numbers and ordered values.

use super::configuration::read_value;
use crate::{
    error::Error,
    json::{Members, Number, Object, Raw},
};

/// A range that a caller asks for in place of values: numbers, or words of a concern whose values have an order. Both
/// ends are included; one of them may be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct WantedRange {
    /// The lowest value.
    pub min: Option<String>,
    /// The highest value.
    pub max: Option<String>,
}

impl WantedRange {
    /// Reads `{"min": 1, "max": 5}`; `None` for a value that is not an object with either member and no other.
    ///
    /// # Errors
    /// As [`Configuration::read`](super::Configuration::read), for an end that is neither text nor a number.
    pub(super) fn read(raw: Raw<'_>, field: &str) -> Result<Option<Self>, Error> {
        let Some(members) = Members::read(raw) else { return Ok(None) };
        let mut range = Self::default();
        for (name, raw) in members.0.iter() {
            let end = match name.as_ref() {
                "min" => &mut range.min,
                "max" => &mut range.max,
                _ => return Ok(None),
            };
            *end = Some(read_value(*raw, &[field, ".", name].concat())?);
        }
        Ok((!members.0.is_empty()).then_some(range))
    }

    /// Returns the ends of the range, in order.
    pub(super) fn ends(&self) -> impl Iterator<Item = &str> {
        self.min.iter().chain(&self.max).map(String::as_str)
    }

    /// Returns whether a value is a number within the range.
    pub(crate) fn holds_number(&self, value: &str) -> bool {
        self.holds(value, &|text| text.parse::<Number>().ok())
    }

    /// Returns whether `value` is within the range, by what `measure` makes of both.
    pub(super) fn holds<T: Ord>(&self, value: &str, measure: &impl Fn(&str) -> Option<T>) -> bool {
        let Some(value) = measure(value) else { return false };
        let above = self.min.as_deref().is_none_or(|min| measure(min).is_some_and(|min| min <= value));
        above && self.max.as_deref().is_none_or(|max| measure(max).is_some_and(|max| value <= max))
    }

    /// Appends it as JSON.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        for (name, end) in [("max", &self.max), ("min", &self.min)] {
            if let Some(end) = end {
                object.text(name, end);
            }
        }
        object.close();
    }

    /// Returns the range in words, for explanations.
    pub(crate) fn words(&self) -> String {
        let end = |end: &Option<String>| end.clone().unwrap_or_default();
        [end(&self.min), end(&self.max)].join("..")
    }
}
