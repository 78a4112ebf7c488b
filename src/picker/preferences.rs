//! The stored preferences of a user: disabled names, favorites, pins, concern values and the limit.

use std::{fmt, str::FromStr};

use super::{
    Choice, Picker,
    choice::{Named, put},
    history::History,
};
use crate::{
    catalog::Kind,
    concern::Configuration,
    error::{Error, ErrorKind},
    filter::Limit,
    json::{Entry, Object, Raw},
};

impl Preferences {
    /// Maximum number of disabled names, of favorites, and of pins. A filter has a lower limit.
    pub const MAX_NAMES: usize = 1000;

    /// The version of the text format that is written. Older versions can be read, newer ones are rejected.
    pub const VERSION: u32 = 1;
}

/// The part of a choice that a host stores for each server and user.
///
/// ```text
/// {"version":1,"disabled":{"tools":["wipe"]},"favorites":{"prompts":["triage"]},"pins":{"tools":["read"]},"concerns":{"cost":"low"},"limit":{"count":40}}
/// ```
/// The text contains disabled names rather than enabled ones, so that new tools of a server are visible. In a text
/// without a version, which predates kinds, names are arrays of tool names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    disabled: Named,
    favorites: Named,
    pins: Named,
    concerns: Configuration,
    limit: Limit,
}

impl FromStr for Preferences {
    type Err = Error;

    /// Parses preferences that were written as text, in this version or an older one.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for invalid JSON, and [`ErrorKind::Preferences`] for another shape, too many names, or a
    /// newer version.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::from_entry(&Entry::root(Raw::parse(text)?))
            .map_err(|error| error.with_kind(ErrorKind::Preferences))
    }
}

/// Writes the preferences as JSON. Equal preferences have equal text.
impl fmt::Display for Preferences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8(self.json()).unwrap_or_default())
    }
}

impl Preferences {
    fn from_entry(root: &Entry<'_>) -> Result<Self, Error> {
        let mut record = root.record(&["version", "disabled", "favorites", "pins", "concerns", "limit"])?;
        let (mut preferences, mut version) = (Self::default(), 0);
        record.fill("version", &mut version, |entry| {
            let version = entry.whole(1, u32::MAX.into())?;
            let newer = || {
                entry.refuse(format!(
                    "of version {version}, expected at most {preferences_version}",
                    preferences_version = Preferences::VERSION
                ))
            };
            if version > Preferences::VERSION { Err(newer()) } else { Ok(version) }
        });
        for (key, named) in [
            ("disabled", &mut preferences.disabled),
            ("favorites", &mut preferences.favorites),
            ("pins", &mut preferences.pins),
        ] {
            record.fill(
                key,
                named,
                |entry| if version == 0 { tools(entry) } else { names(entry, key == "pins") },
            );
        }
        record.fill("concerns", &mut preferences.concerns, |entry| {
            entry.read(|raw| Configuration::read(raw, "concerns"))
        });
        record.fill("limit", &mut preferences.limit, limit);
        record.end().map(|()| preferences)
    }

    fn json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.raw("version", Preferences::VERSION.to_string().as_bytes());
        for (key, named) in
            [("disabled", &self.disabled), ("favorites", &self.favorites), ("pins", &self.pins)]
        {
            if key == "pins" && named.is_empty() {
                continue;
            }
            let mut kinds = Object::open(object.value(key));
            for kind in Kind::ALL {
                let mut of =
                    named.iter().filter(|(known, _)| *known == kind).map(|(_, name)| name).peekable();
                if of.peek().is_some() {
                    Object::push_array(kinds.value(kind.list_key()), of, |out, name| {
                        Object::push_text(out, name)
                    });
                }
            }
            kinds.close();
        }
        self.concerns.write(object.value("concerns"));
        if !self.limit.is_none() {
            let mut limit = Object::open(object.value("limit"));
            for (key, most) in self.limit.bounds() {
                limit.raw(key, most.to_string().as_bytes());
            }
            limit.close();
        }
        object.close();
        out
    }
}

impl Picker {
    /// Returns the part of the choice to store.
    pub fn preferences(&self) -> Preferences {
        let Choice { filter, disabled, favorites, pins, .. } = &self.choice;
        Preferences {
            disabled: disabled.clone(),
            favorites: favorites.clone(),
            pins: pins.clone(),
            concerns: filter.concerns.clone(),
            limit: filter.limit,
        }
    }

    /// Applies stored preferences. This clears the undo history. Concerns that are no longer declared, or no longer
    /// with that value, are ignored.
    ///
    /// # Errors
    /// The errors of a change. The choice then does not change.
    pub fn prefer(&mut self, preferences: &Preferences) -> Result<bool, Error> {
        let changed = self.edit(&|picker, choice| {
            choice.disabled.clone_from(&preferences.disabled);
            choice.favorites.clone_from(&preferences.favorites);
            choice.only_favorites &= !choice.favorites.is_empty();
            choice.pins.clone_from(&preferences.pins);
            choice.absorb(&picker.servers);
            if !preferences.limit.is_none() {
                choice.filter.limit = preferences.limit;
            }
            for (name, values) in preferences.concerns.iter() {
                let declared = picker.concerns.iter().find(|concern| concern.name == name);
                let values = values.unwrap_or_default();
                if declared.is_some_and(|concern| values.iter().all(|value| concern.accepts(value))) {
                    choice.filter.concerns.set(name, Some(values.to_vec()));
                }
            }
        })?;
        self.history = History::default();
        Ok(changed)
    }
}

fn tools(entry: &Entry<'_>) -> Result<Named, Error> {
    let mut named = Named::new();
    add(entry, Kind::Tool, false, &mut named).map(|()| named)
}

/// Reads names, which are sorted unless their order counts.
fn names(entry: &Entry<'_>, in_order: bool) -> Result<Named, Error> {
    let mut kinds = entry.record(&Kind::ALL.map(Kind::list_key))?;
    let mut named = Named::new();
    for kind in Kind::ALL {
        let mut added = ();
        kinds.fill(kind.list_key(), &mut added, |entry| add(entry, kind, in_order, &mut named));
    }
    kinds.end().map(|()| named)
}

fn limit(entry: &Entry<'_>) -> Result<Limit, Error> {
    let mut record = entry.record(&["count", "tokens"])?;
    let mut limit = Limit::default();
    for (key, most) in [("count", &mut limit.count), ("tokens", &mut limit.tokens)] {
        record.fill(key, most, |entry| entry.whole(1, u32::MAX.into()).map(Some));
    }
    record.end().map(|()| limit)
}

fn add(entry: &Entry<'_>, kind: Kind, in_order: bool, named: &mut Named) -> Result<(), Error> {
    let names = entry.texts()?;
    if named.len() + names.len() > Preferences::MAX_NAMES {
        return Err(entry.refuse(format!("expected at most {max} names", max = Preferences::MAX_NAMES)));
    }
    for name in names {
        match in_order {
            true => named.push((kind, name)),
            false => put(named, kind, &name, true),
        }
    }
    Ok(())
}
