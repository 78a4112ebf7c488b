//! All concerns that a server declares.

use serde::Serialize;

use super::{
    Configuration,
    declaration::{Concern, field_of},
    on_invalid::OnInvalid,
    values::{Values, Within},
};
use crate::error::{Error, ErrorKind, Ignored};

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
    pub fn applying_defaults(self, apply_defaults: bool) -> Self {
        Self { apply_defaults, ..self }
    }

    /// Replaces the declarations by others that were each checked by [`Concerns::new`], under names that differ.
    pub fn with_checked(&self, declared: Vec<Concern>) -> Self {
        Self { declared, ..*self }
    }

    /// Returns the declared concerns.
    pub fn iter(&self) -> impl Iterator<Item = &Concern> {
        self.declared.iter()
    }

    /// Returns whether a concern with this name is declared.
    pub fn declares(&self, name: &str) -> bool {
        self.declared.iter().any(|concern| concern.name == name)
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

    /// Applies defaults that the request does not ask for, to concerns that neither `configuration` nor `url` names:
    /// those with `apply_default` for every caller, the others under [`applying_defaults`](Self::applying_defaults) and
    /// only for a caller that configures a concern.
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
    pub fn applied_defaults(&self) -> AppliedDefaults {
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
    /// An undeclared concern is ignored too, unless `kept` returns true for its name: the presets of the operator may
    /// restrict callers by concerns that only servers declare.
    ///
    /// # Errors
    /// [`ErrorKind::ConcernValue`] for a value that is not accepted, under [`OnInvalid::Error`].
    pub fn settle(
        &self,
        configuration: &Configuration,
        on_invalid: OnInvalid,
        kept: impl Fn(&str) -> bool,
    ) -> Result<(Configuration, Vec<Ignored>), Error> {
        if configuration.is_empty() {
            return Ok(Default::default());
        }
        self.settle_all(configuration, on_invalid, &kept)
    }

    /// Implements [`settle`](Self::settle). It is compiled once, because `kept` is a pointer.
    #[inline(never)]
    fn settle_all(
        &self,
        configuration: &Configuration,
        on_invalid: OnInvalid,
        kept: &dyn Fn(&str) -> bool,
    ) -> Result<(Configuration, Vec<Ignored>), Error> {
        let (mut settled, mut ignored) = (Configuration::default(), Vec::new());
        for (name, values) in configuration.iter() {
            let Some(concern) = self.declared.iter().find(|concern| concern.name == name) else {
                if kept(name) {
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
                match kept(name) {
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

/// The defaults that apply without a request for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppliedDefaults {
    /// None: a default is advice to hosts.
    None,
    /// All of them, for callers that configure a concern.
    Configured,
    /// Some of them, for every caller.
    Some,
    /// All of them, for every caller.
    All,
}

impl AppliedDefaults {
    /// Returns the name in the capability of concerns: `advisory`, `configured`, `some` or `applied`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "advisory",
            Self::Configured => "configured",
            Self::Some => "some",
            Self::All => "applied",
        }
    }
}
