use serde::Serialize;

use super::{Configuration, WantedRange, insert};
use crate::{
    error::{Error, ErrorKind, Ignored},
    json::{Entry, Number, choice, text},
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
    /// [`Concerns::applying_defaults`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Scalar>,
    /// Whether the default counts for callers that do not configure the concern.
    #[serde(skip)]
    pub apply_default: bool,
}

/// The values that a concern accepts: a list or a range of numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Values {
    /// Any of these. Numbers are written as text, in their canonical form.
    Listed(Vec<String>),
    /// A number in this range.
    Range(Range),
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

/// A value as it is written: text or a number.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Scalar {
    /// Text.
    Text(String),
    /// A number.
    Number(Number),
}

/// The treatment of a configured value that the declaration does not accept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnInvalid {
    /// The entry has no effect and is reported.
    #[default]
    Ignore,
    /// Uses the nearest accepted value, if the values are numbers or ordered text; otherwise ignores it.
    Clamp,
    /// The request is refused.
    Error,
}

/// The defaults that apply without a request for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppliedDefaults {
    /// None: a default is advice to hosts.
    None,
    /// All of them, for callers that configure a concern.
    Configured,
    /// Some of them, for every caller.
    Some,
    /// All of them, for every caller.
    All,
}

/// The concerns a server declares, in declaration order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Concerns {
    declared: Vec<Concern>,
    /// Whether a caller that configures a concern gets the defaults of the others.
    #[serde(skip)]
    apply_defaults: bool,
}

impl Concerns {
    /// Checks declarations against each other and themselves.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] for a repeated name, an empty enumeration, a range that is none, and a
    /// default that is not among the values, with the path of the declaration.
    pub fn new(concerns: Vec<Concern>) -> Result<Self, Error> {
        for (at, concern) in concerns.iter().enumerate() {
            let refuse = |message: String| {
                Err(Error::new(ErrorKind::Config, message).field(format!("concerns[{at}]")))
            };
            let name = &concern.name;
            if concerns.iter().take(at).any(|other| other.name == *name) {
                return refuse(format!("concern `{name}` is declared twice"));
            }
            match &concern.values {
                Values::Listed(values) if values.is_empty() => {
                    return refuse(format!("concern `{name}` has no values"));
                }
                Values::Listed(values) if !concern.ordered.is_sound(values) => {
                    return refuse(format!(
                        "the order of concern `{name}` needs each of its values, each word once"
                    ));
                }
                Values::Range(range) if !range.is_sound() => {
                    return refuse(format!("concern `{name}` needs min <= max and a step above 0"));
                }
                _ => {}
            }
            if let Some(default) = &concern.default
                && !concern.accepts(&default.to_string())
            {
                let expected = concern.expected();
                return refuse(format!(
                    "default `{default}` is not a value of concern `{name}`, expected {expected}"
                ));
            }
        }
        Ok(Self { declared: concerns, apply_defaults: false })
    }

    /// Sets whether a caller that configures a concern gets the defaults of the others.
    #[must_use]
    #[doc(hidden)]
    pub fn applying_defaults(self, apply_defaults: bool) -> Self {
        Self { apply_defaults, ..self }
    }

    /// Replaces the declarations by others that were each checked by [`Concerns::new`], under names that differ.
    #[doc(hidden)]
    pub fn with_checked(&self, declared: Vec<Concern>) -> Self {
        Self { declared, ..*self }
    }

    /// Returns the declared concerns.
    pub fn iter(&self) -> impl Iterator<Item = &Concern> {
        self.declared.iter()
    }

    /// Returns whether no concern is declared.
    pub fn is_empty(&self) -> bool {
        self.declared.is_empty()
    }

    /// Asks the declared default of every concern that `configuration` does not name.
    pub fn apply_defaults(&self, configuration: &mut Configuration) {
        for concern in &self.declared {
            if !configuration.names(&concern.name) {
                concern.apply_default_to(configuration);
            }
        }
    }

