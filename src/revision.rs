//! The revisions of the Model Context Protocol that are supported.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A revision of the protocol. Later revisions compare greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// 2024-11-05: sessions, batches.
    V2024_11_05,
    /// 2025-03-26: sessions, batches.
    V2025_03_26,
    /// 2025-06-18: sessions, structured results.
    V2025_06_18,
    /// 2025-11-25: sessions, tasks.
    V2025_11_25,
    /// 2026-07-28: no sessions.
    V2026_07_28,
}

/// The family of a protocol revision: whether clients are described in each request or in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Era {
    /// In a session that `initialize` begins: the revisions up to 2025-11-25.
    Session,
    /// In every request: revision 2026-07-28.
    Stateless,
}

impl Era {
    /// Returns the name: `session` or `stateless`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Stateless => "stateless",
        }
    }

    /// Returns the era of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Session, Self::Stateless].into_iter().find(|era| era.name() == name)
    }
}

impl Revision {
    /// Every revision, newest first.
    pub const ALL: [Self; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];
    /// The newest revision with sessions.
    pub const LATEST_WITH_SESSIONS: Self = Self::V2025_11_25;
    /// The oldest stateless revision.
    pub const FIRST_STATELESS: Self = Self::V2026_07_28;

    /// Returns the date that names the revision: `2026-07-28`.
    pub const fn date(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Returns the revision that a date names; none for the date of an unsupported one.
    pub fn from_date(date: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.date() == date)
    }

    /// Returns the revision for a client that begins a session and proposes a date: the newest revision with sessions
    /// where the date names none of these.
    pub fn for_session(date: &str) -> Self {
        Self::from_date(date)
            .filter(|revision| !revision.is_stateless())
            .unwrap_or(Self::LATEST_WITH_SESSIONS)
    }

    /// Returns the dates of every revision, newest first.
    pub fn dates() -> [&'static str; 5] {
        Self::ALL.map(Self::date)
    }

    /// Returns the era of the revision.
    pub const fn era(self) -> Era {
        match self {
            Self::V2026_07_28 => Era::Stateless,
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => Era::Session,
        }
    }

    /// Returns whether requests of the revision have no session.
    pub const fn is_stateless(self) -> bool {
        matches!(self.era(), Era::Stateless)
    }

    /// Returns whether the revision allows several JSON-RPC messages in one array.
    pub const fn has_batches(self) -> bool {
        matches!(self, Self::V2024_11_05 | Self::V2025_03_26)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.date())
    }
}
