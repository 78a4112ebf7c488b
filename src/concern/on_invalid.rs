//! The setting `onInvalid`: whether an invalid concern value is ignored, clamped or rejected.

use crate::{error::Error, json::Entry};

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

impl OnInvalid {
    const NAMES: [(&str, Self); 3] =
        [("ignore", Self::Ignore), ("clamp", Self::Clamp), ("error", Self::Error)];

    /// Reads the setting.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) with the path.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let text = entry.text()?;
        let known = Self::NAMES.iter().find(|(name, _)| *name == text);
        known.map(|(_, value)| *value).ok_or_else(|| {
            let names = Self::NAMES.map(|(name, _)| name);
            entry.refuse(format!("unknown variant `{text}`, expected {}", Error::one_of(&names)))
        })
    }
}
