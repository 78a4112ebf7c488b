//! The setting `onUnknownMember`: whether a filter with a misspelt member is refused.

use crate::{error::Error, json::Entry};

/// The treatment of a member of a request's filter that does not exist and is probably a misspelt one. Other unknown
/// members are reported and have no effect (SEP-2564): they may be of another vendor or of a later revision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnUnknownMember {
    /// The member has no effect and is reported.
    Ignore,
    /// The request is refused, because without the member the filter would show what it is meant to exclude.
    #[default]
    Error,
}

impl OnUnknownMember {
    /// Reads the setting.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) with the path.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        match entry.text()?.as_str() {
            "ignore" => Ok(Self::Ignore),
            "error" => Ok(Self::Error),
            other => {
                let expected = Error::one_of(&["ignore", "error"]);
                Err(entry.refuse(format!("unknown variant `{other}`, expected {expected}")))
            }
        }
    }
}
