//! The declaration of a concern.

use serde::Serialize;

use super::{
    Configuration, WantedRange, insert,
    on_invalid::OnInvalid,
    values::{Order, Range, Scalar, Values, Within},
};
use crate::{
    error::{Error, ErrorKind, Ignored},
    json::{Entry, Number},
};

/// A declared concern: its name, its values and the default that a host should preselect.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Concern {
    /// The name, unique within the configuration.
    pub name: String,
    /// The description for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The accepted values.
    pub values: Values,
    /// The order of listed values, by which ranges are selected and unknown values clamped.
    #[serde(skip_serializing_if = "Order::is_none")]
    pub ordered: Order,
    /// The value that a host should preselect. It filters by itself only with `apply_default`, or under
    /// [`Concerns::applying_defaults`](super::Concerns::applying_defaults).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Scalar>,
    /// Whether the default counts for callers that do not configure the concern.
    #[serde(skip)]
    pub apply_default: bool,
}

impl Concern {
    /// Sets the wanted values of this concern.
    pub(super) fn set_in(&self, configuration: &mut Configuration, values: Vec<String>) {
        configuration.set(&self.name, Some(values));
        if matches!(self.values, Values::Range(_)) {
            configuration.set_numeric(&self.name);
        }
    }

    /// Sets the declared default, if there is one.
    pub(super) fn apply_default_to(&self, configuration: &mut Configuration) {
        if let Some(default) = &self.default {
            self.set_in(configuration, vec![default.to_string()]);
        }
    }

    /// Returns the accepted values, without duplicates. Adds the others to `ignored`.
    ///
    /// # Errors
    /// [`ErrorKind::ConcernValue`] for a value that is not accepted, under [`OnInvalid::Error`].
    pub(super) fn accepted(
        &self,
        values: &[String],
        on_invalid: OnInvalid,
        ignored: &mut Vec<Ignored>,
    ) -> Result<Vec<String>, Error> {
        let mut accepted = Vec::new();
        for value in values {
            match self.admit(value, on_invalid) {
                Some(value) => insert(&mut accepted, value),
                None if on_invalid == OnInvalid::Error => {
                    let (name, expected) = (&self.name, self.expected());
                    let message =
                        format!("`{value}` is not a value of concern `{name}`, expected {expected}");
                    return Err(Error::new(ErrorKind::ConcernValue, message).field(field_of(name)));
                }
                None => ignored.push(Ignored::new(field_of(&self.name), "not a declared value")),
            }
        }
        Ok(accepted)
    }

    /// Reads a declaration.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut concern = Self {
            name: String::new(),
            description: None,
            values: Values::Listed(vec![]),
            ordered: Order::AsListed(false),
            default: None,
            apply_default: false,
        };
        let mut record =
            entry.record(&["name", "description", "values", "ordered", "default", "applyDefault"])?;
        record.need(&["name", "values"]);
        record.fill("name", &mut concern.name, Entry::text);
        record.fill_optional("description", &mut concern.description, Entry::text);
        record.fill("values", &mut concern.values, Values::read);
        record.fill("ordered", &mut concern.ordered, Order::read);
        record.fill_optional("default", &mut concern.default, Scalar::read);
        record.fill("applyDefault", &mut concern.apply_default, Entry::flag);
        // A host compares the default with the values, which are texts.
        if matches!(concern.values, Values::Listed(_)) {
            concern.default = concern.default.map(|default| Scalar::Text(default.into_text()));
        }
        record.end().map(|()| concern)
    }

    /// Returns whether the concern accepts a value.
    pub fn accepts(&self, value: &str) -> bool {
        match &self.values {
            Values::Listed(values) => values.iter().any(|known| known == value),
            Values::Range(range) => value.parse().is_ok_and(|number| range.nearest(number) == Some(number)),
        }
    }

    /// Returns the canonical text of an accepted value or, when clamping, the nearest accepted value.
    pub(super) fn admit(&self, value: &str, on_invalid: OnInvalid) -> Option<String> {
        let accepted = self.accepts(value);
        match &self.values {
            Values::Range(range) => {
                let nearest = range.nearest(value.parse().ok()?)?;
                (accepted || on_invalid == OnInvalid::Clamp).then(|| nearest.to_string())
            }
            Values::Listed(_) if accepted => Some(value.to_owned()),
            Values::Listed(values) if self.rank(value).is_some() && on_invalid == OnInvalid::Clamp => {
                let wanted = self.rank(value)?;
                let distance = |known: &&String| self.rank(known).map(|rank| (rank.abs_diff(wanted), rank));
                values.iter().filter(|known| self.rank(known).is_some()).min_by_key(distance).cloned()
            }
            // Text beyond an ordered enumeration has no nearest neighbour unless both are numbers.
            Values::Listed(values) if !self.ordered.is_none() && on_invalid == OnInvalid::Clamp => {
                let wanted: Number = value.parse().ok()?;
                let numbers = || values.iter().filter_map(|known| known.parse::<Number>().ok());
                let below = numbers().filter(|known| *known <= wanted).max();
                let above = numbers().filter(|known| *known > wanted).min();
                let nearest = match (below, above) {
                    (Some(below), Some(above)) => wanted.nearer(below, above),
                    (one, other) => one.or(other)?,
                };
                values.iter().find(|known| known.parse() == Ok(nearest)).cloned()
            }
            Values::Listed(_) => None,
        }
    }

    /// Returns the position of a word in the order of the values, if it has one.
    pub(super) fn rank(&self, word: &str) -> Option<usize> {
        let words = match &self.ordered {
            Order::AsListed(false) => return None,
            Order::AsListed(true) => self.values.listed(),
            Order::Words(words) => words.as_slice(),
        };
        words.iter().position(|known| known == word)
    }

    /// Returns the declared values within a range; `None` if its ends are neither numbers nor words of the declared
    /// order.
    pub(super) fn values_within(&self, range: &WantedRange) -> Option<Within> {
        let Values::Listed(values) = &self.values else {
            let numbers = range.ends().all(|end| end.parse::<Number>().is_ok());
            return numbers.then_some(Within::Numbers);
        };
        range.ends().all(|end| self.rank(end).is_some()).then_some(())?;
        let within = values.iter().filter(|value| range.holds(value, &|word| self.rank(word)));
        let mut sorted = Vec::with_capacity(values.len());
        within.for_each(|value| insert(&mut sorted, value.clone()));
        Some(Within::Values(sorted))
    }

    /// Returns the accepted values, in words.
    pub fn expected(&self) -> String {
        match &self.values {
            Values::Listed(values) => format!("one of {}", values.join(", ")),
            Values::Range(Range { min, max, step: Some(step) }) => {
                format!("{min} to {max} in steps of {step}")
            }
            Values::Range(Range { min, max, step: None }) => format!("{min} to {max}"),
        }
    }
}

/// Returns the path of a concern in a filter.
pub(super) fn field_of(name: &str) -> String {
    ["concerns.", name].concat()
}
