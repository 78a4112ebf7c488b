//! The use of the concerns that an upstream server declares.

use mcp_sieve::{
    Error,
    json::{Entry, Members},
};

use super::renames::NameMap;

/// The use of the concerns that an upstream server declares (#1936).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConcernUse {
    /// The gateway learns which values primitives have, by listing the server for each value, and filters by them.
    #[default]
    Learn,
    /// The server gets the concerns of each caller with calls and other requests for one primitive. Nothing is learned,
    /// so that only values which primitives state themselves filter the lists.
    Forward,
    /// The server has no concerns for callers.
    Ignore,
}

impl ConcernUse {
    const NAMES: [(&str, Self); 3] =
        [("learn", Self::Learn), ("forward", Self::Forward), ("ignore", Self::Ignore)];

    /// Returns the name of the setting.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Reads the setting: the use, or an object of new names for concerns that are learned.
    pub(super) fn read(entry: &Entry<'_>) -> Result<(Self, NameMap), Error> {
        if Members::read(entry.raw()).is_some() {
            return Ok((Self::Learn, NameMap::read(entry)?));
        }
        let known = entry.raw().text().and_then(|text| Self::NAMES.iter().find(|(name, _)| *name == text));
        match known {
            Some((_, Self::Ignore)) => Ok((Self::Ignore, NameMap::omitting_all())),
            Some((_, known)) => Ok((*known, NameMap::default())),
            None => {
                let names = Error::one_of(&Self::NAMES.map(|(name, _)| name));
                Err(entry.refuse(format!("expected {names}, or an object of new names")))
            }
        }
    }
}
