use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Configuration;
use crate::error::{Error, ErrorKind, Ignored};

/// One declared concern: its name, its answers and the one a host should preselect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concern {
    /// Unique within the server.
    pub name: String,
    /// What it means, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The answers it accepts.
    pub values: Values,
    /// Whether listed values run from less to more, so that a stray one can be clamped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ordered: bool,
    /// The answer a host should preselect. Descriptive: it never filters by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Scalar>,
}

/// The answers a concern accepts: an enumeration or a numeric range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected an array of strings or a range such as {min, max, step}")]
pub enum Values {
    /// One of these.
    Listed(Vec<String>),
    /// A number in this range.
    Range(Range),
}

/// The numbers from `min` to `max`, both included, in steps counted from `min`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, f64>")]
pub struct Range {
    /// The lowest number.
    pub min: f64,
    /// The highest number.
    pub max: f64,
    /// The distance between two accepted numbers; absent, every number between the bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

/// By way of a map, because a derived struct would take `[0, 10]` for a range.
impl TryFrom<BTreeMap<String, f64>> for Range {
    type Error = &'static str;

    fn try_from(mut members: BTreeMap<String, f64>) -> Result<Self, Self::Error> {
        let (min, max, step) = (members.remove("min"), members.remove("max"), members.remove("step"));
        match (min, max, members.is_empty()) {
            (Some(min), Some(max), true) => Ok(Self { min, max, step }),
            _ => Err("expected min, max and at most step"),
        }
    }
}

/// A value as it is written: text or a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a string or a number")]
pub enum Scalar {
    /// Text.
    Text(String),
    /// A number.
    Number(f64),
}

/// What happens to a configured value that the declaration does not accept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnInvalid {
    /// The entry has no effect and is reported.
    #[default]
    Ignore,
    /// The nearest accepted value is taken, where the values are numbers or ordered text; else ignored.
    Clamp,
    /// The request is refused.
    Error,
}

/// The concerns a server declares, in declaration order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Concerns(Vec<Concern>);

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
                Values::Range(range) if !range.is_sound() => {
                    return refuse(format!("concern `{name}` needs min <= max and a step above 0"));
                }
                _ => {}
            }
            if let Some(default) = &concern.default
                && !concern.accepts(&default.to_string())
            {
                return refuse(format!("default `{default}` is not a value of concern `{name}`"));
            }
        }
        Ok(Self(concerns))
    }

    /// The declarations.
    pub fn iter(&self) -> impl Iterator<Item = &Concern> {
        self.0.iter()
    }

    /// Whether none is declared.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops or mends what the declarations do not accept.
    ///
    /// A concern that is not declared is ignored too, unless `mapped` says that primitives map it: a
    /// server may map what it does not declare.
    ///
    /// # Errors
    /// [`ErrorKind::ConcernValue`] for a value that is not accepted, under [`OnInvalid::Error`].
    pub fn settle(
        &self,
        configuration: &Configuration,
        on_invalid: OnInvalid,
        mapped: impl Fn(&str) -> bool,
    ) -> Result<(Configuration, Vec<Ignored>), Error> {
        let (mut settled, mut ignored) = (Configuration::default(), Vec::new());
        for (name, values) in &configuration.0 {
            let field = format!("concerns.{name}");
            let Some(concern) = self.0.iter().find(|concern| concern.name == *name) else {
                if mapped(name) {
                    settled.0.insert(name.clone(), values.clone());
                } else {
                    ignored.push(Ignored { field, reason: "unknown concern" });
                }
                continue;
            };
            let Some(values) = values else {
                settled.0.insert(name.clone(), None);
                continue;
            };
            let mut accepted = Vec::new();
            for value in values {
                match concern.admit(value, on_invalid) {
                    Some(value) => accepted.push(value),
                    None if on_invalid == OnInvalid::Error => {
                        let message = format!(
                            "`{value}` is not a value of concern `{name}`, expected {}",
                            concern.expected()
                        );
                        return Err(Error::new(ErrorKind::ConcernValue, message).field(field));
                    }
                    None => ignored.push(Ignored { field: field.clone(), reason: "not a declared value" }),
                }
            }
            accepted.sort_unstable();
            accepted.dedup();
            if !accepted.is_empty() {
                settled.0.insert(name.clone(), Some(accepted));
            }
        }
        Ok((settled, ignored))
    }
}

impl Concern {
    fn accepts(&self, value: &str) -> bool {
        match &self.values {
            Values::Listed(values) => values.iter().any(|known| known == value),
            Values::Range(range) => value.parse().is_ok_and(|number| range.holds(number)),
        }
    }

    /// The value in its canonical text if accepted, the nearest accepted one when clamping.
    fn admit(&self, value: &str, on_invalid: OnInvalid) -> Option<String> {
        let accepted = self.accepts(value);
        match &self.values {
            Values::Range(range) => {
                let number = value.parse().ok().filter(|number: &f64| number.is_finite())?;
                let clamped = || (on_invalid == OnInvalid::Clamp).then(|| range.nearest(number));
                let admitted = if accepted { Some(number) } else { clamped() };
                // Zero has no sign.
                admitted.map(|number| (number + 0.0).to_string())
            }
            Values::Listed(_) if accepted => Some(value.to_owned()),
            // Text beyond an ordered enumeration has no nearest neighbour unless both are numbers.
            Values::Listed(values) if self.ordered && on_invalid == OnInvalid::Clamp => {
                let wanted = value.parse().ok().filter(|number: &f64| number.is_finite())?;
                let distance = |known: &String| known.parse::<f64>().ok().map(|known| (known - wanted).abs());
                let ranked = values.iter().filter_map(|known| distance(known).map(|far| (far, known)));
                ranked.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, known)| known.clone())
            }
            Values::Listed(_) => None,
        }
    }

    fn expected(&self) -> String {
        match &self.values {
            Values::Listed(values) => format!("one of {}", values.join(", ")),
            Values::Range(Range { min, max, step: Some(step) }) => {
                format!("{min} to {max} in steps of {step}")
            }
            Values::Range(Range { min, max, step: None }) => format!("{min} to {max}"),
        }
    }
}

impl Range {
    fn is_sound(&self) -> bool {
        self.min.is_finite()
            && self.max.is_finite()
            && self.min <= self.max
            && self.step.is_none_or(|step| step > 0.0)
    }

    fn holds(&self, number: f64) -> bool {
        let on_a_step = |step: f64| {
            let steps = (number - self.min) / step;
            (steps - steps.round()).abs() <= slack(steps)
        };
        (self.min..=self.max).contains(&number) && self.step.is_none_or(on_a_step)
    }

    fn nearest(&self, number: f64) -> f64 {
        let bounded = number.clamp(self.min, self.max);
        let Some(step) = self.step else { return bounded };
        let steps = |to: f64| (to - self.min) / step;
        let last = (steps(self.max) + slack(steps(self.max))).floor();
        let nearest = self.min + steps(bounded).round().min(last) * step;
        // What a person would have written: three steps of `0.1` are `0.3`, not `0.30000000000000004`.
        format!("{nearest:.10}").parse().unwrap_or(nearest)
    }
}

/// How far a number of steps may be from a whole one and still be it: decimal fractions divide inexactly.
fn slack(steps: f64) -> f64 {
    1e-9 * steps.abs().max(1.0)
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
        }
    }
}
