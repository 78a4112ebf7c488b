//! What becomes of definitions that the operator has not accepted.

use super::LockState;
use crate::{
    error::Error,
    json::{Entry, Record},
};

/// What becomes of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It is served as its server lists it.
    Serve,
    /// It is hidden from all callers.
    Hide,
    /// It is listed by its name alone, and calls are refused.
    Refuse,
}

impl Treatment {
    const NAMES: [(&'static str, Self); 3] =
        [("serve", Self::Serve), ("hide", Self::Hide), ("refuse", Self::Refuse)];

    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let text = entry.text().unwrap_or_default();
        let found = Self::NAMES.iter().find(|(name, _)| *name == text).map(|(_, treatment)| *treatment);
        found.ok_or_else(|| {
            entry.refuse(["expected ", &Error::one_of(&Self::NAMES.map(|(name, _)| name))].concat())
        })
    }
}

/// The three words of a lock, of the whole file or of one server. `None` for one that is not written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LockWords {
    /// What becomes of a changed definition.
    pub(super) changed: Option<Treatment>,
    /// What becomes of a new definition.
    pub(super) new: Option<Treatment>,
    /// Whether a definition that is gone is reported.
    removed: Option<bool>,
}

impl LockWords {
    /// Reads the words of one server.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) with the path of the member.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut record = entry.record(&["changed", "new", "removed"])?;
        let words = Self::fill(&mut record);
        record.end().map(|()| words)
    }

    /// Reads the words from a record, which keeps the first error.
    pub(super) fn fill(record: &mut Record<'_>) -> Self {
        let mut words = Self::default();
        record.fill_optional("changed", &mut words.changed, Treatment::read);
        record.fill_optional("new", &mut words.new, Treatment::read);
        record.fill_optional("removed", &mut words.removed, |entry| match entry.text().as_deref() {
            Ok("report") => Ok(true),
            Ok("ignore") => Ok(false),
            _ => Err(entry.refuse(["expected ", &Error::one_of(&["report", "ignore"])].concat())),
        });
        words
    }

    /// Returns these words, and those of `other` in place of words that are not written.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            changed: self.changed.or(other.changed),
            new: self.new.or(other.new),
            removed: self.removed.or(other.removed),
        }
    }

    /// Returns what becomes of a definition in this state.
    pub(super) fn treatment(self, state: LockState) -> Treatment {
        match state {
            LockState::Accepted | LockState::Removed => Treatment::Serve,
            LockState::Changed => self.changed.unwrap_or(Treatment::Hide),
            LockState::New => self.new.unwrap_or(Treatment::Hide),
            LockState::Unreadable => Treatment::Hide,
        }
    }

    pub(super) fn ignores_removed(self) -> bool {
        self.removed == Some(false)
    }
}
