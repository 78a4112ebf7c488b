use std::{fmt, str::FromStr};

/// A protocol revision this server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 2025-03-26: sessions, batches.
    V2025_03_26,
    /// 2025-06-18: sessions, structured results.
    V2025_06_18,
    /// 2025-11-25: sessions, tasks.
    V2025_11_25,
    /// 2026-07-28: no sessions.
    V2026_07_28,
}

impl Version {
    /// Every revision, newest first.
    pub const ALL: [Self; 4] = [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26];
    /// The newest revision with a handshake.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// The date it goes by.
    pub const fn date(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether it is of the stateless era.
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }

    /// The dates of every revision, newest first.
    pub fn dates() -> [&'static str; 4] {
        Self::ALL.map(Self::date)
    }
}

impl FromStr for Version {
    type Err = ();

    fn from_str(date: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|version| version.date() == date).ok_or(())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.date())
    }
}