    /// Applies defaults that the request does not ask for, to concerns that neither `configuration` nor `url` names: those
    /// with `apply_default` for every caller, the others under [`applying_defaults`](Self::applying_defaults) and only
    /// for a caller that configures a concern.
    pub fn apply_server_defaults(&self, configuration: &mut Configuration, url: &Configuration) {
        let others = self.apply_defaults && !(configuration.is_empty() && url.is_empty());
        for concern in &self.declared {
            let Concern { name, apply_default, .. } = concern;
            if (*apply_default || others) && !configuration.names(name) && !url.names(name) {
                concern.apply_default_to(configuration);
            }
        }
    }

    /// Returns which defaults apply without a request for them.
    pub(crate) fn applied_defaults(&self) -> AppliedDefaults {
        let with_default = || self.declared.iter().filter(|concern| concern.default.is_some());
        if !with_default().any(|concern| concern.apply_default) {
            return match self.apply_defaults && with_default().next().is_some() {
                true => AppliedDefaults::Configured,
                false => AppliedDefaults::None,
            };
        }
        match with_default().all(|concern| concern.apply_default) {
            true => AppliedDefaults::All,
            false => AppliedDefaults::Some,
        }
    }

    /// Drops or replaces wanted values that the declarations do not accept.
    ///
    /// An undeclared concern is ignored too, unless `mapped` returns that primitives have values of it: servers may use
    /// concerns that they do not declare.
    ///
    /// # Errors
    /// [`ErrorKind::ConcernValue`] for a value that is not accepted, under [`OnInvalid::Error`].
    pub fn settle(
        &self,
        configuration: &Configuration,
        on_invalid: OnInvalid,
        mapped: impl Fn(&str) -> bool,
    ) -> Result<(Configuration, Vec<Ignored>), Error> {
        if configuration.is_empty() {
            return Ok(Default::default());
        }
        self.settle_all(configuration, on_invalid, &mapped)
    }

    /// Implements [`settle`](Self::settle). It is compiled once, because `mapped` is a pointer.
    #[inline(never)]
    fn settle_all(
        &self,
        configuration: &Configuration,
        on_invalid: OnInvalid,
        mapped: &dyn Fn(&str) -> bool,
    ) -> Result<(Configuration, Vec<Ignored>), Error> {
        let (mut settled, mut ignored) = (Configuration::default(), Vec::new());
        for (name, values) in configuration.iter() {
            let Some(concern) = self.declared.iter().find(|concern| concern.name == name) else {
                if mapped(name) {
                    settled.set(name, values.map(<[String]>::to_vec));
                } else {
                    ignored.push(Ignored::new(field_of(name), "unknown concern"));
                }
                continue;
            };
            let Some(values) = values else {
                settled.set(name, None);
                continue;
            };
            let accepted = concern.accepted(values, on_invalid, &mut ignored)?;
            if !accepted.is_empty() {
                concern.set_in(&mut settled, accepted);
            }
        }
        for (name, range) in configuration.ranges() {
            let Some(concern) = self.declared.iter().find(|concern| concern.name == name) else {
                match mapped(name) {
                    true => settled.set_range(name, range.clone()),
                    false => ignored.push(Ignored::new(field_of(name), "unknown concern")),
                }
                continue;
            };
            match concern.values_within(range) {
                Some(Within::Numbers) => settled.set_range(name, range.clone()),
                // Written as an empty array, it would be read as no condition.
                Some(Within::Values(values)) if values.is_empty() => settled.set_range(name, range.clone()),
                Some(Within::Values(values)) => settled.set(name, Some(values)),
                None if on_invalid == OnInvalid::Error => {
                    let message =
                        format!("no such range of concern `{name}`, expected {}", concern.expected());
                    return Err(Error::new(ErrorKind::ConcernValue, message).field(field_of(name)));
                }
                None => ignored.push(Ignored::new(field_of(name), "no range of declared values")),
            }
        }
        Ok((settled, ignored))
    }
}

/// Returns the path of a concern in a filter.
fn field_of(name: &str) -> String {
    ["concerns.", name].concat()
}

impl Concern {
    /// Sets the wanted values of this concern.
    fn set_in(&self, configuration: &mut Configuration, values: Vec<String>) {
        configuration.set(&self.name, Some(values));
        if matches!(self.values, Values::Range(_)) {
            configuration.set_numeric(&self.name);
        }
    }

    /// Sets the declared default, if there is one.
    fn apply_default_to(&self, configuration: &mut Configuration) {
        if let Some(default) = &self.default {
            self.set_in(configuration, vec![default.to_string()]);
        }
    }

