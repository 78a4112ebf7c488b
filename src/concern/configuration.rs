//! A caller's concern configuration: the wanted values or range of each concern.

use super::WantedRange;
use crate::{
    catalog::number_text,
    error::Error,
    json::{Members, Object, Raw},
};

impl Configuration {
    /// Most values in one field of a filter (SEP-2564).
    pub const MAX_VALUES: usize = 100;

    /// Longest value, in characters (SEP-2564).
    pub const MAX_VALUE_LENGTH: usize = 256;

    /// Checks the length of a value.
    ///
    /// # Errors
    /// [`ErrorKind::FilterLimit`](crate::error::ErrorKind::FilterLimit) for a value longer than
    /// [`Configuration::MAX_VALUE_LENGTH`].
    pub fn check_length(value: &str, field: &str) -> Result<(), Error> {
        if value.chars().count() > Self::MAX_VALUE_LENGTH {
            return Err(Error::filter_limit(field, format!("at most {} characters", Self::MAX_VALUE_LENGTH)));
        }
        Ok(())
    }
}

/// The values that a caller wants of each concern: any of a list, or `None` to unset the concern explicitly.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// By name, each once.
    concerns: Vec<(String, Option<Vec<String>>)>,
    /// By name, each once and not among `concerns`.
    ranges: Vec<(String, WantedRange)>,
    /// The names of settled concerns whose values are numbers.
    numeric: Vec<String>,
}

impl Configuration {
    /// Reads a flat object of concern names to a text, a number, an array of these, a range `{min, max}`, or `null`.
    ///
    /// # Errors
    /// [`ErrorKind::FilterType`](crate::ErrorKind::FilterType) and
    /// [`ErrorKind::FilterLimit`](crate::ErrorKind::FilterLimit), with the path below `field`.
    pub fn read(raw: Raw<'_>, field: &str) -> Result<Self, Error> {
        let members = Members::read(raw)
            .ok_or_else(|| Error::filter_type(field, "an object of concern names to values"))?;
        if members.0.len() > Configuration::MAX_VALUES {
            return Err(Error::filter_limit(
                field,
                format!("at most {max} concerns", max = Configuration::MAX_VALUES),
            ));
        }
        let mut configuration = Self::default();
        for (name, raw) in members.0 {
            let field = format!("{field}.{name}");
            Configuration::check_length(&name, &field)?;
            match WantedRange::read(raw, &field)? {
                Some(range) => configuration.set_range(&name, range),
                // An empty array asks for nothing, like an absent field.
                None if raw.elements().is_some_and(|values| values.is_empty()) => {}
                None => configuration.set(&name, read_values(raw, &field)?),
            }
        }
        Ok(configuration)
    }

    /// Sets the wanted values of the concern called `name`, replacing earlier ones. `None` unsets the concern.
    pub fn set(&mut self, name: &str, values: Option<Vec<String>>) {
        self.ranges.retain(|(known, _)| known != name);
        match self.concerns.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
            Ok(place) => {
                self.concerns.get_mut(place).into_iter().for_each(|(_, known)| known.clone_from(&values))
            }
            Err(place) => self.concerns.insert(place, (name.to_owned(), values)),
        }
    }

    /// Sets the wanted range of the concern called `name`, replacing earlier values.
    pub fn set_range(&mut self, name: &str, range: WantedRange) {
        self.concerns.retain(|(known, _)| known != name);
        match self.ranges.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
            Ok(place) => self.ranges.get_mut(place).into_iter().for_each(|(_, known)| *known = range.clone()),
            Err(place) => self.ranges.insert(place, (name.to_owned(), range)),
        }
    }

    /// Replaces the wanted values of every concern that `over` names by those of `over`.
    pub fn merge(&mut self, over: &Self) {
        for (name, values) in over.iter() {
            self.set(name, values.map(<[String]>::to_vec));
        }
        for (name, range) in over.ranges() {
            self.set_range(name, range.clone());
        }
    }

    /// Returns whether the concern `name` has values, has a range, or is explicitly unset.
    pub fn names(&self, name: &str) -> bool {
        self.iter().any(|(known, _)| known == name) || self.ranges().any(|(known, _)| known == name)
    }

    /// Sets that the values of the concern called `name` are numbers.
    pub(super) fn set_numeric(&mut self, name: &str) {
        self.numeric.push(name.to_owned());
    }

    /// Returns whether the values of the concern called `name` are numbers, so that every spelling of one matches.
    pub(crate) fn is_numeric(&self, name: &str) -> bool {
        self.numeric.iter().any(|known| known == name)
    }

    /// Returns the wanted ranges, in the order of the concerns' names.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = (&str, &WantedRange)> {
        self.ranges.iter().map(|(name, range)| (name.as_str(), range))
    }

    /// Returns the wanted values of the concern called `name`.
    pub fn get(&self, name: &str) -> Option<&[String]> {
        self.iter().find(|(known, _)| *known == name).and_then(|(_, values)| values)
    }

    /// Returns the wanted values, in the order of the concerns' names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Option<&[String]>)> {
        self.concerns.iter().map(|(name, values)| (name.as_str(), values.as_deref()))
    }

    /// Appends it as JSON, in the order of names and values.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut concerns = Object::open(out);
        let mut ranges = self.ranges().peekable();
        for (name, values) in self.iter() {
            while let Some((name, range)) = ranges.next_if(|(other, _)| *other < name) {
                range.write(concerns.value(name));
            }
            match values {
                None => concerns.raw(name, b"null"),
                Some([only]) => concerns.text(name, only),
                Some(several) => {
                    let mut sorted = Vec::with_capacity(several.len());
                    several.iter().for_each(|value| insert(&mut sorted, value.as_str()));
                    concerns.texts(name, &sorted);
                }
            }
        }
        for (name, range) in ranges {
            range.write(concerns.value(name));
        }
        concerns.close();
    }

    /// Returns the configuration as JSON.
    pub fn text(&self) -> String {
        let mut out = Vec::new();
        self.write(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Returns whether nothing is configured.
    pub fn is_empty(&self) -> bool {
        self.concerns.is_empty() && self.ranges.is_empty()
    }
}

fn read_values(raw: Raw<'_>, field: &str) -> Result<Option<Vec<String>>, Error> {
    if raw.is_null() {
        return Ok(None);
    }
    let Some(values) = raw.elements() else {
        return Ok(Some(vec![read_value(raw, field)?]));
    };
    if values.len() > Configuration::MAX_VALUES {
        return Err(Error::filter_limit(
            field,
            format!("at most {max} values", max = Configuration::MAX_VALUES),
        ));
    }
    let mut read = Vec::with_capacity(values.len());
    for (at, raw) in values.into_iter().enumerate() {
        insert(&mut read, read_value(raw, &format!("{field}[{at}]"))?);
    }
    Ok(Some(read))
}

pub(super) fn read_value(raw: Raw<'_>, field: &str) -> Result<String, Error> {
    let value = raw.text().map(std::borrow::Cow::into_owned).or_else(|| number_text(raw));
    let value = value.ok_or_else(|| Error::filter_type(field, "a string or a number"))?;
    Configuration::check_length(&value, field)?;
    Ok(value)
}

/// Adds to a short list that is in order and holds nothing twice.
pub fn insert<T: Ord>(list: &mut Vec<T>, value: T) {
    if let Err(place) = list.binary_search(&value) {
        list.insert(place, value);
    }
}
