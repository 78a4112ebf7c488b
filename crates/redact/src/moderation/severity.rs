//! The severity levels of moderation flags, and the scores from which they apply.

/// The severity of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing was flagged.
    None,
    /// A score of up to 3.
    Low,
    /// A score of up to 6.
    Medium,
    /// A score of more than 6.
    High,
}

impl Severity {
    /// Returns the severity of a score.
    pub fn from_score(score: u32) -> Self {
        match score {
            0 => Self::None,
            1..=3 => Self::Low,
            4..=6 => Self::Medium,
            _ => Self::High,
        }
    }

    /// Returns the name in arguments and metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Returns the severity with a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::None, Self::Low, Self::Medium, Self::High].into_iter().find(|severity| severity.name() == name)
    }
}