    /// Returns the accepted values, without duplicates. Adds the others to `ignored`.
    ///
    /// # Errors
    /// [`ErrorKind::ConcernValue`] for a value that is not accepted, under [`OnInvalid::Error`].
    fn accepted(
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
    #[doc(hidden)]
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
    fn admit(&self, value: &str, on_invalid: OnInvalid) -> Option<String> {
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
    fn rank(&self, word: &str) -> Option<usize> {
        let words = match &self.ordered {
            Order::AsListed(false) => return None,
            Order::AsListed(true) => self.values.listed(),
            Order::Words(words) => words.as_slice(),
        };
        words.iter().position(|known| known == word)
    }

    /// Returns the declared values within a range; `None` if its ends are neither numbers nor words of the declared
    /// order.
    fn values_within(&self, range: &WantedRange) -> Option<Within> {
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
    pub(crate) fn expected(&self) -> String {
        match &self.values {
            Values::Listed(values) => format!("one of {}", values.join(", ")),
            Values::Range(Range { min, max, step: Some(step) }) => {
                format!("{min} to {max} in steps of {step}")
            }
            Values::Range(Range { min, max, step: None }) => format!("{min} to {max}"),
        }
    }
}

/// The values of a concern within a range.
enum Within {
    /// Numbers between its ends.
    Numbers,
    /// These values.
    Values(Vec<String>),
}

impl Order {
    /// Returns whether the values have no order.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::AsListed(false)
    }

    /// Returns whether an order contains each of `values`, and no word twice.
    fn is_sound(&self, values: &[String]) -> bool {
        let Self::Words(words) = self else { return true };
        let once = words
            .iter()
            .enumerate()
            .all(|(at, word)| words.iter().position(|known| known == word) == Some(at));
        once && values.iter().all(|value| words.contains(value))
    }

    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let flag = entry.flag().map(Self::AsListed);
        flag.or_else(|_| entry.texts().map(Self::Words))
            .map_err(|_| entry.refuse("expected a boolean or an array of strings"))
    }
}

impl Values {
    /// Returns the listed values; none for a range.
    pub fn listed(&self) -> &[String] {
        match self {
            Self::Listed(values) => values,
            Self::Range(_) => &[],
        }
    }

    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let listed = entry.list(|entry| Scalar::read(entry).map(Scalar::into_text));
        let values = listed.map(Self::Listed).or_else(|_| Range::read(entry).map(Self::Range));
        let expected = "expected an array of strings and numbers, or a range such as {min, max, step}";
        values.map_err(|_| entry.refuse(expected))
    }
}

impl Scalar {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }

    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let text = text(entry.raw()).map(|text| Self::Text(text.into_owned()));
        text.map_or_else(|| entry.number().map(Self::Number), Ok)
            .map_err(|_| entry.refuse("expected a string or a number"))
    }
}

impl Range {
    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut range = Self { min: Number::ZERO, max: Number::ZERO, step: None };
        let mut record = entry.record(&["min", "max", "step"])?;
        record.need(&["min", "max"]);
        record.fill("min", &mut range.min, Entry::number);
        record.fill("max", &mut range.max, Entry::number);
        record.fill("step", &mut range.step, |entry| entry.number().map(Some));
        record.end().map(|()| range)
    }

    fn is_sound(&self) -> bool {
        self.min <= self.max && self.nearest(self.max).is_some()
    }

    fn nearest(&self, number: Number) -> Option<Number> {
        match self.step {
            Some(step) => number.nearest(self.min, self.max, step),
            None => Some(number.clamp(self.min, self.max)),
        }
    }
}

impl OnInvalid {
    const NAMES: [(&str, Self); 3] =
        [("ignore", Self::Ignore), ("clamp", Self::Clamp), ("error", Self::Error)];

    /// Reads the setting.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path.
    #[doc(hidden)]
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let text = entry.text()?;
        let known = Self::NAMES.iter().find(|(name, _)| *name == text);
        known.map(|(_, value)| *value).ok_or_else(|| {
            let names = Self::NAMES.map(|(name, _)| name);
            entry.refuse(format!("unknown variant `{text}`, expected {}", choice(&names)))
        })
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
