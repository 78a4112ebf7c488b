//! The states of definitions under a lock, and the words for them.

use super::{Judgement, Treatment};

/// The state of a definition under a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockState {
    /// The operator has accepted it.
    Accepted,
    /// It differs from what the operator has accepted under its name.
    Changed,
    /// The lock has no definition of its name.
    New,
    /// The operator has accepted it, and its server no longer lists it.
    Removed,
    /// The lock cannot be read, so nothing is known of it.
    Unreadable,
}

impl LockState {
    /// Returns the stable word for the state.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Removed => "removed",
            Self::Unreadable => "unreadable",
        }
    }
}

impl Judgement {
    /// Returns the description of a definition that is not accepted, and of what becomes of it.
    pub(crate) fn describe(self) -> String {
        let state = match self.state {
            LockState::Changed => "has changed since it was accepted",
            LockState::New => "is new and was not accepted",
            LockState::Removed => "was accepted and is no longer listed",
            _ => "is under a lock that cannot be read",
        };
        let end = match self.treatment {
            _ if self.state == LockState::Removed => "",
            Treatment::Serve => ": served",
            Treatment::Hide => ": hidden",
            Treatment::Refuse => ": listed by its name alone",
        };
        [state, end].concat()
    }
}
